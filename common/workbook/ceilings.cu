// Measures the ceilings: sweeps over memory, and a kernel that does nothing.

#include "workbook/ceilings.hpp"

#include <algorithm>

#include "emulator/emulator.hpp"
#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"
#include "workbook/sweeps.hpp"
#include "workbook/timer.hpp"

namespace workbook {
namespace {

__global__ void do_nothing() {}

/// Returns the time of the fastest of a few runs in milliseconds, after warming up. A ceiling is the best result.
template <typename Work>
double least_ms(Work work) {
  return time_on_gpu(work, 7, start::warm).min_ms;
}

}  // namespace

ceilings measure_ceilings() {
  ceilings c;
  if (emulator::selected_device() != emulator::device_kind::gpu) return c;
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  // Large arrays, because the beginning and the end of a sweep take a larger share of the time in small ones.
  const std::size_t wanted = std::max(std::size_t{8} << 30, 64 * l2_cache_bytes());
  c.array_bytes = std::min(wanted, free_bytes / 4) / 16 * 16;
  const device_bytes in(c.array_bytes), out(c.array_bytes);
  check(cudaMemset(in.data(), 1, c.array_bytes));
  const std::size_t n = c.array_bytes / 16;
  const double bytes = static_cast<double>(c.array_bytes);
  auto* const sink = reinterpret_cast<std::uint32_t*>(out.data());
  for (const sweep_shape& shape :
       {sweep_shape{512, 4, 4}, sweep_shape{1024, 2, 16}, sweep_shape{1024, 4, 16}, sweep_shape{1024, 8, 16}}) {
    const double read = least_ms([&] { read_everything(in.data(), n, sink, shape); });
    const double copy = least_ms([&] { copy_everything(in.data(), out.data(), n, shape); });
    c.read_gb_per_s = std::max(c.read_gb_per_s, bytes / read / 1e6);
    c.copy_gb_per_s = std::max(c.copy_gb_per_s, 2 * bytes / copy / 1e6);
  }
  const auto launch = [] { do_nothing<<<1, 32>>>(); };
  c.launch_us = 1e3 * time_on_gpu(launch, 9, start::cold).median_ms;
  constexpr int chain = 20;
  const auto launches = [] {
    for (int k = 0; k <= chain; ++k) do_nothing<<<1, 32>>>();
  };
  c.further_launch_us = (1e3 * time_on_gpu(launches, 9, start::cold).median_ms - c.launch_us) / chain;
  c.idle_launch_us = 1e3 * time_on_gpu(launch, 9, start::idle).median_ms;
  return c;
}

}  // namespace workbook
