#include "tools/machine/kernels/loads.hpp"

#include <cuda_runtime_api.h>

namespace workbook::machine {
namespace {

__device__ std::uint32_t folded(std::uint32_t v) {
  return v;
}
__device__ std::uint32_t folded(const uint2& v) {
  return v.x ^ v.y;
}
__device__ std::uint32_t folded(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

/// Loads `Loads` vectors, `step` apart, all before the first is used.
template <typename Vector, unsigned Loads>
__device__ std::uint32_t load_all(const Vector* in, std::size_t step) {
  Vector v[Loads];
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) v[k] = in[k * step];
  std::uint32_t kept = 0;
#pragma unroll
  for (unsigned k = 0; k < Loads; ++k) kept ^= folded(v[k]);
  return kept;
}

/// 128 bytes of loads and their addresses do not fit the 32 registers that a full multiprocessor leaves to a thread:
/// the compiler, told of fewer blocks, need not use the first loads before it has issued the last.
template <typename Vector, unsigned Loads>
constexpr unsigned least_blocks = Loads * sizeof(Vector) > 64 ? 4 : 8;

template <typename Vector, unsigned Loads>
__global__ void __launch_bounds__(256, least_blocks<Vector, Loads>)
    load_in_rounds(const void* array, unsigned rounds, std::uint32_t never, std::uint32_t* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  // Legal: the array is aligned to 256 bytes.
  const Vector* in = static_cast<const Vector*>(array) + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint32_t kept = 0;
  // Not unrolled: more loads than those of a round would be on their way.
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round, in += Loads * step) kept ^= load_all<Vector, Loads>(in, step);
  if (kept == never) *sink = kept;
}

template <unsigned Loads>
__global__ void load_and_end(const void* array, unsigned, std::uint32_t never, std::uint32_t* sink) {
  const auto* in = static_cast<const std::uint32_t*>(array) + std::size_t{blockIdx.x} * blockDim.x * Loads;
  const std::uint32_t kept = load_all<std::uint32_t, Loads>(in + threadIdx.x, blockDim.x);
  if (kept == never) *sink = kept;
}

template <typename Vector, unsigned Loads>
load_kernel in_rounds() {
  return {reinterpret_cast<const void*>(&load_in_rounds<Vector, Loads>), Loads, sizeof(Vector)};
}

template <unsigned Loads>
load_kernel short_lived() {
  return {reinterpret_cast<const void*>(&load_and_end<Loads>), Loads, sizeof(std::uint32_t)};
}

}  // namespace

std::vector<load_kernel> load_kernels() {
  return {in_rounds<std::uint32_t, 1>(), in_rounds<std::uint32_t, 2>(), in_rounds<std::uint32_t, 4>(),
          in_rounds<std::uint32_t, 8>(), in_rounds<uint2, 1>(),         in_rounds<uint2, 2>(),
          in_rounds<uint2, 4>(),         in_rounds<uint2, 8>(),         in_rounds<uint4, 1>(),
          in_rounds<uint4, 2>(),         in_rounds<uint4, 4>(),         in_rounds<uint4, 8>()};
}

std::vector<load_kernel> short_lived_kernels() {
  return {short_lived<1>(), short_lived<2>(), short_lived<4>(), short_lived<8>()};
}

}  // namespace workbook::machine
