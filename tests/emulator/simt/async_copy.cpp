// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" (cp.async and its groups).

#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

TEST_CASE("cp.async writes its bytes to shared memory when the thread waits for their group, and not before") {
  const std::string begin =
      "{\n.shared .align 16 .b8 tile[2048];\nmov.u64 %w1, tile;\nmul.wide.u32 %w2, %t, 16;\nadd.u64 %w1, %w1, %w2;\n"
      "add.u64 %w0, %out, 16;\nst.global.v2.b64 [%w0], {%la, %lb};\nst.shared.v2.b64 [%w1], {%lc, %lc};\n";
  const auto copied = [&](const std::string& text) { return begin + text + "\n}"; };
  const std::string eight = "cp.async.ca.shared.global [%w1], [%w0], 8;\n", load = "ld.shared.b64 %ld, [%w1];";
  const std::uint64_t a = 0x1111222233334444, b = 0x5555666677778888, c = 0x9999;
  check(copied(eight + "cp.async.wait_all;\n" + load), {{a, b, c, a}});
  check(copied(eight + load + "cp.async.wait_all;"), {{a, b, c, c}});
  check(copied(eight + "cp.async.commit_group;\ncp.async.wait_group 0;\n" + load), {{a, b, c, a}});
  check(copied(eight + "cp.async.commit_group;\ncp.async.wait_group 1;\n" + load), {{a, b, c, c}});
  // A copy that has not been committed does not belong to a group yet.
  check(copied(eight + "cp.async.wait_group 0;\n" + load), {{a, b, c, c}});
  // Waits until the first of two groups has arrived.
  check(copied(eight +
               "cp.async.commit_group;\ncp.async.ca.shared.global [%w1], [%w0+8], 8;\n"
               "cp.async.commit_group;\ncp.async.wait_group 1;\n" +
               load),
        {{a, b, c, a}});
  check(copied("cp.async.cg.shared.global.L2::128B [%w1], [%w0], 16;\ncp.async.wait_all;\nld.shared.b64 %ld, [%w1+8];"),
        {{a, b, c, b}});
  check(copied("cp.async.ca.shared.global [%w1+4], [%w0+4], 4;\ncp.async.wait_all;\n" + load),
        {{a, b, c, (a >> 32 << 32) | c}});
  // Nothing is read, but zeroes are written.
  check(copied("mov.u64 %w3, 0;\ncp.async.ca.shared.global [%w1], [%w3], 8, 0;\ncp.async.wait_all;\n" + load),
        {{a, b, c, 0}});
}

TEST_CASE("cp.async.mbarrier.arrive with noinc counts as an arrival, and the copies arrive with a wait that succeeds") {
  // Each of 32 threads copies its number. It reads its neighbour's before and after it tests whether the phase is over.
  const auto text = [](const std::string& arrival) {
    return R"({
      .shared .align 8 .b64 bar; .shared .align 16 .b8 tile[128];
      mov.u32 %r0, tile; mad.lo.u32 %r1, %t, 4, %r0; xor.b32 %r2, %t, 1; mad.lo.u32 %r2, %r2, 4, %r0; mov.u32 %r3, bar;
      st.global.b32 [%out], %t;
      setp.ne.u32 %p0, %t, 0;
      @!%p0 mbarrier.init.shared.b64 [%r3], 32;
      bar.sync 0;
      cp.async.ca.shared.global [%r1], [%out], 4;
      )" + arrival +
           R"(
      ld.shared.b32 %r6, [%r2];
      st.global.b32 [%out+12], %r6;
      mbarrier.test_wait.parity.shared.b64 %p1, [%r3], 0;
      bar.warp.sync 0xffffffff;
      ld.shared.b32 %r4, [%r2];
      st.global.b32 [%out+4], %r4;
      selp.u32 %r5, 1, 0, %p1;
      st.global.b32 [%out+8], %r5;
    })";
  };
  const ptx_result counted = run(text("cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];"));
  const ptx_result not_counted = run(text("cp.async.mbarrier.arrive.shared.b64 [%r3];"));
  CHECK(counted.error.empty());
  CHECK(not_counted.error.empty());
  for (unsigned t = 0; t < 32; ++t) {
    CHECK(counted.word(t, 1) == (t ^ 1));
    CHECK(counted.word(t, 2) == 1);
    CHECK(counted.word(t, 3) == 0xffffffff);
    // No thread has arrived, so the phase is not over and no copy has arrived.
    CHECK(not_counted.word(t, 1) == 0xffffffff);
    CHECK(not_counted.word(t, 2) == 0);
  }
}

