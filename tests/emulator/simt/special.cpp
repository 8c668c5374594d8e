// PTX ISA, "Special Registers", and the barriers of a block: "Parallel Synchronization and Communication Instructions".

#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

TEST_CASE("a register that nothing has set holds no zero, and one that is set on every path is not reported") {
  const ptx_result unset = run("add.u32 %r0, %r1, %t; st.global.b32 [%out], %r0;");
  CHECK(unset.word(0) == 0x5a5a5a5au);
  CHECK(unset.word(5) == 0x5a5a5a5au + 5);
  // In a loop, the register is read before it is set for the first time.
  CHECK(run("mov.u32 %r2, 0; again: add.u32 %r0, %r0, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 3; @%p0 bra again;"
            "st.global.b32 [%out], %r0;")
            .word(0) == 0x5a5a5a5au + 3);
  CHECK(run("mov.u32 %r0, 7; setp.lt.u32 %p0, %t, 3; @%p0 bra other; mov.u32 %r0, 9; other: st.global.b32 [%out], %r0;")
            .word(0) == 7);
}

TEST_CASE("special registers contain a thread's position") {
  ptx_launch wanted;
  wanted.threads = 70;
  wanted.blocks = 3;
  wanted.body = R"(
    mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};
    mov.u32 %r0, %laneid; mov.u32 %r1, %warpid; mov.u32 %r2, %nwarpid; mov.u32 %r3, %tid.y;
    st.global.v4.b32 [%out+16], {%r0, %r1, %r2, %r3};)";
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned g = 0; g < 210; ++g) {
    const unsigned t = g % 70;
    CHECK(r.word(g, 0) == t);
    CHECK(r.word(g, 1) == 70);
    CHECK(r.word(g, 2) == g / 70);
    CHECK(r.word(g, 3) == 3);
    CHECK(r.word(g, 4) == t % 32);
    CHECK(r.word(g, 5) == t / 32);
    CHECK(r.word(g, 6) == 3);
    CHECK(r.word(g, 7) == 0);
  }
}

TEST_CASE("lane masks are those of the ISA") {
  const ptx_result r = run(R"(
    mov.u32 %r0, %lanemask_eq; mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_le; mov.u32 %r3, %lanemask_gt;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};
    mov.u32 %r0, %lanemask_ge;
    st.global.b32 [%out+16], %r0;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    std::uint32_t below = 0;
    for (unsigned k = 0; k < l; ++k) below |= 1u << k;
    const std::uint32_t self = 1u << l;
    CHECK(r.word(l, 0) == self);
    CHECK(r.word(l, 1) == below);
    CHECK(r.word(l, 2) == (below | self));
    CHECK(r.word(l, 3) == ~(below | self));
    CHECK(r.word(l, 4) == ~below);
  }
}

TEST_CASE("clocks rise") {
  const ptx_result r = run(R"(
    mov.u64 %w0, %clock64;
    mov.u32 %r0, %clock;
    add.u32 %r1, %r0, 1;
    mov.u32 %r2, %clock;
    mov.u64 %w1, %clock64;
    setp.lt.u64 %p0, %w0, %w1;
    setp.lt.and.u32 %p0, %r0, %r2, %p0;
    selp.b32 %r3, 1, 0, %p0;
    st.global.u32 [%out], %r3;)");
  REQUIRE(r.error.empty());
  CHECK(r.word(0) == 1);
}

