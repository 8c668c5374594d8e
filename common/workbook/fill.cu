// Makes the input on the device: for the sizes at which copying it there would take longer than all the rest.

#include <algorithm>

#include "device/launch.cuh"
#include "workbook/fill.hpp"

namespace workbook {
namespace {

template <typename T>
__global__ void fill_with_input(T* out, std::size_t n, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = input_value<T>(i, seed);
}

}  // namespace

void fill_on_device(element_type type, void* out, std::size_t n, std::uint64_t seed) {
  constexpr unsigned block_size = 256;
  const unsigned grid_size = std::min(block_count(n, block_size), multiprocessor_count() * 16);
  with_type(type,
            [&](auto* tag) { fill_with_input<<<grid_size, block_size>>>(static_cast<decltype(tag)>(out), n, seed); });
}

}  // namespace workbook
