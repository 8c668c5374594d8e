// Tests which indices are reported because they are computed in 32 bits, and which are accepted.

#include "emulator/ptx/module.hpp"
#include "emulator/ptx/snippet.hpp"
#include "support/catch.hpp"

using namespace emulator::ptx;
using namespace emulator::ptx::test;

namespace {

/// Returns the number of findings. In the body, %r1 is the block index, %r2 the block size, %r3 the thread index, and
/// %rd1 an array.
std::size_t found_in(const std::string& body) {
  return narrow_indices(kernel("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n" + body)).size();
}

}  // namespace

TEST_CASE("a 32-bit product of block number and width that is widened afterwards is reported") {
  CHECK(found_in("mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
                 "ld.global.u32 %r5, [%rd3];") == 1);
  CHECK(found_in("mul.lo.s32 %r4, %r2, %r1; add.s32 %r4, %r4, %r3; cvt.u64.u32 %rd2, %r4; shl.b64 %rd2, %rd2, 2;"
                 "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5;") == 1);
  // If the compiler knows the block size, it uses a shift instead of a multiplication.
  CHECK(found_in("shl.b32 %r4, %r1, 8; or.b32 %r4, %r4, %r3; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
                 "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3+16];") == 1);
  // A loop variable has several values, one of which is the product of block index and block size.
  CHECK(
      found_in("mov.u32 %r4, 0; again: mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];"
               "mad.lo.s32 %r4, %r1, %r2, %r4; bra again;") == 1);
}

TEST_CASE("indices that are widened before the multiplication, or that only count blocks, are right") {
  CHECK(found_in("mul.wide.u32 %rd2, %r1, %r2; cvt.u64.u32 %rd4, %r3; add.s64 %rd2, %rd2, %rd4; shl.b64 %rd2, %rd2, 2;"
                 "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];") == 0);
  CHECK(found_in("mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5;") == 0);
  CHECK(found_in("shl.b32 %r4, %r1, 1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
                 "st.global.u32 [%rd3], %r5;") == 0);
  CHECK(found_in("mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];") == 0);
  // Indices into shared memory are fine, because it is small.
  CHECK(found_in("mad.lo.s32 %r4, %r1, %r2, %r3; ld.shared.u32 %r5, [%r4];") == 0);
}

TEST_CASE("a column of 32 bits in a row that is found in 64 bits is all right") {
  const std::string place =
      "mad.lo.s32 %r4, %r1, %r2, %r3; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ntid.y;"
      "mad.lo.s32 %r7, %r5, %r6, %r8; add.s32 %r7, %r7, %r9;";
  const std::string store = "shl.b64 %rd2, %rd2, 2; add.s64 %rd3, %rd1, %rd2; st.global.u8 [%rd3+1], %r10;";
  // The width may be a constant or a variable, and the row may be added to the array's address first.
  CHECK(found_in(place + "mul.wide.u32 %rd4, %r7, 61440; cvt.u64.u32 %rd5, %r4; add.s64 %rd2, %rd4, %rd5;" + store) ==
        0);
  CHECK(found_in(place + "cvt.u64.u32 %rd4, %r7; cvt.u64.u32 %rd5, %r4; mad.lo.s64 %rd2, %rd4, %rd6, %rd5;" + store) ==
        0);
  CHECK(found_in(place + "mul.wide.s32 %rd4, %r7, %r11; add.s64 %rd1, %rd1, %rd4; mul.wide.s32 %rd2, %r4, 4;"
                         "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r10, [%rd3];") == 0);
  // Row and column are combined in 32 bits, and widened only afterwards.
  CHECK(found_in(place + "mad.lo.s32 %r12, %r7, %r11, %r4; cvt.u64.u32 %rd2, %r12;" + store) == 1);
}
