// PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic Instructions".

#include <algorithm>
#include <cstdint>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint64_t min16 = 0x8000, min32 = 0x80000000u, min64 = 0x8000000000000000u;
constexpr std::uint64_t max32 = 0x7fffffffu, max64 = 0x7fffffffffffffffu;

}  // namespace

TEST_CASE("add and sub wrap in every width") {
  check("add.s32 %d, %a, %b;", {{1, 2, 0, 3}, {max32, 1, 0, min32}, {n(-1), 1, 0, 0}, {min32, min32, 0, 0}});
  check("add.u16 %hd, %ha, %hb;", {{0xffff, 1, 0, 0}, {0x7fff, 1, 0, 0x8000}, {40000, 30000, 0, 4464}});
  check("add.s64 %ld, %la, %lb;", {{max64, 1, 0, min64}, {0xffffffff, 1, 0, 0x100000000}, {n(-5), 3, 0, n(-2)}});
  check("sub.u32 %d, %a, %b;", {{0, 1, 0, 0xffffffff}, {min32, 1, 0, max32}, {7, 7, 0, 0}});
  check("sub.s16 %hd, %ha, %hb;", {{0x8000, 1, 0, 0x7fff}, {0, 1, 0, 0xffff}});
  check("sub.s64 %ld, %la, %lb;", {{0, 1, 0, n(-1)}, {min64, 1, 0, max64}});
}

TEST_CASE("add.sat and sub.sat clamp to the range of s32") {
  check("add.sat.s32 %d, %a, %b;",
        {{max32, 1, 0, max32}, {min32, n(-1), 0, min32}, {max32, min32, 0, n(-1)}, {min32, min32, 0, min32}});
  check("sub.sat.s32 %d, %a, %b;",
        {{min32, 1, 0, min32}, {max32, n(-1), 0, max32}, {0, min32, 0, max32}, {5, 7, 0, n(-2)}});
}

TEST_CASE("mul gives the low half, the high half or the whole product") {
  check("mul.lo.s32 %d, %a, %b;", {{100000, 100000, 0, 1410065408}, {n(-3), 5, 0, n(-15)}, {min32, n(-1), 0, min32}});
  check("mul.lo.u64 %ld, %la, %lb;", {{0x100000001, 0x100000001, 0, 0x200000001}, {n(-1), n(-1), 0, 1}});
  check("mul.lo.u16 %hd, %ha, %hb;", {{300, 300, 0, 24464}, {0xffff, 0xffff, 0, 1}});
  check("mul.hi.u32 %d, %a, %b;", {{0xffffffff, 0xffffffff, 0, 0xfffffffe}, {0x10000, 0x10000, 0, 1}, {7, 9, 0, 0}});
  check("mul.hi.s32 %d, %a, %b;", {{n(-1), n(-1), 0, 0}, {n(-1), 1, 0, n(-1)}, {min32, min32, 0, 0x40000000}});
  check("mul.hi.u16 %hd, %ha, %hb;", {{0xffff, 0xffff, 0, 0xfffe}, {0x100, 0x100, 0, 1}});
  check("mul.hi.s16 %hd, %ha, %hb;", {{0xffff, 1, 0, 0xffff}, {0x8000, 0x8000, 0, 0x4000}});
  // (2^64 - 1)^2 = 2^128 - 2^65 + 1, and (-2^63)^2 = 2^126
  check("mul.hi.u64 %ld, %la, %lb;", {{n(-1), n(-1), 0, n(-2)}, {0x100000000, 0x100000000, 0, 1}});
  check("mul.hi.s64 %ld, %la, %lb;",
        {{n(-1), n(-1), 0, 0}, {n(-1), 2, 0, n(-1)}, {min64, min64, 0, 0x4000000000000000}});
  check("mul.wide.u32 %ld, %a, %b;", {{0xffffffff, 0xffffffff, 0, 0xfffffffe00000001}, {3, 4, 0, 12}});
  check("mul.wide.s32 %ld, %a, %b;", {{n(-1), 1, 0, n(-1)}, {min32, min32, 0, 0x4000000000000000}});
  check("mul.wide.u16 %d, %ha, %hb;", {{0xffff, 0xffff, 0, 0xfffe0001}});
  check("mul.wide.s16 %d, %ha, %hb;",
        {{0xffff, 0xffff, 0, 1}, {min16, 1, 0, 0xffff8000}, {min16, min16, 0, 0x40000000}});
}

