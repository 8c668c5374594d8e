// PTX ISA, "Data Movement and Conversion Instructions": cvt and mov.

#include <cmath>
#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint64_t nan32 = 0x7fc00000, inf32 = 0x7f800000, minus_inf32 = 0xff800000, one32 = 0x3f800000;
const std::uint64_t nan64 = bits(std::nan(""));

}  // namespace

TEST_CASE("cvt between integers extends by the source's sign and cuts off") {
  check("cvt.s32.s16 %d, %ha;", {{0xffff, 0, 0, 0xffffffff}, {0x7fff, 0, 0, 0x7fff}});
  check("cvt.u32.u16 %d, %ha;", {{0xffff, 0, 0, 0xffff}});
  check("cvt.u32.s16 %d, %ha;", {{0x8000, 0, 0, 0xffff8000}});
  check("cvt.s64.s32 %ld, %a;", {{0x80000000, 0, 0, n(-0x80000000LL)}, {1, 0, 0, 1}});
  check("cvt.u64.u32 %ld, %a;", {{0x80000000, 0, 0, 0x80000000}});
  check("cvt.u64.s16 %ld, %ha;", {{0xfffe, 0, 0, n(-2)}});
  check("cvt.u32.u64 %d, %la;", {{0x123456789abcdef0, 0, 0, 0x9abcdef0}});
  check("cvt.u16.u32 %hd, %a;", {{0x12345678, 0, 0, 0x5678}});
  check("cvt.s16.s64 %hd, %la;", {{n(-3), 0, 0, 0xfffd}});
}

TEST_CASE("cvt of bytes works in wider registers, which it fills with the sign or zeroes") {
  check("cvt.u32.u8 %d, %a;", {{0x12345680, 0, 0, 0x80}});
  check("cvt.s32.s8 %d, %a;", {{0x12345680, 0, 0, 0xffffff80}, {0x17f, 0, 0, 0x7f}});
  check("cvt.s8.s32 %d, %a;", {{0x180, 0, 0, 0xffffff80}, {0x27f, 0, 0, 0x7f}});
  check("cvt.u8.u32 %d, %a;", {{0x1ff, 0, 0, 0xff}});
  check("cvt.s16.s8 %hd, %ha;", {{0x12fe, 0, 0, 0xfffe}});
  check("cvt.u16.u8 %hd, %ha;", {{0x12fe, 0, 0, 0x00fe}});
  check("cvt.s64.s8 %ld, %a;", {{0xff, 0, 0, n(-1)}});
  check("cvt.u32.u16 %d, %a;", {{0x12345678, 0, 0, 0x5678}});  // the source register is wider than the source type
}

TEST_CASE("cvt.sat clamps to the destination's range") {
  check("cvt.sat.s8.s32 %d, %a;", {{300, 0, 0, 127}, {n(-300), 0, 0, 0xffffff80}, {5, 0, 0, 5}});
  check("cvt.sat.u8.s32 %d, %a;", {{300, 0, 0, 255}, {n(-1), 0, 0, 0}});
  check("cvt.sat.u32.s32 %d, %a;", {{n(-1), 0, 0, 0}, {7, 0, 0, 7}});
  check("cvt.sat.s32.u32 %d, %a;", {{0xffffffff, 0, 0, 0x7fffffff}});
  check("cvt.sat.s32.s64 %d, %la;", {{0x100000000, 0, 0, 0x7fffffff}, {n(-0x100000000), 0, 0, 0x80000000}});
  check("cvt.sat.u16.s64 %hd, %la;", {{70000, 0, 0, 65535}, {n(-5), 0, 0, 0}});
  check("cvt.sat.f32.f32 %d, %a;",
        {{bits(1.5f), 0, 0, one32}, {bits(-1.0f), 0, 0, 0}, {nan32, 0, 0, 0}, {bits(0.25f), 0, 0, bits(0.25f)}});
  check("cvt.rn.sat.f32.s32 %d, %a;", {{5, 0, 0, one32}, {n(-5), 0, 0, 0}, {1, 0, 0, one32}});
  check("cvt.rn.sat.f32.f64 %d, %la;", {{bits(0.5), 0, 0, bits(0.5f)}, {bits(7.0), 0, 0, one32}, {nan64, 0, 0, 0}});
}

