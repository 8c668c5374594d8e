#include "workbook/device_facts.hpp"

#include "device/buffer.hpp"
#include "workbook/guarded.hpp"

namespace workbook {

double peak_gb_per_s() {
  const double clock_khz = device_attribute(cudaDevAttrMemoryClockRate);
  const int bus_bits = device_attribute(cudaDevAttrGlobalMemoryBusWidth);
  // Two transfers per clock, whole bytes.
  return 2 * clock_khz * 1e3 * bus_bits / 8 / 1e9;
}

device_facts read_device_facts() {
  device_facts f;
  int device = 0;
  check(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  f.kind = on_gpu() ? "gpu" : "emulator";
  f.name = properties.name;
  check(cudaGetDeviceCount(&f.devices));
  f.major = properties.major;
  f.minor = properties.minor;
  f.multiprocessors = properties.multiProcessorCount;
  f.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  f.memory_bytes = properties.totalGlobalMem;
  if (f.kind == "gpu") f.peak_gb_per_s = peak_gb_per_s();
  f.most = measure_ceilings();
  return f;
}

}  // namespace workbook