TEST_CASE("bar.red counts and joins predicates over the block") {
  const ptx_result r = run(R"(
    rem.u32 %r0, %t, 3;
    setp.eq.u32 %p0, %r0, 0;
    bar.red.popc.u32 %r1, 0, %p0;
    bar.red.popc.u32 %r2, 0, !%p0;
    bar.red.and.pred %p1, 0, %p0;
    bar.red.or.pred %p2, 0, %p0;
    barrier.red.and.pred %p3, 1, %p;
    barrier.red.or.pred %p4, 1, !%p;
    selp.b32 %r3, 1, 0, %p1; selp.b32 %r4, 1, 0, %p2; selp.b32 %r5, 1, 0, %p3; selp.b32 %r6, 1, 0, %p4;
    st.global.v4.b32 [%out], {%r1, %r2, %r3, %r4};
    st.global.v2.b32 [%out+16], {%r5, %r6};)",
                           100);
  REQUIRE(r.error.empty());
  for (const unsigned t : {0u, 50u, 99u}) {
    CHECK(r.word(t, 0) == 34);  // 0, 3, …, 99
    CHECK(r.word(t, 1) == 66);
    CHECK(r.word(t, 2) == 0);
    CHECK(r.word(t, 3) == 1);
    CHECK(r.word(t, 4) == 1);
    CHECK(r.word(t, 5) == 0);
  }
}

TEST_CASE("bar.sync separates writes from reads") {
  const ptx_result r = run(R"(
    .shared .align 4 .b8 tile[1024];
    mov.u64 %w0, tile;
    mul.wide.u32 %w1, %t, 4;
    add.u64 %w1, %w0, %w1;
    mul.lo.u32 %r0, %t, 7;
    st.shared.u32 [%w1], %r0;
    bar.sync 0;
    sub.u32 %r1, 255, %t;
    mul.wide.u32 %w1, %r1, 4;
    add.u64 %w1, %w0, %w1;
    ld.shared.u32 %r2, [%w1];
    st.global.u32 [%out], %r2;)",
                           256);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 256; ++t) CHECK(r.word(t) == 7 * (255 - t));
}

TEST_CASE("named barriers with a count join some warps only, and bar.arrive does not wait") {
  // Warps 0 and 1 pass a value to warps 2 and 3. 128 threads arrive at barrier 1, but only the readers wait. Warp 4
  // does not take part, and only waits at barrier 0 with all other warps.
  const ptx_result r = run(R"(
    .shared .align 4 .b8 tile[256];
    mov.u64 %w0, tile;
    and.b32 %r1, %t, 63;
    mul.wide.u32 %w1, %r1, 4;
    add.u64 %w0, %w0, %w1;
    setp.ge.u32 %p0, %t, 128;
    @%p0 bra DONE;
    setp.ge.u32 %p1, %t, 64;
    @%p1 bra READ;
    add.u32 %r0, %t, 500;
    st.shared.u32 [%w0], %r0;
    bar.arrive 1, 128;
    bra.uni DONE;
    READ:
    bar.sync 1, 128;
    ld.shared.u32 %r2, [%w0];
    st.global.u32 [%out], %r2;
    DONE:
    bar.sync 0;
    mov.u32 %r3, 1;
    st.global.u32 [%out+4], %r3;)",
                           160);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 160; ++t) {
    CHECK(r.word(t) == (t >= 64 && t < 128 ? 500 + t - 64 : untouched));
    CHECK(r.word(t, 1) == 1);
  }
}

TEST_CASE("a barrier's number may come from a register and differ between lanes") {
  // even and odd lanes of two warps: 32 threads at each of two barriers
  const ptx_result r = run(R"(
    and.b32 %r0, %t, 1;
    add.u32 %r1, %r0, 4;
    setp.eq.u32 %p0, %t, 0;
    barrier.red.popc.u32 %r2, %r1, 32, %p0;
    st.global.u32 [%out], %r2;)",
                           64);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 64; ++t) CHECK(r.word(t) == (t % 2 == 0 ? 1 : 0));
}

TEST_CASE("barriers can be used again, and threads that have left are not waited for") {
  const ptx_result r = run(R"(
    .shared .align 4 .b8 sum[4];
    setp.ge.u32 %p0, %t, 96;
    @%p0 exit;
    setp.ne.u32 %p1, %t, 0;
    @!%p1 st.shared.u32 [sum], 0;
    mov.u32 %r0, 0;
    LOOP:
    bar.sync 0;
    red.shared.add.u32 [sum], 1;
    bar.sync 0;
    ld.shared.u32 %r2, [sum];
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p2, %r0, 3;
    @%p2 bra LOOP;
    st.global.u32 [%out], %r2;)",
                           128);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 128; ++t) CHECK(r.word(t) == (t < 96 ? 288u : untouched));
}