TEST_CASE("cvt from floating point to integers rounds according to its modifier") {
  struct mode {
    const char* name;
    int at[6];  ///< The results for 2.5, 3.5, -2.5, 2.25, -2.25 and -0.75.
  };
  for (const mode& m : {mode{"rni", {2, 4, -2, 2, -2, -1}},
                        {"rzi", {2, 3, -2, 2, -2, 0}},
                        {"rmi", {2, 3, -3, 2, -3, -1}},
                        {"rpi", {3, 4, -2, 3, -2, 0}}}) {
    const double values[] = {2.5, 3.5, -2.5, 2.25, -2.25, -0.75};
    std::vector<row> from32, from64, stays;
    for (int k = 0; k < 6; ++k) {
      const auto x = static_cast<float>(values[k]);
      from32.push_back({bits(x), 0, 0, n(m.at[k])});
      from64.push_back({bits(values[k]), 0, 0, n(m.at[k])});
      // as a float, a negative number keeps its sign even if it becomes zero
      stays.push_back({bits(x), 0, 0, bits(std::copysign(static_cast<float>(m.at[k]), x))});
    }
    const std::string name = std::string("cvt.") + m.name;
    check(name + ".s32.f32 %d, %a;", from32);
    check(name + ".s64.f32 %ld, %a;", from32);
    check(name + ".s32.f64 %d, %la;", from64);
    check(name + ".s64.f64 %ld, %la;", from64);
    check(name + ".f32.f32 %d, %a;", stays);
  }
  check("cvt.rzi.f64.f64 %ld, %la;", {{bits(-1.75), 0, 0, bits(-1.0)}, {bits(1e300), 0, 0, bits(1e300)}});
}

TEST_CASE("cvt from floating point to integers clamps values that are out of range") {
  check("cvt.rzi.s32.f32 %d, %a;", {{bits(3e9f), 0, 0, 0x7fffffff},
                                    {bits(-3e9f), 0, 0, 0x80000000},
                                    {inf32, 0, 0, 0x7fffffff},
                                    {minus_inf32, 0, 0, 0x80000000}});
  check("cvt.rzi.u32.f32 %d, %a;",
        {{bits(5e9f), 0, 0, 0xffffffff}, {bits(-1.0f), 0, 0, 0}, {bits(3e9f), 0, 0, 3000000000}});
  check("cvt.rzi.u64.f32 %ld, %a;",
        {{inf32, 0, 0, n(-1)}, {bits(-5.0f), 0, 0, 0}, {bits(0x1p63f), 0, 0, 0x8000000000000000}});
  check("cvt.rzi.s64.f64 %ld, %la;", {{bits(1e19), 0, 0, 0x7fffffffffffffff}, {bits(-1e19), 0, 0, 0x8000000000000000}});
  check("cvt.rni.u32.f64 %d, %la;",
        {{bits(4294967295.4), 0, 0, 0xffffffff}, {bits(4294967295.5), 0, 0, 0xffffffff}, {bits(-0.4), 0, 0, 0}});
  check("cvt.rni.s32.f64 %d, %la;", {{bits(-2147483648.5), 0, 0, 0x80000000}, {bits(2147483646.5), 0, 0, 0x7ffffffe}});
  check("cvt.rzi.u8.f32 %d, %a;", {{bits(300.0f), 0, 0, 255}, {bits(-1.0f), 0, 0, 0}});
  check("cvt.rzi.s8.f32 %d, %a;", {{bits(-300.0f), 0, 0, 0xffffff80}, {bits(127.9f), 0, 0, 127}});
  check("cvt.rzi.u16.f32 %hd, %a;", {{bits(70000.0f), 0, 0, 0xffff}});
  check("cvt.rzi.ftz.s32.f32 %d, %a;", {{1, 0, 0, 0}, {bits(-7.5f), 0, 0, n(-7)}});
  check("cvt.rpi.ftz.s32.f32 %d, %a;", {{1, 0, 0, 0}});
  check("cvt.rpi.s32.f32 %d, %a;", {{1, 0, 0, 1}});
}

