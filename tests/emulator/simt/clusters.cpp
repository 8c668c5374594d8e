// Clusters and bulk copies, instruction by instruction. A launch without clusters has clusters of one block.

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

namespace {

/// Returns a kernel with a tile of 64 bytes at %r0, whose first word is 5, and an mbarrier for one arrival at %r1.
std::string with_tile(const std::string& text) {
  return R"({ .shared .align 16 .b8 tile[64]; .shared .align 8 .b64 object; mov.u32 %r0, tile; mov.u32 %r1, object;
    st.shared.u32 [%r0], 5; mbarrier.init.shared.b64 [%r1], 1; bar.sync 0; )" +
         text + " }";
}

const std::string one_lane = "setp.eq.u32 %p0, %t, 0;\n";

/// Waits for the mbarrier's first phase.
const std::string wait = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0; @!%p1 bra WAIT;\n";

const std::string copy_in =
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%w0], 16, [%r1];\n";

}  // namespace

TEST_CASE("a block without a cluster is the only one of its own") {
  const ptx_result r = run(with_tile(R"(
    mapa.shared::cluster.u32 %r2, %r0, 0; ld.shared::cluster.u32 %r3, [%r2]; st.global.b32 [%out], %r3;
    getctarank.shared::cluster.u32 %r4, %r2; st.global.b32 [%out+4], %r4;
    barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
    mov.pred %p0, %is_explicit_cluster; selp.u32 %r5, 1, 0, %p0; st.global.b32 [%out+8], %r5;)"));
  CHECK(r.error == "");
  CHECK(r.word(31, 0) == 5);
  CHECK(r.word(31, 1) == 0);
  CHECK(r.word(31, 2) == 0);
}

TEST_CASE("a rank that the cluster does not have is reported") {
  const std::string use = "mapa.shared::cluster.u32 %r2, %r0, 3; ld.shared::cluster.u32 %r3, [%r2];";
  CHECK_THAT(run(with_tile(use)).error, ContainsSubstring("no block of rank 3"));
  // A rank outside the cluster is an error only if the address is used.
  CHECK(run(with_tile("mapa.shared::cluster.u32 %r2, %r0, 3; getctarank.shared::cluster.u32 %r3, %r2;")).error == "");
}

TEST_CASE("an arrival at the cluster's barrier and its wait take turns") {
  CHECK_THAT(run("barrier.cluster.wait;").error, ContainsSubstring("without having arrived"));
  CHECK_THAT(run("barrier.cluster.arrive; barrier.cluster.arrive;").error, ContainsSubstring("a second time"));
  CHECK(run("barrier.cluster.arrive.relaxed; barrier.cluster.wait; barrier.cluster.arrive; barrier.cluster.wait;")
            .error == "");
  const std::string some = "setp.gt.u32 %p0, %t, 7; @%p0 bra ON; barrier.cluster.arrive";
  CHECK_THAT(run(some + ".aligned; ON: ret;").error, ContainsSubstring("an .aligned one"));
  CHECK(run(some + "; ON: ret;").error == "");
  // The cluster's barrier does not wait for lanes that have exited.
  CHECK(run("setp.gt.u32 %p0, %t, 7; @%p0 ret; barrier.cluster.arrive; barrier.cluster.wait;").error == "");
  // It waits for all other warps, so the second warp's endless loop is a deadlock.
  CHECK_THAT(run("setp.gt.u32 %p0, %t, 31; ON: @%p0 bra ON; barrier.cluster.arrive; barrier.cluster.wait;", 64).error,
             ContainsSubstring("the cluster's barrier"));
}

TEST_CASE("only the block's own shared memory is shared::cta") {
  const ptx_result r = run(with_tile(R"(
    cvt.u64.u32 %w0, %r0; cvta.shared.u64 %w0, %w0; mapa.u64 %w1, %w0, 2;
    isspacep.shared::cta %p0, %w0; selp.u32 %r2, 1, 0, %p0; isspacep.shared::cta %p1, %w1; selp.u32 %r3, 1, 0, %p1;
    isspacep.shared::cluster %p0, %w1; selp.u32 %r4, 1, 0, %p0; isspacep.shared::cluster %p1, %out;
    selp.u32 %r5, 1, 0, %p1;
    st.global.b32 [%out], %r2; st.global.b32 [%out+4], %r3;
    st.global.b32 [%out+8], %r4; st.global.b32 [%out+12], %r5;)"));
  CHECK(r.word(0, 0) == 1);
  CHECK(r.word(0, 1) == 0);
  CHECK(r.word(0, 2) == 1);
  CHECK(r.word(0, 3) == 0);
}

TEST_CASE("bytes of a bulk copy are there with the wait, and the phase needs all of them") {
  const std::string fill = "st.global.b32 [%out], 77; mov.u64 %w0, %out; bar.sync 0;\n" + one_lane;
  const auto landed = [&](const std::string& text) {
    return run(with_tile(fill + text + "ld.shared.u32 %r3, [%r0]; @%p0 st.global.b32 [%out+4], %r3;")).word(0, 1);
  };
  CHECK(landed("@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16;\n" + copy_in + wait) == 77);
  // Before the wait, the tile still has the old value.
  CHECK(landed("@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16;\n" + copy_in) == 5);
  // The bytes may be expected by a separate instruction, before or after the copy.
  CHECK(landed("@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 16;\n" + copy_in +
               "@%p0 mbarrier.arrive.shared.b64 _, [%r1];\n" + wait) == 77);
  // If more bytes are expected than are copied, the wait never ends.
  CHECK_THAT(run(with_tile(fill + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 32;\n" + copy_in + wait)).error,
             ContainsSubstring("deadlock") || ContainsSubstring("wait"));
  // The missing bytes are completed by a different instruction.
  CHECK(landed("@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 32;\n" + copy_in +
               "@%p0 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;\n" + wait) == 77);
}

TEST_CASE("a bulk copy to global memory is there when its group has been waited for") {
  const std::string begin = one_lane + "mov.u64 %w0, %out; @!%p0 bra END;\n";
  const std::string copy = "cp.async.bulk.global.shared::cta.bulk_group [%w0], [%r0], 16;\n";
  const auto found = [&](const std::string& text) {
    return run(with_tile("st.shared.v4.u32 [%r0], {5, 6, 7, 8};\n" + begin + "st.global.b32 [%out], 1;\n" + text +
                         "ld.global.u32 %r3, [%out]; st.global.b32 [%out+16], %r3; END:"))
        .word(0, 4);
  };
  CHECK(found(copy + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n") == 5);
  CHECK(found(copy + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 1;\n") == 1);
  // The copy is not in a group yet.
  CHECK(found(copy + "cp.async.bulk.wait_group 0;\n") == 1);
}

TEST_CASE("sizes and addresses of bulk copies are multiples of 16 bytes") {
  const auto error_of = [&](const std::string& to, const std::string& bytes) {
    return run(with_tile(one_lane + "mov.u64 %w0, %out; add.u32 %r2, %r0, " + to +
                         "; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%w0], " +
                         bytes + ", [%r1];"))
        .error;
  };
  CHECK(error_of("0", "64") == "");
  CHECK_THAT(error_of("0", "24"), ContainsSubstring("isn't a multiple of 16"));
  CHECK_THAT(error_of("8", "16"), ContainsSubstring("Misaligned"));
  CHECK_THAT(error_of("48", "128"), ContainsSubstring("Out of bounds"));
  CHECK_THAT(run(with_tile("mov.u64 %w0, 0; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], "
                           "[%w0], 16, [%r1];"))
                 .error,
             ContainsSubstring("null pointer"));
}

TEST_CASE("the mbarrier that counts a bulk copy's bytes is looked up like any address") {
  const auto error_of = [&](const std::string& object) {
    return run(with_tile(one_lane + "mov.u64 %w0, %out; mov.u32 %r2, " + object +
                         "; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%w0], 16, "
                         "[%r2];"))
        .error;
  };
  CHECK(error_of("object") == "");
  CHECK_THAT(error_of("object; add.u32 %r2, %r2, 4"), ContainsSubstring("Misaligned"));
  CHECK_THAT(error_of("4194304"), ContainsSubstring("Out of bounds"));
}

}  // namespace emulator::simt::test
