// PTX ISA, "Logic and Shift Instructions", and the bit-field instructions.

#include <cstdint>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

TEST_CASE("and, or, xor, not and cnot work in every width") {
  check("and.b32 %d, %a, %b;", {{0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00}});
  check("or.b32 %d, %a, %b;", {{0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0}});
  check("xor.b32 %d, %a, %b;", {{0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0}});
  check("not.b32 %d, %a;", {{0, 0, 0, 0xffffffff}, {0x12345678, 0, 0, 0xedcba987}});
  check("cnot.b32 %d, %a;", {{0, 0, 0, 1}, {1, 0, 0, 0}, {0x80000000, 0, 0, 0}});
  check("and.b64 %ld, %la, %lb;", {{0xf0f0f0f0f0f0f0f0, 0xffff0000ffff0000, 0, 0xf0f00000f0f00000}});
  check("or.b16 %hd, %ha, %hb;", {{0x0f00, 0x00f0, 0, 0x0ff0}});
  check("xor.b64 %ld, %la, %lb;", {{n(-1), 1, 0, n(-2)}});
  check("not.b16 %hd, %ha;", {{0x0f0f, 0, 0, 0xf0f0}});
  check("not.b64 %ld, %la;", {{0, 0, 0, n(-1)}});
  check("cnot.b64 %ld, %la;", {{0x100000000, 0, 0, 0}, {0, 0, 0, 1}});
  check("cnot.b16 %hd, %ha;", {{0, 0, 0, 1}, {0x100, 0, 0, 0}});
}

TEST_CASE("logic works on predicates") {
  const std::string set = "setp.ne.u32 %p0, %a, 0;\nsetp.ne.u32 %p1, %b, 0;\n";
  check(set + "and.pred %p, %p0, %p1;", {{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 1}});
  check(set + "or.pred %p, %p0, %p1;", {{0, 0, 0, 0}, {0, 1, 0, 1}, {1, 0, 0, 1}, {1, 1, 0, 1}});
  check(set + "xor.pred %p, %p0, %p1;", {{0, 0, 0, 0}, {0, 1, 0, 1}, {1, 0, 0, 1}, {1, 1, 0, 0}});
  check(set + "not.pred %p, %p0;", {{0, 0, 0, 1}, {1, 0, 0, 0}});
  check(set + "mov.pred %p, %p0;", {{0, 0, 0, 0}, {1, 0, 0, 1}});
}

TEST_CASE("shifts by more than the width behave as shifts by the width") {
  check("shl.b32 %d, %a, %b;",
        {{1, 31, 0, 0x80000000}, {1, 32, 0, 0}, {1, 33, 0, 0}, {3, 0xffffffff, 0, 0}, {9, 0, 0, 9}});
  check("shl.b16 %hd, %ha, %b;", {{1, 15, 0, 0x8000}, {1, 16, 0, 0}, {0xffff, 4, 0, 0xfff0}, {1, 32, 0, 0}});
  check("shl.b64 %ld, %la, %b;", {{1, 63, 0, 0x8000000000000000}, {1, 64, 0, 0}, {1, 40, 0, 0x10000000000}});
  check("shr.u32 %d, %a, %b;", {{0x80000000, 31, 0, 1}, {0x80000000, 32, 0, 0}, {n(-1), 100, 0, 0}});
  check("shr.s32 %d, %a, %b;",
        {{0x80000000, 31, 0, n(-1)}, {0x80000000, 32, 0, n(-1)}, {0x7fffffff, 40, 0, 0}, {n(-8), 1, 0, n(-4)}});
  check("shr.b32 %d, %a, %b;", {{0x80000000, 4, 0, 0x08000000}});
  check("shr.s16 %hd, %ha, %b;", {{0x8000, 3, 0, 0xf000}, {0x8000, 20, 0, 0xffff}});
  check("shr.u16 %hd, %ha, %b;", {{0x8000, 3, 0, 0x1000}, {0x8000, 16, 0, 0}});
  check("shr.s64 %ld, %la, %b;", {{0x8000000000000000, 63, 0, n(-1)}, {0x8000000000000000, 64, 0, n(-1)}});
  check("shr.u64 %ld, %la, %b;", {{n(-1), 63, 0, 1}, {n(-1), 64, 0, 0}});
}

TEST_CASE("shf shifts two words, and clamps or wraps the amount at 32") {
  // low word a, high word b
  const std::uint64_t a = 0x89abcdef, b = 0x01234567;
  check("shf.l.wrap.b32 %d, %a, %b, %c;", {{a, b, 0, b}, {a, b, 4, 0x12345678}, {a, b, 32, b}, {a, b, 36, 0x12345678}});
  check("shf.l.clamp.b32 %d, %a, %b, %c;",
        {{a, b, 4, 0x12345678}, {a, b, 32, a}, {a, b, 36, a}, {a, b, 0xffffffff, a}});
  check("shf.r.wrap.b32 %d, %a, %b, %c;", {{a, b, 0, a}, {a, b, 4, 0x789abcde}, {a, b, 32, a}, {a, b, 68, 0x789abcde}});
  check("shf.r.clamp.b32 %d, %a, %b, %c;",
        {{a, b, 4, 0x789abcde}, {a, b, 32, b}, {a, b, 33, b}, {a, b, 31, 0x02468acf}});
}