TEST_CASE("a barrier that some warps never reach is a deadlock in words") {
  CHECK_THAT(run("setp.lt.u32 %p0, %t, 32;\n@%p0 bar.sync 3, 64;\nbar.sync 0;", 64).error,
             ContainsSubstring("block barrier 3"));
  CHECK_THAT(run("bar.sync 16;").error, ContainsSubstring("barriers 0 to 15"));
}

TEST_CASE("an unsupported feature is an error that names it") {
  CHECK_THAT(run("szext.wrap.s32 %r0, %t, 4;").error,
             ContainsSubstring("szext.wrap.s32 is an instruction that it does not implement"));
  CHECK_THAT(run("mul24.hi.u32 %r0, %t, %t;").error, ContainsSubstring("mul24.hi.u32"));
  CHECK_THAT(run("lop3.or.b32 %r0|%p0, %t, %t, %t, 3, %p1;").error, ContainsSubstring("lop3.or.b32"));
  CHECK_THAT(run("sub.u16x2 %r0, %t, %t;").error, ContainsSubstring("sub.u16x2"));
  CHECK_THAT(run("min.relu.s64 %w0, %w1, %w2;").error, ContainsSubstring("min.relu.s64"));
  CHECK_THAT(run("min.f32 %r0, %r1, %r2, %r3;").error, ContainsSubstring("min.f32"));
  CHECK_THAT(run("mad.hi.sat.s32 %r0, %t, %t, %t;").error, ContainsSubstring("mad.hi.sat.s32"));
  CHECK_THAT(run("min.xorsign.abs.f16 %h0, %h1, %h2;").error, ContainsSubstring("min.xorsign.abs.f16"));
  CHECK_THAT(run("cvt.rn.f16x2.e4m3x2 %r0, %h0;").error, ContainsSubstring("cvt.rn.f16x2.e4m3x2"));
  CHECK_THAT(run("cvt.rn.satfinite.tf32.f32 %r0, %r1;").error, ContainsSubstring("cvt.rn.satfinite.tf32.f32"));
  CHECK_THAT(run("atom.global.exch.b16 %h0, [%out], %h1;").error, ContainsSubstring("atom.global.exch.b16"));
  CHECK_THAT(run("atom.global.v2.f32.add {%r0, %r1}, [%out], {%r2, %r3};").error,
             ContainsSubstring("atom.global.v2.f32.add"));
  CHECK_THAT(run("wgmma.fence.sync.aligned;").error, ContainsSubstring("wgmma.fence.sync.aligned"));
  CHECK_THAT(run("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r0], 16;").error,
             ContainsSubstring("cp.reduce.async.bulk"));
  CHECK_THAT(run("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r0], %r1, [%r2];").error,
             ContainsSubstring("asynchronous stores"));
  CHECK_THAT(run("mov.u32 %r0, %pm0;").error, ContainsSubstring("%pm0"));
  CHECK_THAT(run("add.u32 %r0, %tid.x, 1;").error, ContainsSubstring("add.u32"));
}

TEST_CASE("an instruction that the emulator lacks is an error only if a lane executes it") {
  const std::string guarded = "mov.u32 %r1, 7;\n@%p0 szext.clamp.s32 %r0, %t, 4;\nst.global.u32 [%out], %r1;";
  const ptx_result skipped = run("setp.gt.u32 %p0, %t, 99;\n" + guarded);
  CHECK(skipped.error.empty());
  CHECK(skipped.word(5) == 7);
  CHECK_THAT(run("setp.gt.u32 %p0, %t, 30;\n" + guarded).error, ContainsSubstring("szext.clamp.s32"));
}

TEST_CASE("trap stops the kernel, a guard spares it") {
  CHECK_THAT(run("setp.eq.u32 %p0, %t, 3;\n@%p0 trap;").error, ContainsSubstring("The kernel stopped itself in"));
  CHECK(run("setp.eq.u32 %p0, %t, 99;\n@%p0 trap;").error.empty());
}

}  // namespace emulator::simt::test
