// PTX ISA, "Half Precision Floating Point Instructions" and "Half Precision Comparison Instructions"; cvt of these
// types.

#include <cmath>
#include <cstdint>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

namespace {

/// Returns the value of a half, computed from the definition of IEEE binary16.
float value_of_half(std::uint32_t h) {
  const int exponent = static_cast<int>(h >> 10 & 31u), fraction = static_cast<int>(h & 1023u);
  const float v = exponent == 31 ? INFINITY
                                 : std::ldexp(static_cast<float>(exponent != 0 ? fraction + 1024 : fraction),
                                              (exponent != 0 ? exponent : 1) - 25);
  return (h & 0x8000u) != 0 ? -v : v;
}

}  // namespace

TEST_CASE("every half is the float that it should be, and comes back from it") {
  std::vector<row> out, back, above_the_middle;
  for (std::uint32_t h = 0; h < 0x7c01; ++h) {
    out.push_back({h, 0, 0, bits(value_of_half(h))});
    out.push_back({h | 0x8000u, 0, 0, bits(-value_of_half(h))});
    back.push_back({bits(value_of_half(h)), 0, 0, h});
    if (h >= 0x7bff) continue;
    const float middle = (value_of_half(h) + value_of_half(h + 1)) / 2;  // exact
    back.push_back({bits(-middle), 0, 0, 0x8000u | (h + (h & 1u))});     // a tie rounds to even
    above_the_middle.push_back({bits(std::nextafter(middle, INFINITY)), 0, 0, h + 1});
    above_the_middle.push_back({bits(std::nextafter(middle, 0.0f)), 0, 0, h});
  }
  check("cvt.f32.f16 %d, %ha;", out);
  check("cvt.rn.f16.f32 %hd, %a;", back);
  check("cvt.rn.f16.f32 %hd, %a;", above_the_middle);
}

TEST_CASE("a value too large for a half becomes infinite, or the largest number if it is rounded towards zero") {
  check("cvt.rn.f16.f32 %hd, %a;",
        {{bits(65519.0f), 0, 0, 0x7bff}, {bits(65520.0f), 0, 0, 0x7c00}, {bits(1e30f), 0, 0, 0x7c00}});
  check("cvt.rz.f16.f32 %hd, %a;", {{bits(1e30f), 0, 0, 0x7bff}, {bits(-1.9999f), 0, 0, 0xbfff}});
  check("cvt.rm.f16.f32 %hd, %a;", {{bits(1e30f), 0, 0, 0x7bff}, {bits(-1e30f), 0, 0, 0xfc00}});
  check("cvt.rp.f16.f32 %hd, %a;", {{bits(1e-30f), 0, 0, 0x0001}, {bits(-1e-30f), 0, 0, 0x8000}});
  check(
      "cvt.rn.bf16.f32 %hd, %a;",
      {{0x3f808000, 0, 0, 0x3f80}, {0x3f818000, 0, 0, 0x3f82}, {0x3f808001, 0, 0, 0x3f81}, {0x7f7fffff, 0, 0, 0x7f80}});
  check("cvt.rn.satfinite.f16x2.f32 %d, %a, %b;", {{bits(1e30f), bits(1.0f), 0, 0x7bff3c00}});
  check("cvt.rn.f16x2.f32 %d, %a, %b;", {{bits(2.0f), bits(1.0f), 0, 0x40003c00}});
  check("cvt.rn.bf16x2.f32 %d, %a, %b;", {{bits(-2.0f), bits(1.0f), 0, 0xc0003f80}});
}

TEST_CASE("halves and integers become each other") {
  check("cvt.rni.s32.f16 %d, %ha;", {{0x3e00, 0, 0, 2}, {0xbe00, 0, 0, n(-2)}, {0x4100, 0, 0, 2}, {0x7e00, 0, 0, 0}});
  check("cvt.rzi.u32.f16 %d, %ha;", {{0x3e00, 0, 0, 1}, {0xbe00, 0, 0, 0}, {0x7c00, 0, 0, 0xffffffff}});
  check("cvt.rn.f16.s32 %hd, %a;", {{2049, 0, 0, 0x6800}, {2051, 0, 0, 0x6802}, {n(-1), 0, 0, 0xbc00}});
  // 2^40 + 2^32 is half way between two neighbours, so adding 1 must make a difference.
  check("cvt.rn.bf16.u64 %hd, %la;", {{0x10100000000, 0, 0, 0x5380}, {0x10100000001, 0, 0, 0x5381}});
}

