// Barriers in a loop: values are passed to the next thread 64 times, with hardly any other work. Each kernel chooses
// its own block size.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned rounds = 64;

/// Passes values around the block, with two barriers per iteration.
template <unsigned block_size>
__global__ void hand_on_by_block(const float* in, float* out, std::size_t n) {
  __shared__ float tile[block_size];
  const unsigned tid = threadIdx.x, next = tid + 1 == block_size ? 0 : tid + 1;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  float x = i < n ? in[i] : 0;
#pragma unroll 1  // one iteration is code enough
  for (unsigned k = 0; k < rounds; ++k) {
    tile[tid] = x;
    // Separates the stores of this iteration from its loads.
    __syncthreads();
    x = tile[next] + 1;
    // Separates the loads of this iteration from the stores of the next one.
    __syncthreads();
  }
  if (i < n) out[i] = x;
}

/// Passes values around the warp, whose lanes wait only for each other.
template <unsigned block_size>
__global__ void hand_on_by_warp(const float* in, float* out, std::size_t n) {
  __shared__ float tile[block_size];
  const unsigned tid = threadIdx.x, next = tid / 32 * 32 + (tid + 1) % 32;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  float x = i < n ? in[i] : 0;
#pragma unroll 1  // as above
  for (unsigned k = 0; k < rounds; ++k) {
    tile[tid] = x;
    // Separates the stores of this iteration from its loads, within the warp.
    __syncwarp();
    x = tile[next] + 1;
    // Separates the loads of this iteration from the stores of the next one, within the warp.
    __syncwarp();
  }
  if (i < n) out[i] = x;
}

/// Passes values around the warp, from register to register.
template <unsigned block_size>
__global__ void hand_on_by_shuffle(const float* in, float* out, std::size_t n) {
  const unsigned tid = threadIdx.x, next = (tid + 1) % 32;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  float x = i < n ? in[i] : 0;
#pragma unroll 1  // as above
  for (unsigned k = 0; k < rounds; ++k) x = __shfl_sync(~0u, x, static_cast<int>(next)) + 1;
  if (i < n) out[i] = x;
}

/// \param circle  number of neighbours that pass their values around
workbook::specimen hand_on_row(const char* name, void (*kernel)(const float*, float*, std::size_t), unsigned block_size,
                               unsigned circle) {
  return row("barriers", name, [=](workbook::problem p) {
    p.block_size = block_size;
    const std::vector<float> in = small_numbers(p.count, p.seed);
    return map_job(kernel, p, in, listed(in.size(), [&](std::size_t i) {
                     const std::size_t from = i / circle * circle + (i + rounds) % circle;
                     // Threads beyond the end take part, too, with values that started at 0.
                     return (from < in.size() ? in[from] : 0.0f) + static_cast<float>(rounds);
                   }));
  });
}

}  // namespace

std::vector<workbook::specimen> barrier_kernels() {
  return {hand_on_row("128 barriers, blocks of 1024", hand_on_by_block<1024>, 1024, 1024),
          hand_on_row("128 barriers, blocks of 256", hand_on_by_block<256>, 256, 256),
          hand_on_row("128 barriers, blocks of 64", hand_on_by_block<64>, 64, 64),
          hand_on_row("128 barriers of warps", hand_on_by_warp<256>, 256, 32),
          hand_on_row("64 shuffles", hand_on_by_shuffle<256>, 256, 32)};
}

}  // namespace foreign
