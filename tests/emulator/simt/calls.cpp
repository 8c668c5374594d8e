// Functions that cannot be inlined, and mbarrier objects, which make lanes wait for each other without a barrier.

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

namespace {

constexpr const char* factorial = R"(
.func (.param .b32 result) factorial(.param .b32 n)
{
  .reg .pred %less;
  .reg .b32 %v<5>;
  .param .b32 down;
  .param .b32 up;
  ld.param.u32 %v0, [n];
  mov.u32 %v1, 1;
  setp.lt.u32 %less, %v0, 2;
  @%less bra DONE;
  sub.u32 %v2, %v0, 1;
  st.param.b32 [down], %v2;
  call (up), factorial, (down);
  ld.param.b32 %v3, [up];
  mul.lo.u32 %v1, %v0, %v3;
DONE:
  st.param.b32 [result], %v1;
  ret;
}
.func (.param .b32 result) twice(.param .b32 n)
{
  .reg .b32 %v0;
  ld.param.u32 %v0, [n];
  add.u32 %v0, %v0, %v0;
  st.param.b32 [result], %v0;
  ret;
}
.global .align 8 .u64 table[2] = {factorial, twice};
)";

}  // namespace

TEST_CASE("each lane recurses to its own depth, and all reconverge after the call") {
  ptx_launch wanted{.body = R"(
    .param .b32 given;
    .param .b32 got;
    rem.u32 %r0, %lane, 11;
    mov.u32 %r5, %r0;
    st.param.b32 [given], %r0;
    call (got), factorial, (given);
    ld.param.b32 %r1, [got];
    st.global.b32 [%out], %r1;
    st.global.b32 [%out+4], %r5;
    activemask.b32 %r2;
    st.global.b32 [%out+8], %r2;)",
                    .declarations = factorial};
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::uint32_t expected = 1;
    for (std::uint32_t k = 2; k <= lane % 11; ++k) expected *= k;
    CHECK(r.word(lane, 0) == expected);
    CHECK(r.word(lane, 1) == lane % 11);  // the caller keeps its own registers
    CHECK(r.word(lane, 2) == 0xffffffffu);
  }
  // Lanes that start with 10 make nine more calls, and lanes with smaller numbers join in some of them. The kernel's
  // own call does not count as an iteration.
  CHECK_THAT(r.seen, ContainsSubstring("workbook__loop_branches.sum 9\n"));
}

TEST_CASE("lanes call different functions through a pointer, some of them none") {
  ptx_launch wanted{.body = R"(
    .param .b32 given;
    .param .b32 got;
    and.b32 %r0, %lane, 1;
    mul.wide.u32 %w0, %r0, 8;
    mov.u64 %w1, table;
    add.u64 %w1, %w1, %w0;
    ld.global.u64 %w2, [%w1];
    mov.u32 %r3, 5;
    st.param.b32 [given], %r3;
    mov.u32 %r1, 7;
    setp.ge.u32 %p0, %lane, 24;
    @%p0 bra PAST;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (got), %w2, (given), prototype;
    ld.param.b32 %r1, [got];
  PAST:
    st.global.b32 [%out], %r1;)",
                    .declarations = factorial};
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(r.word(lane) == (lane >= 24 ? 7u : lane % 2 == 0 ? 120u : 10u));
  wanted.body = "mov.u64 %w2, 64;\nprototype: .callprototype _ ();\ncall %w2, (), prototype;";
  CHECK_THAT(run(wanted).error, ContainsSubstring("a pointer that leads to no function"));
}

TEST_CASE("a barrier object opens when all have arrived, and distinguishes its phases") {
  const ptx_launch wanted{.body = R"(
    setp.eq.u32 %p0, %t, 0;
    mov.u32 %r0, object;
    @%p0 mbarrier.init.shared.b64 [%r0], 64;
    bar.sync 0;
    mov.u32 %r9, 0;
    setp.ge.u32 %p1, %t, 32;
    @%p1 bra SECOND;
    mbarrier.arrive.shared.b64 %w0, [%r0];
    mbarrier.test_wait.shared.b64 %p2, [%r0], %w0;
    selp.u32 %r9, 1, 0, %p2;
    bar.sync 1;
  WAIT:
    mbarrier.try_wait.shared.b64 %p2, [%r0], %w0;
    @!%p2 bra WAIT;
    bra DONE;
  SECOND:
    bar.sync 1;
    mbarrier.arrive.shared.b64 %w0, [%r0];
  PARITY:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 0;
    @!%p2 bra PARITY;
  DONE:
    mbarrier.test_wait.parity.shared.b64 %p3, [%r0], 1;
    selp.u32 %r8, 1, 0, %p3;
    st.global.b32 [%out], %r9;
    st.global.b32 [%out+4], %r8;)",
                          .declarations = ".shared .align 8 .b64 object;\n",
                          .threads = 64};
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 64; ++t) {
    CHECK(r.word(t, 0) == 0);  // no thread of the second warp had arrived when the first warp tested
    CHECK(r.word(t, 1) == 0);  // the second phase is not over
  }
}

TEST_CASE("a barrier object must be in shared memory") {
  CHECK_THAT(run("mbarrier.init.b64 [%out], 1;").error, ContainsSubstring("barrier object"));
}

}  // namespace emulator::simt::test
