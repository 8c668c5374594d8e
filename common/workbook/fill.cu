// Generates the input on the device, for sizes at which copying it there would dominate the time.

#include <algorithm>

#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"
#include "workbook/fill.hpp"

namespace workbook {
namespace {

template <typename T>
__global__ void fill_with_input(T* out, std::size_t n, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = input_value<T>(i, seed);
}

template <typename T>
__global__ void count_changed(const T* in, std::size_t n, std::uint64_t seed, unsigned long long* changed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if (in[i] != input_value<T>(i, seed)) atomicAdd(changed, 1ull);
  }
}

constexpr unsigned block_size = 256;

unsigned grid_size_for(std::size_t n) {
  return std::min(block_count(n, block_size), multiprocessor_count() * 16);
}

}  // namespace

void fill_on_device(element_type type, void* out, std::size_t n, std::uint64_t seed) {
  with_type(type, [&](auto* tag) {
    fill_with_input<<<grid_size_for(n), block_size>>>(static_cast<decltype(tag)>(out), n, seed);
  });
}

std::size_t count_changed_on_device(element_type type, const void* in, std::size_t n, std::uint64_t seed) {
  unsigned long long changed = 0;
  const device_bytes counter(sizeof changed);
  check(cudaMemset(counter.data(), 0, sizeof changed));
  with_type(type, [&](auto* tag) {
    using element = std::remove_pointer_t<decltype(tag)>;
    count_changed<<<grid_size_for(n), block_size>>>(static_cast<const element*>(in), n, seed,
                                                    reinterpret_cast<unsigned long long*>(counter.data()));
  });
  check(cudaGetLastError());
  check(cudaMemcpy(&changed, counter.data(), sizeof changed, cudaMemcpyDeviceToHost));
  return changed;
}

}  // namespace workbook
