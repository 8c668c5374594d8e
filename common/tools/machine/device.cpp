// What a device has, as the runtime says it.

#include "tools/machine/parts.hpp"
#include "workbook/device_facts.hpp"

namespace workbook::machine {

nlohmann::json device_facts_of(bool timed) {
  int device = 0;
  check(cudaGetDevice(&device));
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, device));
  const int memory_khz = device_attribute(cudaDevAttrMemoryClockRate);
  const int bus_bits = device_attribute(cudaDevAttrGlobalMemoryBusWidth);
  const int threads = p.maxThreadsPerMultiProcessor;
  nlohmann::json facts = {{"name", p.name},
                          {"compute_capability", fmt::format("{}.{}", p.major, p.minor)},
                          {"multiprocessors", p.multiProcessorCount},
                          {"threads_per_multiprocessor", threads},
                          {"warps_per_multiprocessor", threads / p.warpSize},
                          {"blocks_per_multiprocessor", p.maxBlocksPerMultiProcessor},
                          {"registers_per_multiprocessor", p.regsPerMultiprocessor},
                          {"shared_bytes_per_multiprocessor", p.sharedMemPerMultiprocessor},
                          {"shared_bytes_per_block", p.sharedMemPerBlockOptin},
                          {"l2_bytes", p.l2CacheSize},
                          {"memory_bytes", p.totalGlobalMem},
                          {"clock_mhz", device_attribute(cudaDevAttrClockRate) / 1e3},
                          {"memory_clock_mhz", memory_khz / 1e3},
                          {"memory_bus_bits", bus_bits},
                          // None on the emulator, which has no time.
                          {"peak_gb_per_s", nullptr}};
  if (timed) facts["peak_gb_per_s"] = peak_gb_per_s();
  return facts;
}

}  // namespace workbook::machine