TEST_CASE("a NaN becomes 0 between f32 and up to 32 bits, else the highest bit alone") {
  check("cvt.rzi.s32.f32 %d, %a;", {{nan32, 0, 0, 0}});
  check("cvt.rzi.u32.f32 %d, %a;", {{nan32, 0, 0, 0}});
  check("cvt.rzi.s16.f32 %hd, %a;", {{nan32, 0, 0, 0}});
  check("cvt.rzi.s64.f32 %ld, %a;", {{nan32, 0, 0, 0x8000000000000000}});
  check("cvt.rzi.u64.f32 %ld, %a;", {{nan32, 0, 0, 0x8000000000000000}});
  check("cvt.rzi.s32.f64 %d, %la;", {{nan64, 0, 0, 0x80000000}});
  check("cvt.rzi.u32.f64 %d, %la;", {{nan64, 0, 0, 0x80000000}});
  check("cvt.rzi.s64.f64 %ld, %la;", {{nan64, 0, 0, 0x8000000000000000}});
}

TEST_CASE("cvt from integers to floating point rounds according to its modifier") {
  // 2^24 + 1 and 2^24 + 3 are half way between two floats
  check("cvt.rn.f32.s32 %d, %a;", {{16777217, 0, 0, bits(16777216.0f)},
                                   {16777219, 0, 0, bits(16777220.0f)},
                                   {n(-16777217), 0, 0, bits(-16777216.0f)},
                                   {0x80000000, 0, 0, bits(-0x1p31f)}});
  check("cvt.rz.f32.s32 %d, %a;", {{16777219, 0, 0, bits(16777218.0f)}, {n(-16777219), 0, 0, bits(-16777218.0f)}});
  check("cvt.rm.f32.s32 %d, %a;", {{16777217, 0, 0, bits(16777216.0f)}, {n(-16777217), 0, 0, bits(-16777218.0f)}});
  check("cvt.rp.f32.s32 %d, %a;", {{16777217, 0, 0, bits(16777218.0f)}, {n(-16777217), 0, 0, bits(-16777216.0f)}});
  check("cvt.rn.f32.u32 %d, %a;",
        {{0xffffffff, 0, 0, bits(0x1p32f)}, {0x80000000, 0, 0, bits(0x1p31f)}, {1, 0, 0, one32}});
  check("cvt.rz.f32.u32 %d, %a;", {{0xffffffff, 0, 0, bits(0x1.fffffep31f)}, {0x80000081, 0, 0, bits(0x1p31f)}});
  check("cvt.rp.f32.u32 %d, %a;", {{0x80000001, 0, 0, bits(0x1.000002p31f)}});
  check("cvt.rn.f32.u64 %d, %la;", {{n(-1), 0, 0, bits(0x1p64f)},
                                    {0x8000008000000000, 0, 0, bits(0x1p63f)},
                                    {0x8000008000000001, 0, 0, bits(0x1.000002p63f)}});
  check("cvt.rz.f32.u64 %d, %la;", {{n(-1), 0, 0, bits(0x1.fffffep63f)}});
  check("cvt.rp.f32.u64 %d, %la;", {{0x8000000000000001, 0, 0, bits(0x1.000002p63f)}});
  check("cvt.rm.f32.s64 %d, %la;", {{n(-1), 0, 0, bits(-1.0f)}, {n(-0x7fffffffffffffff), 0, 0, bits(-0x1p63f)}});
  check("cvt.rn.f64.s32 %ld, %a;", {{n(-5), 0, 0, bits(-5.0)}});
  check("cvt.rn.f64.u32 %ld, %a;", {{0xffffffff, 0, 0, bits(4294967295.0)}});
  check("cvt.rn.f64.u64 %ld, %la;", {{n(-1), 0, 0, bits(0x1p64)},
                                     {0x8000000000000401, 0, 0, bits(0x1.0000000000001p63)},
                                     {0x8000000000000400, 0, 0, bits(0x1p63)}});
  check("cvt.rz.f64.s64 %ld, %la;", {{0x7fffffffffffffff, 0, 0, bits(0x1.fffffffffffffp62)}});
  check("cvt.rn.f32.s16 %d, %ha;", {{0xffff, 0, 0, bits(-1.0f)}});
  check("cvt.rn.f32.u8 %d, %a;", {{0x1ff, 0, 0, bits(255.0f)}});
}