TEST_CASE("bmsk makes a field of ones, and clamps or wraps place and width at 32") {
  check("bmsk.clamp.b32 %d, %a, %b;",
        {{4, 8, 0, 0xff0}, {0, 32, 0, n(-1)}, {28, 8, 0, 0xf0000000}, {32, 1, 0, 0}, {5, 0, 0, 0}, {1, 40, 0, n(-2)}});
  check("bmsk.wrap.b32 %d, %a, %b;", {{36, 8, 0, 0xff0}, {0, 32, 0, 0}, {1, 33, 0, 2}});
}

TEST_CASE("bfe takes a field, fills with the sign, and bears fields beyond the word") {
  check("bfe.u32 %d, %a, %b, %c;", {{0x12345678, 8, 8, 0x56},
                                    {0xffffffff, 28, 16, 0xf},
                                    {0xffffffff, 32, 8, 0},
                                    {0xffffffff, 0, 0, 0},
                                    {0xfedcba98, 0, 32, 0xfedcba98},
                                    {0xfedcba98, 0, 255, 0xfedcba98},
                                    {0xfedcba98, 0x104, 0x104, 9}});  // only eight bits of each operand count
  check("bfe.s32 %d, %a, %b, %c;", {{0x00000780, 7, 4, n(-1)},
                                    {0x00000380, 7, 4, 7},
                                    {0x80000000, 28, 16, n(-8)},
                                    {0x80000000, 40, 4, n(-1)},
                                    {0x7fffffff, 40, 4, 0},
                                    {0x80000000, 31, 0, 0}});
  check("bfe.u64 %ld, %la, %b, %c;", {{0x123456789abcdef0, 32, 16, 0x5678}, {n(-1), 60, 64, 0xf}, {n(-1), 64, 1, 0}});
  check("bfe.s64 %ld, %la, %b, %c;",
        {{0x8000000000000000, 63, 1, n(-1)}, {0x4000000000000000, 60, 8, 4}, {n(-1), 200, 9, n(-1)}});
}

TEST_CASE("bfi puts a field in and leaves the rest") {
  // bfi d, a, b, position, length: the length is an immediate here, because there are only three inputs
  check("bfi.b32 %d, %a, %b, %c, 8;",
        {{0xff, 0, 8, 0xff00}, {0x12, 0xffffffff, 8, 0xffff12ff}, {0xab, 0, 28, 0xb0000000}, {0xab, 7, 32, 7}});
  check("bfi.b32 %d, %a, %b, %c, 0;", {{0xff, 0x1234, 4, 0x1234}});
  check("bfi.b32 %d, %a, %b, %c, 32;", {{0xdeadbeef, 0x1234, 0, 0xdeadbeef}, {0xdeadbeef, 0x1234, 16, 0xbeef1234}});
  check("bfi.b32 %d, %a, %b, 4, %c;", {{0xf, 0, 2, 0x30}, {0xf, 0, 0x104, 0xf0}, {n(-1), 0, 255, 0xfffffff0}});
  check("bfi.b64 %ld, %la, %lb, %c, 16;", {{0xffff, 0, 40, 0x00ffff0000000000}, {0xffff, 1, 60, 0xf000000000000001}});
}

TEST_CASE("popc, clz, brev and bfind count bits") {
  check("popc.b32 %d, %a;", {{0, 0, 0, 0}, {n(-1), 0, 0, 32}, {0x80000001, 0, 0, 2}});
  check("popc.b64 %d, %la;", {{n(-1), 0, 0, 64}, {0x8000000100000000, 0, 0, 2}});
  check("clz.b32 %d, %a;", {{0, 0, 0, 32}, {1, 0, 0, 31}, {0x80000000, 0, 0, 0}});
  check("clz.b64 %d, %la;", {{0, 0, 0, 64}, {1, 0, 0, 63}, {0x100000000, 0, 0, 31}});
  check("brev.b32 %d, %a;", {{1, 0, 0, 0x80000000}, {0x12345678, 0, 0, 0x1e6a2c48}});
  check("brev.b64 %ld, %la;", {{1, 0, 0, 0x8000000000000000}, {0x12345678, 0, 0, 0x1e6a2c4800000000}});
  check("bfind.u32 %d, %a;", {{0, 0, 0, 0xffffffff}, {1, 0, 0, 0}, {0x80000000, 0, 0, 31}, {0x00012345, 0, 0, 16}});
  check("bfind.s32 %d, %a;",
        {{0, 0, 0, 0xffffffff}, {n(-1), 0, 0, 0xffffffff}, {n(-2), 0, 0, 0}, {0x80000000, 0, 0, 30}});
  check("bfind.shiftamt.u32 %d, %a;", {{1, 0, 0, 31}, {0x80000000, 0, 0, 0}, {0, 0, 0, 0xffffffff}});
  check("bfind.shiftamt.s32 %d, %a;", {{n(-2), 0, 0, 31}, {0x40000000, 0, 0, 1}});
  check("bfind.u64 %d, %la;", {{0x100000000, 0, 0, 32}, {0, 0, 0, 0xffffffff}});
  check("bfind.s64 %d, %la;", {{0x8000000000000000, 0, 0, 62}, {n(-1), 0, 0, 0xffffffff}});
  check("bfind.shiftamt.u64 %d, %la;", {{1, 0, 0, 63}});
}

