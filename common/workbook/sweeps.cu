#include "workbook/sweeps.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"

namespace workbook {
namespace {

__device__ std::uint32_t folded(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

template <unsigned Loads>
__global__ void __launch_bounds__(1024) read_all(const uint4* in, std::size_t n, std::uint32_t* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint32_t kept = 0;
  for (; i + (Loads - 1) * step < n; i += Loads * step) {
    uint4 v[Loads];
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) v[k] = in[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) kept ^= folded(v[k]);
  }
  for (; i < n; i += step) kept ^= folded(in[i]);
  if (kept == 0xffffffffu) *sink = kept;
}

template <unsigned Loads>
__global__ void __launch_bounds__(1024) write_all(uint4* out, std::size_t n, std::uint32_t word) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const uint4 v = make_uint4(word, word, word, word);
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (Loads - 1) * step < n; i += Loads * step) {
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) out[i + k * step] = v;
  }
  for (; i < n; i += step) out[i] = v;
}

template <unsigned Loads>
__global__ void __launch_bounds__(1024) copy_all(const uint4* in, uint4* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (Loads - 1) * step < n; i += Loads * step) {
    uint4 v[Loads];
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) v[k] = in[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < Loads; ++k) out[i + k * step] = v[k];
  }
  for (; i < n; i += step) out[i] = in[i];
}

/// Calls `body` with `loads` as a compile-time constant, and returns the result.
template <typename Body>
auto with_loads(unsigned loads, Body body) {
  switch (loads) {
    case 2:
      return body(std::integral_constant<unsigned, 2>{});
    case 4:
      return body(std::integral_constant<unsigned, 4>{});
    case 8:
      return body(std::integral_constant<unsigned, 8>{});
    default:
      throw std::invalid_argument("a sweep has 2, 4 or 8 loads in flight");
  }
}

unsigned grid_size_for(std::size_t n, const sweep_shape& shape) {
  return std::min(block_count(n, shape.block_size), multiprocessor_count() * shape.blocks_per_multiprocessor);
}

}  // namespace

const void* read_kernel(unsigned loads) {
  return with_loads(loads, [](auto k) { return reinterpret_cast<const void*>(&read_all<k()>); });
}

const void* write_kernel(unsigned loads) {
  return with_loads(loads, [](auto k) { return reinterpret_cast<const void*>(&write_all<k()>); });
}

const void* copy_kernel(unsigned loads) {
  return with_loads(loads, [](auto k) { return reinterpret_cast<const void*>(&copy_all<k()>); });
}

void read_everything(const void* in, std::size_t n, std::uint32_t* sink, const sweep_shape& shape) {
  with_loads(shape.loads, [&](auto k) {
    read_all<k()><<<grid_size_for(n, shape), shape.block_size>>>(static_cast<const uint4*>(in), n, sink);
  });
  check(cudaGetLastError());
}

void write_everything(void* out, std::size_t n, std::uint32_t word, const sweep_shape& shape) {
  with_loads(shape.loads, [&](auto k) {
    write_all<k()><<<grid_size_for(n, shape), shape.block_size>>>(static_cast<uint4*>(out), n, word);
  });
  check(cudaGetLastError());
}

void copy_everything(const void* in, void* out, std::size_t n, const sweep_shape& shape) {
  with_loads(shape.loads, [&](auto k) {
    copy_all<k()>
        <<<grid_size_for(n, shape), shape.block_size>>>(static_cast<const uint4*>(in), static_cast<uint4*>(out), n);
  });
  check(cudaGetLastError());
}

}  // namespace workbook