TEST_CASE("mad adds to the low half, the high half or the whole product") {
  check("mad.lo.s32 %d, %a, %b, %c;", {{3, 4, 5, 17}, {n(-3), 4, 5, n(-7)}, {0xffffffff, 0xffffffff, 0xffffffff, 0}});
  check("mad.lo.u64 %ld, %la, %lb, %lc;", {{0x100000000, 0x100000000, 9, 9}, {7, 6, n(-42), 0}});
  check("mad.lo.u16 %hd, %ha, %hb, %hc;", {{256, 256, 3, 3}, {2, 3, 4, 10}});
  check("mad.hi.u32 %d, %a, %b, %c;", {{0xffffffff, 0xffffffff, 2, 0}, {0x80000000, 4, 1, 3}});
  check("mad.hi.s32 %d, %a, %b, %c;", {{n(-1), 1, 1, 0}, {min32, 2, 10, 9}});
  check("mad.hi.s64 %ld, %la, %lb, %lc;", {{n(-1), 1, 0, n(-1)}, {min64, min64, 1, 0x4000000000000001}});
  check("mad.wide.u32 %ld, %a, %b, %lc;", {{0xffffffff, 0xffffffff, 0x1ffffffff, 0}, {2, 3, 0x100000000, 0x100000006}});
  check("mad.wide.s32 %ld, %a, %b, %lc;", {{n(-2), 3, 1, n(-5)}, {min32, 2, 0, n(-0x100000000)}});
  check("mad.wide.s16 %d, %ha, %hb, %c;", {{0xffff, 2, 1, 0xffffffff}});
}

TEST_CASE("mul24 and mad24 look at the low 24 bits only") {
  check("mul24.lo.u32 %d, %a, %b;", {{0xff000002, 0xab000003, 0, 6}, {0xffffff, 0xffffff, 0, 0xfe000001}});
  check("mul24.lo.s32 %d, %a, %b;", {{0x00ffffff, 5, 0, n(-5)}, {0x7f800000, 2, 0, 0xff000000}, {7, 8, 0, 56}});
  check("mad24.lo.u32 %d, %a, %b, %c;", {{0xff000002, 3, 10, 16}});
  check("mad24.lo.s32 %d, %a, %b, %c;", {{0x00ffffff, 5, 6, 1}});
}

TEST_CASE("div rounds towards zero and rem has the dividend's sign") {
  check("div.s32 %d, %a, %b;", {{7, 2, 0, 3}, {n(-7), 2, 0, n(-3)}, {7, n(-2), 0, n(-3)}, {n(-7), n(-2), 0, 3}});
  check("rem.s32 %d, %a, %b;", {{7, 2, 0, 1}, {n(-7), 2, 0, n(-1)}, {7, n(-2), 0, 1}, {n(-7), n(-2), 0, n(-1)}});
  check("div.u32 %d, %a, %b;", {{0xffffffff, 2, 0, max32}, {100, 7, 0, 14}, {6, 7, 0, 0}});
  check("rem.u32 %d, %a, %b;", {{0xffffffff, 16, 0, 15}, {100, 7, 0, 2}, {6, 7, 0, 6}});
  // if all lanes have the same divisor, powers of two are a special case
  check("div.u32 %d, %a, 8;", {{0xffffffff, 0, 0, 0x1fffffff}, {7, 0, 0, 0}, {64, 0, 0, 8}});
  check("rem.u32 %d, %a, 8;", {{0xffffffff, 0, 0, 7}, {64, 0, 0, 0}});
  check("div.u64 %ld, %la, %lb;", {{n(-1), 0x100000000, 0, 0xffffffff}, {1000000000000, 7, 0, 142857142857}});
  check("rem.s64 %ld, %la, %lb;", {{n(-1000000000000), 7, 0, n(-1)}, {min64, 10, 0, n(-8)}});
  check("div.s16 %hd, %ha, %hb;", {{n(-9), 4, 0, n(-2)}, {9, n(-4), 0, n(-2)}});
  check("rem.u16 %hd, %ha, %hb;", {{65535, 1000, 0, 535}});
}

TEST_CASE("the smallest number divided by -1 wraps, and its remainder is 0") {
  check("div.s32 %d, %a, %b;", {{min32, n(-1), 0, min32}});
  check("rem.s32 %d, %a, %b;", {{min32, n(-1), 0, 0}});
  check("div.s64 %ld, %la, %lb;", {{min64, n(-1), 0, min64}});
  check("rem.s64 %ld, %la, %lb;", {{min64, n(-1), 0, 0}});
}

