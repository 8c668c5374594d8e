// Tests the bytes that GPUs have sent, as NVML counts them. Fake libraries return counts, or an error explains why
// there are none.

#include "16_many_gpus/scaling/port_counters.hpp"
#include "support/catch.hpp"

using namespace chapter16;

namespace {

std::string library(const std::string& name) {
  return std::string(NO_NVML) + "/lib" + name + "_nvml.so";
}

}  // namespace

TEST_CASE("the bytes that NVML counts are reported per GPU, sent and received, as a difference of two readings") {
  const std::unique_ptr<port_counters> counters =
      counters_of_nvml({"0000:01:00.0", "0000:02:00.0"}, library("counting"));
  const std::vector<port_bytes> before = counters->read(), after = counters->read();
  REQUIRE(after.size() == 2);
  for (unsigned gpu = 0; gpu < 2; ++gpu) {
    // Each reading queries both GPUs, so it makes two calls.
    CHECK(after[gpu].sent - before[gpu].sent == 2 * 1000 * 1024);
    CHECK(after[gpu].received - before[gpu].received == 2 * 1024);
  }
  // The counter is in KiB and has 64 bits.
  CHECK(after[1].sent > 5'000'000'000 * std::uint64_t{1024});
  CHECK_THAT(counters->name(), ContainsSubstring("NVML"));
}

TEST_CASE("without counters of NVLinks, the reason is reported") {
  CHECK_THROWS_WITH(counters_of_nvml({"0000:01:00.0"}, "libnvml_of_nobody.so.1"),
                    "libnvml_of_nobody.so.1 is not on this machine");
  CHECK_THROWS_WITH(counters_of_nvml({"0000:03:00.0"}, library("counting")),
                    ContainsSubstring("nvmlDeviceGetHandleByPciBusId_v2 failed with status 6"));
  CHECK_THROWS_WITH(counters_of_nvml({"0000:01:00.0"}, library("without_links")),
                    ContainsSubstring("counts no data of NVLinks here: field 138 has status 3"));
  CHECK_THROWS_WITH(counters_of_nvml({}, std::string(NO_NVML) + "/../no_nccl/libother_nccl.so"),
                    ContainsSubstring("has no nvmlInit_v2"));
}
