// PTX ISA, "Comparison and Selection Instructions".

#include <cmath>
#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint64_t nan32 = 0x7fc00000, inf32 = 0x7f800000, one32 = 0x3f800000, minus_zero32 = 0x80000000;
constexpr std::uint64_t min32 = 0x80000000u, max32 = 0x7fffffffu;

/// The results of a comparison for less, equal, greater and unordered.
struct relation {
  const char* name;
  unsigned less, equal, greater, unordered;
};

}  // namespace

TEST_CASE("setp compares integers by their type") {
  for (const relation& r : {relation{"eq", 0, 1, 0, 0},
                            {"ne", 1, 0, 1, 0},
                            {"lt", 1, 0, 0, 0},
                            {"le", 1, 1, 0, 0},
                            {"gt", 0, 0, 1, 0},
                            {"ge", 0, 1, 1, 0}}) {
    const std::string name = std::string("setp.") + r.name;
    check(name + ".s32 %p, %a, %b;", {{n(-1), 1, 0, r.less}, {5, 5, 0, r.equal}, {max32, min32, 0, r.greater}});
    check(name + ".u32 %p, %a, %b;", {{1, n(-1), 0, r.less}, {5, 5, 0, r.equal}, {min32, max32, 0, r.greater}});
    check(name + ".s16 %p, %ha, %hb;",
          {{0xffff, 1, 0, r.less}, {0x8000, 0x8000, 0, r.equal}, {1, 0x8000, 0, r.greater}});
    check(name + ".u16 %p, %ha, %hb;", {{1, 0xffff, 0, r.less}, {9, 9, 0, r.equal}, {0x8000, 1, 0, r.greater}});
    check(name + ".s64 %p, %la, %lb;",
          {{n(-0x100000000), 1, 0, r.less}, {n(-1), n(-1), 0, r.equal}, {0x100000000, 1, 0, r.greater}});
    check(name + ".u64 %p, %la, %lb;",
          {{1, n(-1), 0, r.less}, {0x100000000, 0x100000000, 0, r.equal}, {n(-1), 0, 0, r.greater}});
  }
  check("setp.lo.u32 %p, %a, %b;", {{1, n(-1), 0, 1}, {5, 5, 0, 0}});
  check("setp.ls.u32 %p, %a, %b;", {{5, 5, 0, 1}, {6, 5, 0, 0}});
  check("setp.hi.u32 %p, %a, %b;", {{n(-1), 1, 0, 1}, {5, 5, 0, 0}});
  check("setp.hs.u64 %p, %la, %lb;", {{5, 5, 0, 1}, {4, 5, 0, 0}});
  check("setp.eq.b32 %p, %a, %b;", {{n(-1), n(-1), 0, 1}, {0, 1, 0, 0}});
  check("setp.ne.b64 %p, %la, %lb;", {{0x100000000, 0, 0, 1}});
}

TEST_CASE("setp compares floating-point numbers, ordered or not") {
  for (const relation& r : {relation{"eq", 0, 1, 0, 0},
                            {"ne", 1, 0, 1, 0},
                            {"lt", 1, 0, 0, 0},
                            {"le", 1, 1, 0, 0},
                            {"gt", 0, 0, 1, 0},
                            {"ge", 0, 1, 1, 0},
                            {"equ", 0, 1, 0, 1},
                            {"neu", 1, 0, 1, 1},
                            {"ltu", 1, 0, 0, 1},
                            {"leu", 1, 1, 0, 1},
                            {"gtu", 0, 0, 1, 1},
                            {"geu", 0, 1, 1, 1},
                            {"num", 1, 1, 1, 0},
                            {"nan", 0, 0, 0, 1}}) {
    const std::string name = std::string("setp.") + r.name;
    check(name + ".f32 %p, %a, %b;", {{one32, bits(2.0f), 0, r.less},
                                      {0, minus_zero32, 0, r.equal},
                                      {inf32, one32, 0, r.greater},
                                      {nan32, one32, 0, r.unordered},
                                      {one32, nan32, 0, r.unordered},
                                      {nan32, nan32, 0, r.unordered}});
    check(name + ".f64 %p, %la, %lb;", {{bits(-1.0), bits(2.0), 0, r.less},
                                        {bits(0.0), bits(-0.0), 0, r.equal},
                                        {bits(1e300), bits(1.0), 0, r.greater},
                                        {bits(std::nan("")), bits(1.0), 0, r.unordered}});
    // with ftz, all subnormal numbers are equal to 0
    check(name + ".ftz.f32 %p, %a, %b;", {{1, 2, 0, r.equal},
                                          {0x80000001, 0x007fffff, 0, r.equal},
                                          {0x007fffff, 0x00800000, 0, r.less},
                                          {nan32, 1, 0, r.unordered}});
  }
  check("setp.lt.f32 %p, %a, %b;", {{1, 2, 0, 1}});
}

