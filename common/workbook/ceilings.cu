// The ceilings: a kernel that only reads, one that copies, and one that does nothing.

#include "workbook/ceilings.hpp"

#include <algorithm>
#include <vector>

#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "emulator/emulator.hpp"
#include "workbook/timer.hpp"

namespace workbook {
namespace {

constexpr unsigned block_size = 512;
/// Vectors that a thread has in flight.
constexpr unsigned depth = 4;

__global__ void do_nothing() {}

__device__ std::uint32_t folded(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

__global__ void __launch_bounds__(block_size) read_all(const uint4* in, std::size_t n, std::uint32_t* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint32_t kept = 0;
  for (; i + (depth - 1) * step < n; i += depth * step) {
    uint4 v[depth];
#pragma unroll
    for (unsigned k = 0; k < depth; ++k) v[k] = in[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < depth; ++k) kept ^= folded(v[k]);
  }
  for (; i < n; i += step) kept ^= folded(in[i]);
  if (kept == 0xffffffffu) *sink = kept;
}

__global__ void __launch_bounds__(block_size) copy_all(const uint4* in, uint4* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (depth - 1) * step < n; i += depth * step) {
    uint4 v[depth];
#pragma unroll
    for (unsigned k = 0; k < depth; ++k) v[k] = in[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < depth; ++k) out[i + k * step] = v[k];
  }
  for (; i < n; i += step) out[i] = in[i];
}

unsigned grid_size_for(std::size_t n) {
  return std::min(block_count(n, block_size), multiprocessor_count() * 4);
}

/// Returns the median milliseconds of `work` over a few runs, after one to warm up.
template <typename Work>
double median_ms(Work work) {
  event begin, end;
  std::vector<double> times;
  for (int k = -1; k < 9; ++k) {
    begin.record();
    work();
    end.record();
    const double ms = end.milliseconds_since(begin);
    if (k >= 0) times.push_back(ms);
  }
  check(cudaGetLastError());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

void read_everything(const void* in, std::size_t n, std::uint32_t* sink) {
  read_all<<<grid_size_for(n), block_size>>>(static_cast<const uint4*>(in), n, sink);
}

void copy_everything(const void* in, void* out, std::size_t n) {
  copy_all<<<grid_size_for(n), block_size>>>(static_cast<const uint4*>(in), static_cast<uint4*>(out), n);
}

ceilings measure_ceilings() {
  ceilings c;
  if (emulator::selected_device() != emulator::device_kind::gpu) return c;
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  // Sixteen times L2 for each array, where the memory has room for both.
  const std::size_t wanted = std::max(std::size_t{256} << 20, 16 * l2_cache_bytes());
  c.array_bytes = std::min(wanted, free_bytes / 4) / 16 * 16;
  const device_bytes in(c.array_bytes), out(c.array_bytes);
  check(cudaMemset(in.data(), 1, c.array_bytes));
  const std::size_t n = c.array_bytes / 16;
  const double bytes = static_cast<double>(c.array_bytes);
  auto* const sink = reinterpret_cast<std::uint32_t*>(out.data());
  c.read_gb_per_s = bytes / median_ms([&] { read_everything(in.data(), n, sink); }) / 1e6;
  c.copy_gb_per_s = 2 * bytes / median_ms([&] { copy_everything(in.data(), out.data(), n); }) / 1e6;
  const auto launch = [] { do_nothing<<<1, 32>>>(); };
  c.launch_us = 1e3 * time_on_gpu(launch, 9, start::cold).median_ms;
  c.idle_launch_us = 1e3 * time_on_gpu(launch, 9, start::idle).median_ms;
  return c;
}

}  // namespace workbook
