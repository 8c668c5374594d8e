// PTX ISA, "Video Instructions" and "SIMD Video Instructions", and packed 16-bit integers. Expected values are derived
// by hand for each part.

#include <cstdint>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

TEST_CASE("packed halves are added, and the smaller and larger ones chosen, each on its own") {
  check("add.u16x2 %d, %a, %b;", {{0xffff0001, 0x00010002, 0, 0x00000003}, {0x80007fff, 0x80000001, 0, 0x00008000}});
  check("add.s16x2 %d, %a, %b;", {{0x7fffffff, 0x00010001, 0, 0x80000000}});
  check("min.s16x2 %d, %a, %b;", {{0x8000'0005, 0x0001'fff0, 0, 0x8000'fff0}});
  check("max.s16x2 %d, %a, %b;", {{0x8000'0005, 0x0001'fff0, 0, 0x0001'0005}});
  check("min.u16x2 %d, %a, %b;", {{0x8000'0005, 0x0001'fff0, 0, 0x0001'0005}});
  check("max.u16x2 %d, %a, %b;", {{0x8000'0005, 0x0001'fff0, 0, 0x8000'fff0}});
}

TEST_CASE("relu replaces negative values by zero, in halves and in words") {
  check("max.s16x2.relu %d, %a, %b;", {{0x8000'0005, 0xffff'fff0, 0, 0x0000'0005}});
  check("min.s16x2.relu %d, %a, %b;", {{0x0007'0005, 0x0009'fff0, 0, 0x0007'0000}});
  check("max.s32.relu %d, %a, %b;", {{n(-5), n(-7), 0, 0}, {n(-5), 7, 0, 7}});
  check("min.s32.relu %d, %a, %b;", {{n(-5), 7, 0, 0}, {9, 7, 0, 7}});
}

TEST_CASE("the parts of two registers are combined, four bytes or two halves") {
  // 0x10 - 0xf0, 0x80 - 0x01, 0x05 - 0x07, 0xff - 0xff, unsigned and signed
  check("vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", {{0x108005ff, 0xf00107ff, 0, 0xe07f0200}});
  check("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", {{0x108005ff, 0xf00107ff, 1000, 1000 + 0xe0 + 0x7f + 2}});
  check("vabsdiff4.s32.s32.s32 %d, %a, %b, %c;", {{0x108005ff, 0xf00107ff, 0, 0x20810200}});
  check("vadd4.u32.u32.u32.sat %d, %a, %b, %c;", {{0xff800102, 0x02800304, 0, 0xffff0406}});
  check("vadd4.s32.s32.s32.sat %d, %a, %b, %c;", {{0x7f800102, 0x02800304, 0, 0x7f800406}});
  check("vadd4.u32.u32.u32 %d, %a, %b, %c;", {{0xff800102, 0x02800304, 0, 0x01000406}});
  check("vsub4.u32.u32.u32.sat %d, %a, %b, %c;", {{0x05030201, 0x04030402, 0, 0x01000000}});
  check("vavrg4.u32.u32.u32 %d, %a, %b, %c;", {{0x05030200, 0x04030403, 0, 0x05030302}});
  check("vavrg2.s32.s32.s32 %d, %a, %b, %c;", {{0xfffd'0003, 0x0000'0004, 0, 0xfffe'0004}});  // -3 >> 1; 8 >> 1
  check("vmin4.s32.s32.s32 %d, %a, %b, %c;", {{0x80017f00, 0x7fff00ff, 0, 0x80ff00ff}});
  check("vmax2.u32.u32.u32 %d, %a, %b, %c;", {{0x8000'0005, 0x0001'fff0, 0, 0x8000'fff0}});
}

TEST_CASE("a comparison of parts gives ones, or their number") {
  check("vset4.u32.u32.eq %d, %a, %b, %c;", {{0x01020304, 0x01ff0305, 0, 0x01000100}});
  check("vset4.u32.u32.ge.add %d, %a, %b, %c;", {{0x01020304, 0x01ff0305, 40, 42}});
  check("vset2.s32.s32.lt %d, %a, %b, %c;", {{0x8000'0005, 0x0001'0004, 0, 0x0001'0000}});
}

TEST_CASE("selectors choose which parts are read and written") {
  // h3 is the upper half of b and h0 the lower half of a; the other half of the result comes from c
  check("vadd2.u32.u32.u32 %d.h1, %a.h00, %b.h32, %c;", {{0x0005'0007, 0x0100'0200, 0x1234'5678, 0x0107'5678}});
  check("vmax4.u32.u32.u32 %d.b20, %a.b0123, %b.b7654, %c;", {{0x01020304, 0, 0xaabbccdd, 0xaa03cc01}});
  check("vadd.u32.u32.u32 %d, %a.b1, %b.h1;", {{0x0000'ab00, 0x0102'0000, 0, 0xab + 0x0102}});
  check("vsub.s32.s32.s32 %d, %a.b3, %b.b0;", {{0xfe000000, 0x05, 0, n(-7)}});
  check("vadd.u32.u32.u32 %d.b2, %a, %b, %c;", {{200, 100, 0x11223344, 0x112c3344}});
}

TEST_CASE("scalar video instructions take a third operand") {
  check("vabsdiff.u32.s32.s32 %d, %a, %b;", {{n(-5), 7, 0, 12}, {0x80000000, 0x7fffffff, 0, 0xffffffff}});
  check("vmax.u32.u32.u32.add %d, %a, %b, %c;", {{9, 4, 100, 109}});
  check("vset.s32.u32.lt %d, %a, %b;", {{n(-1), 5, 0, 1}, {6, 5, 0, 0}});
  check("vshl.u32.u32.u32.clamp %d, %a, %b;", {{3, 4, 0, 48}, {3, 40, 0, 0}});
  check("vshl.u32.u32.u32.wrap %d, %a, %b;", {{3, 36, 0, 48}});
  check("vshr.s32.s32.u32.clamp %d, %a, %b;", {{n(-64), 4, 0, n(-4)}, {n(-64), 99, 0, n(-1)}});
  check("vmad.u32.u32.u32 %d, %a.h0, %b.h1, %c;", {{300, 0x0010'0000, 5, 4805}});
  check("vmad.s32.s32.s32.po %d, %a, %b, %c;", {{n(-64), 4, 127, n(-128)}});  // -256 + 127 + 1
}

TEST_CASE("a selector after an operand of other instructions is refused") {
  CHECK_THAT(run("add.u32 %d, %a.b0, %b;").error, ContainsSubstring("a part of the register %a"));
  CHECK_THAT(run("vadd2.u32.u32.u32 %d, %a.h04, %b, %c;").error, ContainsSubstring("selector .h04"));
}

TEST_CASE("scalar forms in which GPUs differ from the manual are refused") {
  for (const char* form : {"vadd.u32.u32.u32.sat %d, %a, %b;", "vsub.u32.u32.u32.sat %d.b2, %a.b3, %b.b1, %c;",
                           "vmin.s32.s32.s32.max %d, %a, %b, %c;", "vset.u32.u32.lt.min %d, %a, %b, %c;",
                           "vadd.s32.s32.s32 %d.h1, %a, %b.h0, %c;", "vmad.s32.s32.s32.shr7 %d, %a, %b, %c;",
                           "vmad.u32.u32.u32.po.sat %d, %a.b0, %b.b3, %c;"}) {
    INFO(form);
    CHECK_THAT(run(form).error, ContainsSubstring("GPUs give something else than the manual says"));
  }
}

}  // namespace emulator::simt::test
