// PTX ISA, "Warp-level Matrix Instructions": where elements are stored, and the results of inexact sums. All forms are
// compared with the results of an H100 in tests/kernels/hardware_comparison/matrix_forms.py.

#include <bit>
#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

using namespace emulator::simt::test;

namespace {

/// Fills `tile` with 32 rows of 8 halves, in which element (row, column) is 8 * row + column, and sets %r1 to the
/// lane's row.
const std::string fill_tile = R"(
  mov.u32 %r1, tile;
  mad.lo.u32 %r1, %lane, 16, %r1;
  mul.lo.u32 %r2, %lane, 524296;
  add.u32 %r2, %r2, 65536;
  add.u32 %r3, %r2, 131074;
  add.u32 %r4, %r3, 131074;
  add.u32 %r5, %r4, 131074;
  st.shared.v4.u32 [%r1], {%r2, %r3, %r4, %r5};
  bar.warp.sync 0xffffffff;
)";
const std::string tile = ".shared .align 16 .b8 tile[512];";

std::uint32_t pair(unsigned low, unsigned high) {
  return low | high << 16;
}

/// Returns the bits of D's first element for mma.m16n8k8 of halves. All elements of A are `a`, of B `b`, of C `c`.
std::uint32_t uniform_product(std::uint32_t a, std::uint32_t b, const std::string& c) {
  const std::string left = std::to_string(pair(a, a)), right = std::to_string(pair(b, b));
  const ptx_result r =
      run(".reg .f32 %f<8>;\nmov.f32 %f0, " + c + ";\nmov.b32 %r0, " + left + ";\nmov.b32 %r1, " + right +
          ";\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r1}, "
          "{%f0, %f0, %f0, %f0};\nst.global.f32 [%out], %f1;\nst.global.f32 [%out+4], %f4;");
  REQUIRE(r.error.empty());
  CHECK(r.column(32) == r.column(32, 1));
  return r.word(31);
}

}  // namespace

TEST_CASE("ldmatrix: a lane names a row, and has two neighbours of one; with .trans, of a column") {
  const ptx_result r = run(ptx_launch{.body = fill_tile + R"(
      ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%r1];
      ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r8}, [%r1];
      st.global.u32 [%out], %r6;
      st.global.u32 [%out+4], %r7;
      st.global.u32 [%out+8], %r8;)",
                                      .declarations = tile});
  REQUIRE(r.error.empty());
  for (unsigned lane = 0; lane < 32; ++lane) {
    CAPTURE(lane);
    const unsigned row = lane / 4, column = lane % 4 * 2;
    CHECK(r.word(lane) == pair(8 * row + column, 8 * row + column + 1));
    CHECK(r.word(lane, 1) == pair(8 * (row + 8) + column, 8 * (row + 8) + column + 1));
    CHECK(r.word(lane, 2) == pair(8 * column + row, 8 * (column + 1) + row));
  }
}

TEST_CASE("stmatrix stores the same values that ldmatrix has loaded") {
  const ptx_result r = run(ptx_launch{.body = fill_tile + R"(
      ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r1];
      st.shared.v4.u32 [%r1], {%r10, %r10, %r10, %r10};
      bar.warp.sync 0xffffffff;
      stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r6, %r7, %r8, %r9};
      bar.warp.sync 0xffffffff;
      ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r1];
      st.global.u32 [%out], %r11;
      st.global.u32 [%out+4], %r14;)",
                                      .declarations = tile});
  REQUIRE(r.error.empty());
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(r.word(lane) == pair(8 * lane, 8 * lane + 1));
    CHECK(r.word(lane, 1) == pair(8 * lane + 6, 8 * lane + 7));
  }
}

