#include "timing/machine/kernels/memory.hpp"

#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"

namespace workbook::machine {
namespace {

__global__ void write_links(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  // Legal: places are aligned to 8 bytes.
  *reinterpret_cast<const std::byte**>(places + stride * i) = places + stride * next[i];
}

/// Uses PTX, because the compiler doesn't know that a pointer that it loads points to global memory.
__device__ std::uint64_t walked(std::uint64_t at, unsigned steps) {
  // Several steps per iteration, so that the loop's own instructions are hidden by the latency.
#pragma unroll 4
  for (unsigned k = 0; k < steps; ++k) {
    // Legal: the first 8 bytes of each place are the address of a place.
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
  }
  return at;
}

__global__ void walk_places(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result) {
  std::uint64_t at = walked(reinterpret_cast<std::uint64_t>(places), warm_up);
  // The clock is read after the first part of the walk, because of this test; no address is 0.
  if (at == 0) return;
  const long long begin = clock64();
  at = walked(at, steps);
  if (at == 0) return;
  const long long end = clock64();
  result[0] = static_cast<std::uint64_t>(end - begin);
  result[1] = at;
}

/// The steps are parameters. If the compiler knew that all lanes use one word, it would add only once per warp.
template <typename T>
__global__ void add(T* words, atomic_pattern where, unsigned additions) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (lane >= where.adding_lanes) return;
  T* const word = words + std::size_t{warp} * where.warp_step + lane * where.lane_step;
#pragma unroll 4
  for (unsigned k = 0; k < additions; ++k) atomicAdd(word, T{1});
}

__device__ std::uint32_t folded(std::uint32_t v) {
  return v;
}
__device__ std::uint32_t folded(const uint2& v) {
  return v.x ^ v.y;
}
__device__ std::uint32_t folded(const uint4& v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

/// Loads `Loads` vectors, `step` vectors apart. All loads are issued before the first result is used.
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

/// 128 bytes of loads and their addresses do not fit into the 32 registers that each thread has on a full SM. With
/// fewer blocks there are more registers, so the compiler can issue all loads before it uses the first result.
template <typename Vector, unsigned Loads>
constexpr unsigned least_blocks = Loads * sizeof(Vector) > 64 ? 4 : 8;

template <typename Vector, unsigned Loads>
__global__ void __launch_bounds__(256, least_blocks<Vector, Loads>)
    load_in_rounds(const void* array, unsigned rounds, std::uint32_t never, std::uint32_t* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  // Legal: the array is aligned to 256 bytes.
  const Vector* in = static_cast<const Vector*>(array) + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint32_t kept = 0;
  // Not unrolled, because otherwise loads of several iterations would be in flight.
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

void link_places(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count) {
  write_links<<<block_count(count, 256), 256>>>(places, stride, next, count);
  check(cudaGetLastError());
}

void walk(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result) {
  walk_places<<<1, 1>>>(places, warm_up, steps, result);
  check(cudaGetLastError());
}

template <typename T>
void add_to_words(T* words, atomic_pattern where, unsigned additions, unsigned grid_size, unsigned block_size) {
  add<T><<<grid_size, block_size>>>(words, where, additions);
  check(cudaGetLastError());
}
template void add_to_words(int*, atomic_pattern, unsigned, unsigned, unsigned);
template void add_to_words(float*, atomic_pattern, unsigned, unsigned, unsigned);

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
