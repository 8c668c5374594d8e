// PTX ISA, "bar.warp.sync" and the barriers of a block among diverged lanes; progress of lanes that wait for other
// lanes of their own warp (CUDA's independent thread scheduling).

#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint32_t all = 0xffffffff;

}  // namespace

TEST_CASE("warps that leave before a loop with barriers do not hold it up") {
  const ptx_result r = run(R"(
    .shared .align 4 .b8 sum[4];
    setp.ge.u32 %p0, %t, 64;
    @%p0 bra OUT;
    mov.u32 %r0, 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 st.shared.u32 [sum], 0;
    LOOP:
    bar.sync 0;
    @%p1 red.shared.add.u32 [sum], 5;
    bar.sync 0;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p2, %r0, 4;
    @%p2 bra LOOP;
    ld.shared.u32 %r1, [sum];
    st.global.b32 [%out], %r1;
    OUT:
    activemask.b32 %r2;
    st.global.b32 [%out+4], %r2;)",
                           160);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 160; ++t) {
    CHECK(r.word(t, 0) == (t < 64 ? 20u : untouched));
    CHECK(r.word(t, 1) == all);
  }
}

TEST_CASE("bar.warp.sync joins halves that wait at different instructions") {
  // Each half writes what the other half reads. The barriers are in different branches.
  const ptx_result r = run(R"(
    .shared .align 4 .b8 tile[128];
    mov.u64 %w0, tile;
    mul.wide.u32 %w1, %lane, 4;
    add.u64 %w1, %w0, %w1;
    xor.b32 %r1, %lane, 16;
    mul.wide.u32 %w2, %r1, 4;
    add.u64 %w2, %w0, %w2;
    setp.lt.u32 %p0, %lane, 16;
    @%p0 bra LOW;
    add.u32 %r0, %lane, 1000;
    st.shared.u32 [%w1], %r0;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r2, [%w2];
    bra.uni JOIN;
    LOW:
    add.u32 %r0, %lane, 2000;
    st.shared.u32 [%w1], %r0;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r2, [%w2];
    JOIN:
    activemask.b32 %r3;
    st.global.v2.b32 [%out], {%r2, %r3};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l < 16 ? 1000 + l + 16 : 2000 + l - 16));
    CHECK(r.word(l, 1) == all);
  }
}

TEST_CASE("bar.warp.sync with a mask joins those lanes only") {
  // Lanes 0-7 wait for each other, although they arrive on two paths. They don't wait for the other lanes, which spin
  // until lanes 0-7 have finished.
  const ptx_result r = run(R"(
    .shared .align 4 .b8 flag[4];
    setp.eq.u32 %p0, %lane, 0;
    @%p0 st.shared.u32 [flag], 0;
    bar.warp.sync -1;
    setp.ge.u32 %p1, %lane, 8;
    @%p1 bra SPIN;
    setp.lt.u32 %p2, %lane, 4;
    @%p2 bra FIRST;
    bar.warp.sync 0xff;
    bra.uni JOIN;
    FIRST:
    bar.warp.sync 0xff;
    @%p0 st.volatile.shared.u32 [flag], 1;
    bra.uni JOIN;
    SPIN:
    ld.volatile.shared.u32 %r0, [flag];
    setp.eq.u32 %p3, %r0, 0;
    @%p3 bra SPIN;
    JOIN:
    bar.warp.sync -1;
    activemask.b32 %r1;
    st.global.b32 [%out], %r1;)");
  REQUIRE(r.error.empty());
  CHECK(r.word(0) == all);
  CHECK(r.word(31) == all);
}

TEST_CASE("lanes of one warp make progress while others of it spin") {
  // Lane 0 produces eight values and lane 1 consumes them. Each spins until the other one is ready. Whichever side of
  // the branch runs first, the other side must be able to run, too.
  for (const std::string producer : {"0", "1"}) {
    const ptx_result r = run(R"(
      .shared .align 4 .b8 full[4];
      .shared .align 4 .b8 value[4];
      setp.eq.u32 %p0, %lane, 0;
      @%p0 st.volatile.shared.u32 [full], 0;
      bar.warp.sync -1;
      setp.gt.u32 %p9, %lane, 1;
      mov.u32 %r0, 0;
      mov.u32 %r1, 0;
      @%p9 bra JOIN;
      setp.eq.u32 %p1, %lane, )" +
                             producer + R"(;
      @%p1 bra PRODUCE;
      CONSUME:
      ld.volatile.shared.u32 %r2, [full];
      setp.eq.u32 %p2, %r2, 0;
      @%p2 bra CONSUME;
      ld.volatile.shared.u32 %r3, [value];
      mad.lo.u32 %r1, %r1, 3, %r3;
      st.volatile.shared.u32 [full], 0;
      add.u32 %r0, %r0, 1;
      setp.lt.u32 %p3, %r0, 8;
      @%p3 bra CONSUME;
      bra.uni JOIN;
      PRODUCE:
      ld.volatile.shared.u32 %r2, [full];
      setp.ne.u32 %p2, %r2, 0;
      @%p2 bra PRODUCE;
      add.u32 %r3, %r0, 1;
      st.volatile.shared.u32 [value], %r3;
      st.volatile.shared.u32 [full], 1;
      add.u32 %r0, %r0, 1;
      setp.lt.u32 %p3, %r0, 8;
      @%p3 bra PRODUCE;
      JOIN:
      bar.warp.sync -1;
      st.global.b32 [%out], %r1;)");
    CAPTURE(producer);
    REQUIRE(r.error.empty());
    std::uint32_t expected = 0;
    for (std::uint32_t k = 1; k <= 8; ++k) expected = expected * 3 + k;
    CHECK(r.word(producer == "0" ? 1 : 0) == expected);
    CHECK(r.word(31) != untouched);
  }
}