TEST_CASE("mma adds up all products at once: it keeps values that a chain loses, but not those that are too small") {
  constexpr std::uint32_t one = 0x3c00, two_to_minus_12 = 0x0c00, two_to_minus_13 = 0x0800;
  // 8 products of 2^-24 are 2^-21. Added to 1 one by one in single precision, each of them would be rounded away.
  CHECK(uniform_product(two_to_minus_12, two_to_minus_12, "0f3F800000") == 0x3f800000u + 4);
  // 8 products of 2^-26 are 2^-23, which a float next to 1 can represent. But each of them is truncated after bit
  // 2^-25.
  CHECK(uniform_product(two_to_minus_13, two_to_minus_13, "0f3F800000") == 0x3f800000u);
  // 8 products of 2^-25 are 2^-22, which is kept next to C = 1. Next to C = 2, each of the products is truncated.
  CHECK(uniform_product(two_to_minus_12, two_to_minus_13, "0f3F800000") == 0x3f800002u);
  CHECK(uniform_product(two_to_minus_13, two_to_minus_12, "0f40000000") == 0x40000000u);
  // The sum is truncated, not rounded: 8 + 15/16 * 2^-20 becomes 8.
  CHECK(uniform_product(one, one, "0f35700000") == 0x41000000u);
}

TEST_CASE("mma of bytes wraps around, or saturates with its modifier") {
  const auto last = [](const std::string& saturating) {
    const ptx_result r =
        run("mov.b32 %r0, 0x7f7f7f7f;\nmov.b32 %r1, 0x7fffffff;\nmma.sync.aligned.m8n8k16.row.col" + saturating +
            ".s32.s8.u8.s32 {%r2, %r3}, {%r0}, {%r0}, {%r1, %r1};\nst.global.u32 [%out], %r3;");
    REQUIRE(r.error.empty());
    return r.word(17);
  };
  CHECK(last("") == 0x7fffffffu + 16 * 127 * 127);
  CHECK(last(".satfinite") == 0x7fffffffu);
}

TEST_CASE("lanes that the emulator lets go while one polls come together again at an operation on matrices") {
  const ptx_result r = run(ptx_launch{.body = R"(
      setp.eq.u32 %p0, %lane, 0;
      @%p0 st.shared.u32 [flag], 0;
      bar.warp.sync 0xffffffff;
      setp.ne.u32 %p1, %lane, 3;
      @%p1 bra behind;
      poll:
      ld.volatile.shared.u32 %r0, [flag];
      setp.eq.u32 %p2, %r0, 0;
      @%p2 bra poll;
      behind:
      setp.eq.u32 %p3, %lane, 5;
      @%p3 st.volatile.shared.u32 [flag], 1;
      movmatrix.sync.aligned.m8n8.trans.b16 %r1, %lane;
      st.global.u32 [%out], %r1;)",
                                      .declarations = ".shared .align 4 .u32 flag;"});
  REQUIRE(r.error.empty());
  // A lane's number is the first of its two elements; the second is zero.
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4, column = lane % 4 * 2;
    CHECK(r.word(lane) == (row % 2 == 0 ? pair(column * 4 + row / 2, (column + 1) * 4 + row / 2) : 0));
  }
}

TEST_CASE("an operation on matrices without all 32 lanes is a fault that names the missing ones") {
  const std::string transpose = "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;";
  CHECK_THAT(run(transpose, 40).error, ContainsSubstring("lanes 8-31 do not exist"));
  CHECK_THAT(run("setp.gt.u32 %p0, %lane, 3;\n@%p0 exit;\n" + transpose).error,
             ContainsSubstring("lanes 4-31 have left the kernel"));
  CHECK_THAT(run("setp.ne.u32 %p0, %lane, 9;\n@%p0 " + transpose).error,
             ContainsSubstring("lane 9 does not come with the others"));
}

TEST_CASE("forms that tensor cores do not have, or this emulator does not, are refused by name") {
  for (const char* text :
       {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r2}, {%r2,%r2}, {%r2,%r2}, %r2, 0;",
        "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r0,%r1}, {%r2}, {%r2}, {%r2,%r2};",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r0}, {%r2}, {%r2}, {%r2};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 {%r0}, {%r2}, {%r2}, {%r2};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0}, {%r2,%r2}, {%r2}, {%r2,%r2};",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f64 {%w0}, [%out], %r1;",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r2];",
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r0, %r1}, %w0, %w1, 1, 1, 1, 0, 0;"}) {
    const std::string name = std::string(text).substr(0, std::string(text).find(' '));
    CHECK_THAT(run(text).error, ContainsSubstring(name));
  }
}