TEST_CASE("a division by zero ends, with a value that the ISA leaves open and the hardware chooses") {
  check("div.u32 %d, %a, %b;", {{5, 0, 0, 0xffffffff}, {0, 0, 0, 0xffffffff}});
  check("div.s32 %d, %a, %b;", {{5, 0, 0, 0xffffffff}, {n(-5), 0, 0, 0xffffffff}});
  check("rem.u32 %d, %a, %b;", {{5, 0, 0, 5}});
  check("rem.s64 %ld, %la, %lb;", {{n(-5), 0, 0, n(-5)}});
}

TEST_CASE("abs, neg, min and max know their types") {
  check("abs.s32 %d, %a;", {{n(-5), 0, 0, 5}, {5, 0, 0, 5}, {min32, 0, 0, min32}});
  check("abs.s16 %hd, %ha;", {{0xffff, 0, 0, 1}, {min16, 0, 0, min16}});
  check("abs.s64 %ld, %la;", {{n(-0x100000000), 0, 0, 0x100000000}, {min64, 0, 0, min64}});
  check("neg.s32 %d, %a;", {{5, 0, 0, n(-5)}, {min32, 0, 0, min32}, {0, 0, 0, 0}});
  check("neg.s64 %ld, %la;", {{1, 0, 0, n(-1)}});
  check("min.s32 %d, %a, %b;", {{n(-1), 1, 0, n(-1)}, {min32, max32, 0, min32}});
  check("min.u32 %d, %a, %b;", {{0xffffffff, 1, 0, 1}, {min32, max32, 0, max32}});
  check("max.s16 %hd, %ha, %hb;", {{0xffff, 1, 0, 1}});
  check("max.u16 %hd, %ha, %hb;", {{0xffff, 1, 0, 0xffff}});
  check("max.s64 %ld, %la, %lb;", {{n(-1), 1, 0, 1}, {min64, max64, 0, max64}});
  check("min.u64 %ld, %la, %lb;", {{n(-1), 1, 0, 1}});
}

TEST_CASE("sad adds the distance") {
  check("sad.s32 %d, %a, %b, %c;", {{3, 10, 100, 107}, {10, 3, 100, 107}, {n(-3), 4, 1, 8}});
  check("sad.u32 %d, %a, %b, %c;", {{0xffffffff, 1, 1, 0xffffffff}, {1, 0xffffffff, 0, 0xfffffffe}});
  check("sad.u16 %hd, %ha, %hb, %hc;", {{5, 9, 1, 5}, {9, 5, 0xffff, 3}});
  check("sad.s64 %ld, %la, %lb, %lc;", {{n(-1), 1, 10, 12}});
}

TEST_CASE("dp2a sums two products of a half word with a byte of the lower or the upper half") {
  check("dp2a.lo.u32.u32 %d, %a, %b, %c;", {{0x80000003, 0x11220504, 7, 7 + 3 * 4 + 0x8000 * 5}});
  check("dp2a.hi.s32.u32 %d, %a, %b, %c;", {{0x8000fffd, 0x05040000, 7, n(7 - 3 * 4 - 0x8000 * 5)}});
  check("dp2a.lo.s32.s32 %d, %a, %b, %c;", {{0x0002fffd, 0x80fe, 1, n(1 + 3 * 2 - 2 * 128)}});
}

TEST_CASE("dp4a sums four products of bytes, signed or not") {
  // bytes of 0x80ff0102, from the lowest: 2, 1, 255 or -1, 128 or -128; of 0x02030405: 5, 4, 3, 2
  check("dp4a.u32.u32 %d, %a, %b, %c;", {{0x80ff0102, 0x02030405, 1, 1 + 10 + 4 + 765 + 256}});
  check("dp4a.s32.u32 %d, %a, %b, %c;", {{0x80ff0102, 0x02030405, 1, n(1 + 10 + 4 - 3 - 256)}});
  check("dp4a.u32.s32 %d, %a, %b, %c;", {{0x02030405, 0x80ff0102, n(-7), n(-7 + 10 + 4 - 3 - 256)}});
  check("dp4a.s32.s32 %d, %a, %b, %c;", {{0x80808080, 0x80808080, 5, 5 + 4 * 16384}});
}

