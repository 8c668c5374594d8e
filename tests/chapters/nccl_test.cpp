// Chapter 16 and NCCL: an error states if NCCL is missing, too old or a different library. NCCL's errors use its text.

#include "16_many_gpus/nccl.hpp"
#include "16_many_gpus/all_reduce.hpp"
#include "16_many_gpus/gpu_group.hpp"
#include "emulator/links.hpp"
#include "support/catch.hpp"

using chapter16::nccl;

namespace {

std::string folder(const std::string& name) {
  return std::string(NO_NCCL) + "/lib" + name + "_nccl.so";
}

std::string why_not(const std::string& library) {
  std::string reason;
  CHECK(nccl::load(reason, library) == nullptr);
  return reason;
}

}  // namespace

TEST_CASE("a library that cannot be used as NCCL reports the reason") {
  CHECK(why_not("libnccl_of_nobody.so.2") == "libnccl_of_nobody.so.2 is not on this machine");
  CHECK_THAT(why_not(folder("other")), ContainsSubstring("is another library: functions of NCCL are missing"));
  CHECK_THAT(why_not(folder("old")), ContainsSubstring("version 2408; from 20900 on it can be used here"));
}

TEST_CASE("an error of NCCL is reported in its own words") {
  std::string reason;
  const std::shared_ptr<const nccl> library = nccl::load(reason, folder("failing"));
  INFO(reason);
  REQUIRE(library != nullptr);
  CHECK(library->version() == 22803);
  emulator::set_devices(2);
  const chapter16::gpu_group two(2, chapter16::reach::where_possible);
  CHECK_THROWS_WITH(nccl::group(library, two), "ncclCommInitAll: internal error of a test");
  CHECK_THROWS_WITH(library->new_meeting_point(), "ncclGetUniqueId: internal error of a test");
  CHECK_THROWS_WITH(nccl::group(library, {}, 0, 2), "ncclCommInitRank: internal error of a test");
}

TEST_CASE("on the emulator the row of NCCL says why it is empty, and is not a failure") {
  for (const workbook::specimen& kernel : chapter16::table_of_all_reduce().kernels) {
    if (kernel.as != workbook::role::library) continue;
    const workbook::outcome o = examine(kernel, {.count = 100, .gpus = 2}, workbook::effort{});
    CHECK(o.rejected == "it runs on GPUs, and this is the emulator");
    CHECK(o.passed());
    return;
  }
  FAIL("there is no such row");
}