TEST_CASE("a warp that a polling lane has split is one again after the next block barrier") {
  // Lane 0 of warp 0 polls for a value that warp 1 writes much later. By then the other lanes have reached the barrier
  // without lane 0, as in a grid-wide barrier. After this, there is a barrier that every warp must reach as a whole.
  ptx_launch wanted;
  wanted.declarations = ".global .align 4 .u32 flag = 0;\n";
  wanted.threads = 64;
  wanted.body = R"(
    mov.u32 %r0, 0;
    setp.lt.u32 %p0, %t, 32;
    @%p0 bra FIRST;
    WORK:
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p1, %r0, 60000;
    @%p1 bra WORK;
    st.release.gpu.global.u32 [flag], 1;
    bra.uni MEET;
    FIRST:
    setp.ne.u32 %p2, %t, 0;
    @%p2 bra MEET;
    POLL:
    ld.acquire.gpu.global.u32 %r1, [flag];
    setp.eq.u32 %p3, %r1, 0;
    @%p3 bra POLL;
    MEET:
    barrier.sync 0;
    activemask.b32 %r2;
    st.global.b32 [%out], %r2;
    bar.sync 0;)";
  // Resets the flag at the end.
  wanted.body += "\n    st.relaxed.gpu.global.u32 [flag], 0;";
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  CHECK(r.findings.empty());
  for (unsigned t = 0; t < 64; ++t) CHECK(r.word(t) == all);
}

TEST_CASE("a spin lock that lanes of one warp fight for lets each in once") {
  ptx_launch wanted;
  wanted.declarations = ".global .align 4 .u32 lock = 0;\n.global .align 4 .u32 total = 0;\n";
  wanted.threads = 64;
  wanted.max_instructions = 50'000'000;
  wanted.body = R"(
    TRY:
    atom.global.cas.b32 %r0, [lock], 0, 1;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra TRY;
    ld.volatile.global.u32 %r1, [total];
    add.u32 %r1, %r1, 3;
    st.volatile.global.u32 [total], %r1;
    atom.global.exch.b32 %r2, [lock], 0;
    bar.sync 0;
    ld.volatile.global.u32 %r3, [total];
    st.global.b32 [%out], %r3;)";
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 64; ++t) CHECK(r.word(t) == 192);
}

TEST_CASE("a partial last warp has its lanes only, at branches and at barriers") {
  const ptx_result r = run(R"(
    activemask.b32 %r0;
    and.b32 %r5, %lane, 1;
    setp.eq.u32 %p0, %r5, 0;
    @%p0 bra EVEN;
    activemask.b32 %r1;
    bra.uni JOIN;
    EVEN:
    activemask.b32 %r1;
    JOIN:
    activemask.b32 %r2;
    bar.sync 0;
    bar.warp.sync -1;
    bar.red.popc.u32 %r3, 0, %p0;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};)",
                           45);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 45; ++t) {
    const std::uint32_t here = t < 32 ? all : 0x1fff;
    CHECK(r.word(t, 0) == here);
    CHECK(r.word(t, 1) == (here & (t % 2 == 0 ? 0x55555555u : 0xaaaaaaaau)));
    CHECK(r.word(t, 2) == here);
    CHECK(r.word(t, 3) == 23);  // even threads below 45
  }
}

TEST_CASE("a kernel that never ends is stopped, in words") {
  ptx_launch wanted;
  wanted.body = "FOREVER:\nadd.u32 %r0, %r0, 1;\nbra.uni FOREVER;";
  wanted.max_instructions = 10'000;
  CHECK_THAT(run(wanted).error, ContainsSubstring("endless loop"));
}

TEST_CASE("a loop on a volatile local variable is endless; one on a volatile global word waits for another thread") {
  // Since CUDA 13.2, nvcc stores a volatile local variable in local memory.
  ptx_launch wanted;
  wanted.max_instructions = 10'000;
  wanted.body = R"(
    .local .align 4 .b8 counter[4];
    FOREVER:
    ld.volatile.local.u32 %r0, [counter];
    add.u32 %r0, %r0, 1;
    st.volatile.local.u32 [counter], %r0;
    bra.uni FOREVER;)";
  CHECK_THAT(run(wanted).error, ContainsSubstring("endless loop"));
  wanted.body = R"(
    FOREVER:
    ld.volatile.global.u32 %r0, [%out];
    add.u32 %r0, %r0, 1;
    st.volatile.global.u32 [%out], %r0;
    bra.uni FOREVER;)";
  CHECK_THAT(run(wanted).error, ContainsSubstring("waits forever"));
}

}  // namespace emulator::simt::test