TEST_CASE("add.cc and addc carry through wide numbers") {
  const std::string sum = "add.cc.u32 %r0, %a, %b;\naddc.cc.u32 %r1, %c, %c;\naddc.u32 %d, 0, 0;";
  // the carry out of the second word: c + c + carry of the first
  check(sum, {{0xffffffff, 1, 0x7fffffff, 0}, {0xffffffff, 1, 0x80000000, 1}, {1, 1, 0xffffffff, 1}});
  check("add.cc.u32 %r0, %a, %b;\naddc.u32 %d, %c, 0xffffffff;",
        {{0xffffffff, 1, 0, 0}, {1, 1, 0, 0xffffffff}, {0x80000000, 0x80000000, 5, 5}});
  check("add.cc.u64 %w0, %la, %lb;\naddc.u64 %ld, %lc, 0;", {{n(-1), 1, 41, 42}, {n(-1), 0, 41, 41}});
  // 0xffffffff + 0xffffffff + 1: the carry must not be lost when the sum equals an addend
  check("add.cc.u32 %r0, 0xffffffff, 1;\naddc.cc.u32 %r1, %a, %b;\naddc.u32 %d, 0, 0;",
        {{0xffffffff, 0xffffffff, 0, 1}, {0, 0xffffffff, 0, 1}, {0, 0xfffffffe, 0, 0}});
}

TEST_CASE("sub.cc and subc borrow through wide numbers") {
  check("sub.cc.u32 %r0, %a, %b;\nsubc.u32 %d, %c, 0;", {{0, 1, 10, 9}, {1, 1, 10, 10}, {5, 9, 0, 0xffffffff}});
  check("sub.cc.u32 %r0, 0, 1;\nsubc.cc.u32 %r1, %a, %b;\nsubc.u32 %d, 0, 0;",
        {{5, 5, 0, 0xffffffff}, {6, 5, 0, 0}, {0, 0xffffffff, 0, 0xffffffff}});
  check("sub.cc.u64 %w0, %la, %lb;\nsubc.u64 %ld, %lc, 0;", {{0, n(-1), 1, 0}, {n(-1), 1, 1, 1}});
}

TEST_CASE("mad.cc and madc carry out of the sum, with the half of the product that the type selects") {
  const std::string carry = "\naddc.u32 %d, 0, 0;";
  check("mad.lo.cc.u32 %r0, %a, %b, %c;" + carry, {{0xffffffff, 0xffffffff, 0xffffffff, 1}, {2, 3, 4, 0}});
  check("mad.hi.cc.u32 %r0, %a, %b, %c;" + carry, {{0xffffffff, 0xffffffff, 2, 1}, {0xffffffff, 0xffffffff, 1, 0}});
  check("mad.hi.cc.s32 %d, %a, %b, %c;", {{n(-1), 1, 0, n(-1)}, {min32, 2, 5, 4}});
  check("mad.lo.cc.u32 %r0, 0xffffffff, 1, 1;\nmadc.hi.u32 %d, %a, %b, %c;", {{0x10000, 0x10000, 5, 7}});
  check("mad.lo.cc.u32 %r0, 0xffffffff, 1, 1;\nmadc.hi.s32 %d, %a, %b, %c;", {{n(-1), 1, 5, 5}});
  check("mad.lo.cc.u32 %r0, 0xffffffff, 1, 1;\nmadc.lo.cc.u32 %r1, %a, %b, %c;" + carry,
        {{1, 0xffffffff, 0, 1}, {1, 0xfffffffe, 0, 0}});
  // With 64-bit operands: the low half of (2^64 - 1) * 1 is 2^64 - 1. Adding 1 to it carries, and adding 0 does not.
  check("mad.lo.cc.u64 %w0, %la, %lb, %lc;\naddc.u64 %ld, 0, 0;", {{n(-1), 1, 1, 1}, {n(-1), 1, 0, 0}});
}

TEST_CASE("integer arithmetic agrees with wide arithmetic on random words") {
  random_words next;
  std::vector<row> low, high, wide, quotient, remainder;
  for (int k = 0; k < 200; ++k) {
    const std::uint64_t a = next() & 0xffffffff,
                        b = std::max<std::uint64_t>(1, next() & (k % 2 == 0 ? 0xffffffff : 0xffff));
    const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
    low.push_back({a, b, 0, a * b});
    high.push_back({a, b, 0, a * b >> 32});
    wide.push_back({a, b, 0, n(std::int64_t{sa} * sb)});
    quotient.push_back({a, b, 0, n(std::int64_t{sa} / sb)});
    remainder.push_back({a, b, 0, n(std::int64_t{sa} % sb)});
  }
  check("mul.lo.u32 %d, %a, %b;", low);
  check("mul.hi.u32 %d, %a, %b;", high);
  check("mul.wide.s32 %ld, %a, %b;", wide);
  check("div.s32 %d, %a, %b;", quotient);
  check("rem.s32 %d, %a, %b;", remainder);
}

}  // namespace emulator::simt::test