TEST_CASE("fns finds the n-th set bit, upwards and downwards") {
  // fns d, mask, base, offset
  check("fns.b32 %d, %a, %b, %c;", {{0x90, 4, 0, 4},  // offset 0: the bit at the base itself
                                    {0x90, 5, 0, 0xffffffff},
                                    {0x90, 0, 1, 4},
                                    {0x90, 0, 2, 7},
                                    {0x90, 0, 3, 0xffffffff},
                                    {0x90, 4, 1, 4},  // the base counts, too
                                    {0x90, 31, n(-1), 7},
                                    {0x90, 31, n(-2), 4},
                                    {0x90, 7, n(-2), 4},
                                    {0x90, 3, n(-1), 0xffffffff},
                                    {0x80000001, 0, 2, 31}});
}

TEST_CASE("prmt picks bytes in all its modes") {
  const std::uint64_t a = 0x33221100, b = 0x77665544;
  check("prmt.b32 %d, %a, %b, %c;", {{a, b, 0x3210, a},
                                     {a, b, 0x7654, b},
                                     {a, b, 0x0123, 0x00112233},
                                     {a, b, 0x0404, 0x00440044},
                                     {0x80, 0xff, 0x8888, 0xffffffff},  // the sign of byte 0
                                     {0x7f, 0xff, 0x8888, 0},
                                     {0x80, 0x7f, 0xc840, 0x00ff7f80}});  // signs of byte 4 and byte 0, byte 4, byte 0
  // These selectors are known in advance.
  check("prmt.b32 %d, %a, %b, 0x3210;", {{a, b, 0, a}});
  check("prmt.b32 %d, %a, %b, 0x0567;", {{a, b, 0, 0x00556677}});
  check("prmt.b32 %d, %a, %b, 0xc840;", {{0x80, 0x7f, 0, 0x00ff7f80}});
  check("prmt.b32.f4e %d, %a, %b, 1;", {{a, b, 0, 0x44332211}});
  check("prmt.b32.f4e %d, %a, %b, %c;",
        {{a, b, 0, a}, {a, b, 1, 0x44332211}, {a, b, 2, 0x55443322}, {a, b, 3, 0x66554433}});
  check("prmt.b32.b4e %d, %a, %b, %c;",
        {{a, b, 0, 0x55667700}, {a, b, 1, 0x66770011}, {a, b, 2, 0x77001122}, {a, b, 3, 0x00112233}});
  check("prmt.b32.rc8 %d, %a, %b, %c;",
        {{a, b, 0, 0}, {a, b, 1, 0x11111111}, {a, b, 2, 0x22222222}, {a, b, 3, 0x33333333}});
  check("prmt.b32.ecl %d, %a, %b, %c;",
        {{a, b, 0, a}, {a, b, 1, 0x33221111}, {a, b, 2, 0x33222222}, {a, b, 3, 0x33333333}});
  check("prmt.b32.ecr %d, %a, %b, %c;", {{a, b, 0, 0}, {a, b, 1, 0x11111100}, {a, b, 2, 0x22221100}, {a, b, 3, a}});
  check("prmt.b32.rc16 %d, %a, %b, %c;",
        {{a, b, 0, 0x11001100}, {a, b, 1, 0x33223322}, {a, b, 2, 0x11001100}, {a, b, 3, 0x33223322}});
}

TEST_CASE("lop3 looks each bit up, for all 256 tables") {
  random_words next;
  // Tests all 256 tables, eight per launch. The result of table k is stored in word k % 8.
  for (unsigned first = 0; first < 256; first += 8) {
    ptx_launch wanted;
    for (unsigned k = 0; k < 8; ++k) {
      wanted.body += "lop3.b32 %d, %a, %b, %c, " + std::to_string(first + k) + ";\nst.global.b32 [%out+" +
                     std::to_string(4 * k) + "], %d;\n";
    }
    for (unsigned lane = 0; lane < 32; ++lane) wanted.values.push_back({next(), next(), next()});
    const ptx_result result = run(wanted);
    REQUIRE(result.error.empty());
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned k = 0; k < 8; ++k) {
        const inputs& v = wanted.values[lane];
        std::uint32_t expected = 0;
        for (unsigned bit = 0; bit < 32; ++bit) {  // the index into the table has a's bit on top, then b's, then c's
          const auto place = (v.a >> bit & 1u) << 2 | (v.b >> bit & 1u) << 1 | (v.c >> bit & 1u);
          expected |= ((first + k) >> place & 1u) << bit;
        }
        CAPTURE(first + k, lane);
        REQUIRE(result.word(lane, k) == expected);
      }
    }
  }
}

}  // namespace emulator::simt::test
