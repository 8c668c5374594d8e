#include "workbook/device_facts.hpp"

#include <nlohmann/json.hpp>

#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "workbook/guarded.hpp"
#include "workbook/timer.hpp"

namespace workbook {

double peak_gb_per_s() {
  const double clock_khz = device_attribute(cudaDevAttrMemoryClockRate);
  const int bus_bits = device_attribute(cudaDevAttrGlobalMemoryBusWidth);
  // There are two transfers per clock, and the bus width is in bits.
  return 2 * clock_khz * 1e3 * bus_bits / 8 / 1e9;
}

device_facts read_device_facts() {
  int device = 0, devices = 0;
  check(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  check(cudaGetDeviceCount(&devices));
  return {.kind = on_gpu() ? "gpu" : "emulator",
          .name = properties.name,
          .devices = devices,
          .major = properties.major,
          .minor = properties.minor,
          .multiprocessors = properties.multiProcessorCount,
          .l2_bytes = static_cast<std::size_t>(properties.l2CacheSize),
          .memory_bytes = properties.totalGlobalMem,
          .most = measure_ceilings(),
          .peak_gb_per_s = on_gpu() ? peak_gb_per_s() : 0};
}

nlohmann::json provenance_of(const std::string& gpu, const std::string& command, const std::string& commit) {
  int driver = 0, toolkit = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&toolkit));
  return {{"gpu", gpu},
          {"driver_cuda", driver},
          {"toolkit", toolkit},
          {"date", host::utc_now()},
          {"command", command},
          {"commit", commit},
          {"times",
           {{"cold", words_for(start::cold)}, {"warm", words_for(start::warm)}, {"idle", words_for(start::idle)}}}};
}

nlohmann::json provenance_of(const device_facts& facts, const std::string& command, const std::string& commit,
                             std::optional<int> repetitions) {
  nlohmann::json j = provenance_of(facts.name, command, commit);
  j["peak_gb_per_s"] = facts.peak_gb_per_s;
  j["read_gb_per_s"] = facts.most.read_gb_per_s;
  j["copy_gb_per_s"] = facts.most.copy_gb_per_s;
  j["launch_us"] = facts.most.launch_us;
  j["idle_launch_us"] = facts.most.idle_launch_us;
  j["further_launch_us"] = facts.most.further_launch_us;
  j["l2_bytes"] = facts.l2_bytes;
  j["multiprocessors"] = facts.multiprocessors;
  if (repetitions) j["repetitions"] = *repetitions;
  return j;
}

}  // namespace workbook