TEST_CASE("copies come with a wait for the phase in which they were handed over or a later one, and with their own") {
  // One lane copies two numbers. It passes the first copy to barrier a and both to barrier b; `text` decides what it
  // waits for.
  const auto landed = [](const std::string& text) {
    const ptx_result result = run(R"({
      .shared .align 8 .b64 a; .shared .align 8 .b64 b; .shared .align 16 .b8 tile[8];
      mov.u32 %r0, a; mov.u32 %r1, b; mov.u32 %r2, tile;
      setp.ne.u32 %p0, %t, 0;
      @%p0 bra done;
      st.global.b32 [%out], 7; st.global.b32 [%out+4], 8;
      mbarrier.init.shared.b64 [%r0], 1; mbarrier.init.shared.b64 [%r1], 1;
      cp.async.ca.shared.global [%r2], [%out], 4;
      cp.async.mbarrier.arrive.noinc.shared.b64 [%r0];
      cp.async.ca.shared.global [%r2+4], [%out+4], 4;
      cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];
      )" + text + R"(
      ld.shared.b32 %r3, [%r2]; ld.shared.b32 %r4, [%r2+4];
      st.global.b32 [%out+8], %r3; st.global.b32 [%out+12], %r4;
      done:
    })");
    CHECK(result.error.empty());
    return std::pair(result.word(0, 2), result.word(0, 3));
  };
  const std::string wait_a = "mbarrier.test_wait.parity.shared.b64 %p1, [%r0], 0;";
  const std::string wait_b = "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;";
  const std::string b_again = "mbarrier.arrive.shared.b64 %w0, [%r1]; ";
  const std::uint32_t nothing = 0xffffffff;
  CHECK(landed("") == std::pair(nothing, nothing));
  CHECK(landed(wait_a) == std::pair(7u, nothing));
  CHECK(landed(wait_b) == std::pair(7u, 8u));
  CHECK(landed("cp.async.wait_all;") == std::pair(7u, 8u));
  // One phase later, parity 1 of b is over and parity 0 has begun again.
  CHECK(landed(b_again + wait_b) == std::pair(nothing, nothing));
  CHECK(landed(b_again + "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;") == std::pair(7u, 8u));
  // A barrier object that has been initialised again has no copies to wait for.
  CHECK(landed("mbarrier.init.shared.b64 [%r1], 1; " + b_again + wait_b) == std::pair(nothing, nothing));
}

TEST_CASE("cp.async is checked when it begins, and unsupported forms are refused") {
  const std::string begin = "{ .shared .align 16 .b8 tile[16]; mov.u32 %r0, tile; ";
  const auto error_of = [&](const std::string& text) { return run(begin + text + " }").error; };
  CHECK_THAT(error_of("mov.u64 %w0, 0; cp.async.ca.shared.global [%r0], [%w0], 4;"), ContainsSubstring("null pointer"));
  CHECK_THAT(error_of("cp.async.ca.shared.global [%r0+16], [%out], 4;"), ContainsSubstring("Out of bounds"));
  CHECK_THAT(error_of("cp.async.ca.shared.global [%r0], [%out+4], 8;"), ContainsSubstring("Misaligned"));
  CHECK_THAT(error_of("cp.async.ca.shared.global [%r0], [%out], 8, 4;"), ContainsSubstring("a part of its bytes"));
  CHECK_THAT(error_of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], "
                      "[%out], 16, [%r1], %h0;"),
             ContainsSubstring("several blocks at once"));
}

}  // namespace emulator::simt::test
