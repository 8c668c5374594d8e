// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" (cp.async and its groups).

#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {

TEST_CASE("cp.async brings its bytes to shared memory when the thread waits for their group, and not before") {
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
  // What is not committed is no group yet.
  check(copied(eight + "cp.async.wait_group 0;\n" + load), {{a, b, c, c}});
  // Of two groups the first arrives.
  check(copied(eight +
               "cp.async.commit_group;\ncp.async.ca.shared.global [%w1], [%w0+8], 8;\n"
               "cp.async.commit_group;\ncp.async.wait_group 1;\n" +
               load),
        {{a, b, c, a}});
  check(copied("cp.async.cg.shared.global.L2::128B [%w1], [%w0], 16;\ncp.async.wait_all;\nld.shared.b64 %ld, [%w1+8];"),
        {{a, b, c, b}});
  check(copied("cp.async.ca.shared.global [%w1+4], [%w0+4], 4;\ncp.async.wait_all;\n" + load),
        {{a, b, c, (a >> 32 << 32) | c}});
  // Nothing is read, and zeroes are written.
  check(copied("mov.u64 %w3, 0;\ncp.async.ca.shared.global [%w1], [%w3], 8, 0;\ncp.async.wait_all;\n" + load),
        {{a, b, c, 0}});
}

TEST_CASE("cp.async is checked where it begins, and what it cannot do is refused") {
  const std::string begin = "{ .shared .align 16 .b8 tile[16]; mov.u32 %r0, tile; ";
  const auto error_of = [&](const std::string& text) { return run(begin + text + " }").error; };
  CHECK_THAT(error_of("mov.u64 %w0, 0; cp.async.ca.shared.global [%r0], [%w0], 4;"), ContainsSubstring("null pointer"));
  CHECK_THAT(error_of("cp.async.ca.shared.global [%r0+16], [%out], 4;"), ContainsSubstring("out of bounds"));
  CHECK_THAT(error_of("cp.async.ca.shared.global [%r0], [%out+4], 8;"), ContainsSubstring("misaligned"));
  CHECK_THAT(error_of("cp.async.ca.shared.global [%r0], [%out], 8, 4;"), ContainsSubstring("a part of its bytes"));
  CHECK_THAT(error_of("cp.async.mbarrier.arrive.shared.b64 [%r0];"), ContainsSubstring("asynchronous copies"));
}

}  // namespace emulator::simt::test