TEST_CASE("cvt between f32 and f64 rounds, flushes, and does not change exact values") {
  check("cvt.f64.f32 %ld, %a;", {{bits(0.1f), 0, 0, bits(static_cast<double>(0.1f))},
                                 {1, 0, 0, bits(0x1p-149)},
                                 {minus_inf32, 0, 0, bits(-INFINITY * 1.0)}});
  check("cvt.ftz.f64.f32 %ld, %a;", {{1, 0, 0, 0}, {0x80000001, 0, 0, bits(-0.0)}});
  const double above = 1 + 0x1p-24 + 0x1p-40;  // more than half way to the next float
  check("cvt.rn.f32.f64 %d, %la;", {{bits(above), 0, 0, one32 + 1},
                                    {bits(1 + 0x1p-24), 0, 0, one32},
                                    {bits(1e300), 0, 0, inf32},
                                    {bits(0x1p-149), 0, 0, 1},
                                    {nan64, 0, 0, 0x7fffffff}});
  check("cvt.rz.f32.f64 %d, %la;",
        {{bits(above), 0, 0, one32}, {bits(-above), 0, 0, bits(-1.0f)}, {bits(1e300), 0, 0, 0x7f7fffff}});
  check("cvt.rm.f32.f64 %d, %la;", {{bits(-1 - 0x1p-40), 0, 0, bits(-1.0f) + 1}, {bits(above), 0, 0, one32}});
  check("cvt.rp.f32.f64 %d, %la;", {{bits(1 + 0x1p-40), 0, 0, one32 + 1}, {bits(-above), 0, 0, bits(-1.0f)}});
  check("cvt.rn.ftz.f32.f64 %d, %la;",
        {{bits(0x1p-140), 0, 0, 0}, {bits(-0x1p-140), 0, 0, 0x80000000}, {bits(0.5), 0, 0, bits(0.5f)}});
  check("cvt.ftz.f32.f32 %d, %a;", {{1, 0, 0, 0}, {0x80000001, 0, 0, 0x80000000}, {one32, 0, 0, one32}});
  check("cvt.f32.f32 %d, %a;", {{1, 0, 0, 1}});
}

TEST_CASE("mov packs and unpacks") {
  check("mov.b64 %ld, {%a, %b};", {{0x11111111, 0x22222222, 0, 0x2222222211111111}});
  check("mov.b64 {%d, %r0}, %la;", {{0x2222222211111111, 0, 0, 0x11111111}});
  check("mov.b64 {%r0, %d}, %la;", {{0x2222222211111111, 0, 0, 0x22222222}});
  check("mov.b64 {_, %d}, %la;", {{0x2222222211111111, 0, 0, 0x22222222}});
  check("mov.b32 %d, {%ha, %hb};", {{0x1111, 0x2222, 0, 0x22221111}});
  check("mov.b32 {%hd, %h0}, %a;", {{0x22221111, 0, 0, 0x1111}});
  check("mov.b32 {%h0, %hd}, %a;", {{0x22221111, 0, 0, 0x2222}});
  check("mov.b64 %ld, {%ha, %hb, %hc, %ha};", {{0x1111, 0x2222, 0x3333, 0x1111333322221111}});
  check("mov.b64 {%h0, %h1, %h2, %hd}, %la;", {{0x4444333322221111, 0, 0, 0x4444}});
  check("mov.b64 %ld, {%b, %a};\nmov.b64 {%r0, %r1}, %ld;\nmov.b64 %ld, {%r1, %r0};", {{1, 2, 0, 0x200000001}});
}

TEST_CASE("mov takes literals of every kind") {
  check("mov.u32 %d, 42;", {{0, 0, 0, 42}});
  check("mov.s32 %d, -1;", {{0, 0, 0, 0xffffffff}});
  check("mov.u32 %d, 0xFFU;", {{0, 0, 0, 255}});
  check("mov.u32 %d, 0b101;", {{0, 0, 0, 5}});
  check("mov.u32 %d, 017;", {{0, 0, 0, 15}});
  check("mov.f32 %d, 0f3FC00000;", {{0, 0, 0, bits(1.5f)}});
  check("mov.f32 %d, 1.5;", {{0, 0, 0, bits(1.5f)}});
  check("mov.f64 %ld, 0d3FF8000000000000;", {{0, 0, 0, bits(1.5)}});
  check("mov.f64 %ld, 0f3FC00000;", {{0, 0, 0, bits(1.5)}});
  check("mov.s64 %ld, -2;", {{0, 0, 0, n(-2)}});
  check("mov.u16 %hd, 65535;", {{0, 0, 0, 0xffff}});
  check("mov.u32 %d, WARP_SZ;", {{0, 0, 0, 32}});
}

}  // namespace emulator::simt::test
