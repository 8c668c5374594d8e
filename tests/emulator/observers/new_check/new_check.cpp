// Shows how little a new check needs: dead_stores.hpp, and its name in the list of observers. CMakeLists.txt adds it to
// a copy of that list, and compiles the files that depend on the list with the copy.

#include <string>
#include <vector>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

using emulator::simt::test::ptx_launch;
using emulator::simt::test::ptx_result;

namespace {

const std::string store_to_own_word =
    "mov.u32 %r0, tile; shl.b32 %r1, %t, 2; add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %t;";

ptx_result run_with_tile(const std::string& body) {
  return emulator::simt::test::run(
      ptx_launch{.body = body, .declarations = ".shared .align 4 .b8 tile[128];", .threads = 32});
}

}  // namespace

TEST_CASE("a check that is added to the list finds a store that nothing reads before the block ends") {
  const ptx_result result = run_with_tile(store_to_own_word);
  CHECK(result.error.empty());
  CHECK(result.findings == std::vector<std::string>{"uninitialised shared memory"});
}

TEST_CASE("a check that is added to the list has nothing to say of a store that is read") {
  const ptx_result result = run_with_tile(store_to_own_word + "ld.shared.u32 %r2, [%r0]; st.global.b32 [%out], %r2;");
  CHECK(result.error.empty());
  CHECK(result.findings.empty());
}

TEST_CASE("the other checks still work with a new check") {
  const ptx_result result = run_with_tile(store_to_own_word + "ld.shared.u32 %r2, [tile]; st.global.b32 [%out], %r2;");
  CHECK(result.findings.size() == 2);
}
