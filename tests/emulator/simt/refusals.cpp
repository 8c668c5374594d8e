// PTX that no compiler would write is refused with a message when it is executed, and never accesses the wrong bytes.

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

using namespace emulator::simt::test;

TEST_CASE("registers of another width than the instruction's are refused") {
  for (const char* text : {"add.u64 %w0, %w1, %r0;", "add.u32 %w0, %r0, %r1;", "and.pred %p0, %p1, %r0;",
                           "mov.b32 %r0, %p0;", "popc.b64 %r0, %r1;", "ld.global.v2.u32 {%r0, %w0}, [%out];",
                           "ld.global.u32 %h0, [%out];", "atom.global.add.u32 %w0, [%out], 1;"}) {
    INFO(text);
    CHECK_THAT(run(text).error, ContainsSubstring("width") || ContainsSubstring("too narrow"));
  }
}

TEST_CASE("a register may be wider than the loaded, stored or converted value") {
  CHECK(run("ld.global.u8 %w0, [%out];\nst.global.u8 [%out], %w0;\ncvt.u16.u32 %r0, %w0;").error.empty());
}

TEST_CASE("operands that are missing, and vectors that do not fit, are refused") {
  for (const char* text : {"ld.global.u32 %r0;", "st.global.v4.u32 [%out], {%r0, %r1};", "bar.sync;",
                           "setp.eq.u32 %p0;", "mov.b64 %w0, {%r0, %r1, %r2};", "add.u32 _, %r0, %r1;"}) {
    INFO(text);
    CHECK_FALSE(run(text).error.empty());
  }
}

TEST_CASE("a call's parameters cannot be read past their end") {
  const ptx_launch wanted{.body = R"(
    { .param .b32 value;
      st.param.b32 [value+0], %t;
      ld.param.b64 %w0, [value+4096]; })"};
  CHECK_FALSE(run(wanted).error.empty());
}