TEST_CASE("half arithmetic rounds once") {
  // 2048 + 1 is a tie. In the first fma, the product is a little larger than 1, so the sum isn't a tie.
  check("add.f16 %hd, %ha, %hb;",
        {{0x6800, 0x3c00, 0, 0x6800}, {0x6801, 0x3c00, 0, 0x6802}, {0x7bff, 0x7bff, 0, 0x7c00}});
  check("fma.rn.f16 %hd, %ha, %hb, %hc;", {{0x3c01, 0x3c01, 0x6800, 0x6801}, {0x3c00, 0x3c00, 0x6800, 0x6800}});
  check("sub.f16 %hd, %ha, %hb;", {{0x3c00, 0x3c01, 0, 0x9400}, {0x7c00, 0x7c00, 0, 0x7fff}});
  check("mul.f16 %hd, %ha, %hb;", {{0x0400, 0x3800, 0, 0x0200}, {0x0001, 0x3800, 0, 0}, {0x0003, 0x3800, 0, 0x0002}});
  check("mul.ftz.f16 %hd, %ha, %hb;", {{0x0400, 0x3800, 0, 0}});
  check("add.sat.f16 %hd, %ha, %hb;", {{0x3c00, 0x3c00, 0, 0x3c00}, {0xbc00, 0, 0, 0}, {0x7e00, 0, 0, 0}});
  check("fma.rn.relu.f16 %hd, %ha, %hb, %hc;", {{0xbc00, 0x3c00, 0, 0}, {0x7e00, 0, 0, 0x7fff}});
  check("add.f16x2 %d, %a, %b;", {{0x3c004000, 0x3c00c000, 0, 0x40000000}});
  check("fma.rn.bf16x2 %d, %a, %b, %c;", {{0x3f804000, 0x40404040, 0x3f803f80, 0x408040e0}});
  check("neg.f16x2 %d, %a;", {{0x3c008000, 0, 0, 0xbc000000}});
  check("abs.bf16 %hd, %ha;", {{0xbf80, 0, 0, 0x3f80}});
}

TEST_CASE("the larger of two halves is a number if one is, and the positive one of two zeros") {
  check("max.f16 %hd, %ha, %hb;",
        {{0x7e00, 0x3c00, 0, 0x3c00}, {0x7e00, 0x7e01, 0, 0x7fff}, {0x8000, 0, 0, 0}, {0, 0x8000, 0, 0}});
  check("min.f16 %hd, %ha, %hb;", {{0x8000, 0, 0, 0x8000}, {0, 0x8000, 0, 0x8000}, {0xfc00, 0x7bff, 0, 0xfc00}});
  check("max.NaN.bf16 %hd, %ha, %hb;", {{0x7fc0, 0x3f80, 0, 0x7fff}, {0x4000, 0x3f80, 0, 0x4000}});
}

TEST_CASE("halves are compared as numbers") {
  check("setp.lt.f16 %p, %ha, %hb;", {{0xbc00, 0x3c00, 0, 1}, {0x8000, 0, 0, 0}, {0x7e00, 0x3c00, 0, 0}});
  check("setp.ltu.f16 %p, %ha, %hb;", {{0x7e00, 0x3c00, 0, 1}, {0x4000, 0x3c00, 0, 0}});
  check("setp.gt.bf16x2 %p|%q, %a, %b;", {{0x40003f80, 0x3f804000, 0, 2}, {0x3f804000, 0x40003f80, 0, 1}});
  check("set.ge.f16x2.f16x2 %d, %a, %b;", {{0x3c004000, 0x40004000, 0, 0x00003c00}});
  check("set.ge.u32.f16 %d, %ha, %hb;", {{0x3c00, 0x3c00, 0, 0xffffffff}, {0x7e00, 0x3c00, 0, 0}});
}

}  // namespace emulator::simt::test