TEST_CASE("setp joins a predicate and gives the complement") {
  const std::string third = "setp.ne.u32 %p0, %c, 0;\n";
  // bit 0: (a < b) op c; bit 1: !(a < b) op c
  check("setp.lt.s32 %p|%q, %a, %b;", {{1, 2, 0, 1}, {2, 1, 0, 2}});
  check(third + "setp.lt.and.s32 %p|%q, %a, %b, %p0;", {{1, 2, 1, 1}, {2, 1, 1, 2}, {1, 2, 0, 0}, {2, 1, 0, 0}});
  check(third + "setp.lt.or.s32 %p|%q, %a, %b, %p0;", {{1, 2, 1, 3}, {2, 1, 1, 3}, {1, 2, 0, 1}, {2, 1, 0, 2}});
  check(third + "setp.lt.xor.s32 %p|%q, %a, %b, %p0;", {{1, 2, 1, 2}, {2, 1, 1, 1}, {1, 2, 0, 1}, {2, 1, 0, 2}});
  check(third + "setp.lt.and.s32 %p, %a, %b, !%p0;", {{1, 2, 1, 0}, {1, 2, 0, 1}});
  check(third + "setp.lt.or.ftz.f32 %p, %a, %b, !%p0;", {{1, 2, 1, 0}, {1, 2, 0, 1}, {0, one32, 1, 1}});
}

TEST_CASE("set writes all ones or 1.0") {
  check("set.lt.u32.s32 %d, %a, %b;", {{n(-1), 0, 0, 0xffffffff}, {0, n(-1), 0, 0}});
  check("set.ge.s32.u64 %d, %la, %lb;", {{n(-1), 0, 0, 0xffffffff}, {0, 1, 0, 0}});
  check("set.eq.f32.u32 %d, %a, %b;", {{7, 7, 0, one32}, {7, 8, 0, 0}});
  check("set.gt.f32.f32 %d, %a, %b;", {{bits(2.0f), one32, 0, one32}, {nan32, one32, 0, 0}});
  check("set.nan.u32.f64 %d, %la, %lb;", {{bits(std::nan("")), 0, 0, 0xffffffff}, {0, 0, 0, 0}});
  check("set.eq.ftz.u32.f32 %d, %a, %b;", {{1, 0, 0, 0xffffffff}});
  check("set.eq.u32.f32 %d, %a, %b;", {{1, 0, 0, 0}});
  check("setp.ne.u32 %p0, %c, 0;\nset.lt.and.u32.s32 %d, %a, %b, %p0;",
        {{1, 2, 1, 0xffffffff}, {1, 2, 0, 0}, {2, 1, 1, 0}});
  check("setp.ne.u32 %p0, %c, 0;\nset.lt.xor.f32.s32 %d, %a, %b, !%p0;",
        {{1, 2, 1, one32}, {1, 2, 0, 0}, {2, 1, 0, one32}});
}

TEST_CASE("selp chooses by a predicate, slct by a sign") {
  const std::string by = "setp.ne.u32 %p0, %c, 0;\n";
  check(by + "selp.b32 %d, %a, %b, %p0;", {{1, 2, 1, 1}, {1, 2, 0, 2}});
  check(by + "selp.b32 %d, %a, %b, !%p0;", {{1, 2, 1, 2}, {1, 2, 0, 1}});
  check(by + "selp.u16 %hd, %ha, %hb, %p0;", {{1, 2, 1, 1}, {1, 2, 0, 2}});
  check(by + "selp.f64 %ld, %la, %lb, %p0;",
        {{bits(1.0), bits(2.0), 1, bits(1.0)}, {bits(1.0), bits(2.0), 0, bits(2.0)}});
  check("slct.u32.s32 %d, %a, %b, %c;", {{1, 2, 0, 1}, {1, 2, n(-1), 2}, {1, 2, min32, 2}, {1, 2, 5, 1}});
  check("slct.f32.f32 %d, %a, %b, %c;",
        {{1, 2, one32, 1}, {1, 2, bits(-1.0f), 2}, {1, 2, minus_zero32, 1}, {1, 2, nan32, 2}, {1, 2, 0x80000001, 2}});
  check("slct.ftz.u32.f32 %d, %a, %b, %c;", {{1, 2, 0x80000001, 1}, {1, 2, bits(-1.0f), 2}});
  check("slct.b64.s32 %ld, %la, %lb, %c;", {{n(-1), 2, 0, n(-1)}, {n(-1), 2, n(-7), 2}});
  check("slct.u16.f32 %hd, %ha, %hb, %c;", {{1, 2, one32, 1}, {1, 2, bits(-1.0f), 2}});
}

}  // namespace emulator::simt::test
