// Branches and loops in which the lanes of a warp take different paths, and others in which they take the same one. As
// in arithmetic.cu, the elements have 256 values, and the results are exact.

#include <array>

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned arm_length = 128;

/// The two arms take the same time, and have nothing in common that a compiler could compute for both at once.
__host__ __device__ inline float first_arm(float x) {
  for (unsigned k = 0; k < arm_length; ++k) x = fmaf(x, 0.9921875f, 0.7f);
  return x;
}
__host__ __device__ inline float second_arm(float value) {
  unsigned x = static_cast<unsigned>(value);
  for (unsigned k = 0; k < arm_length; ++k) x = x * x + 11;  // not a sum of powers that a compiler could simplify
  return static_cast<float>(x % 65536);
}

/// All lanes of all warps take the first arm.
__global__ void branch_none(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = first_arm(in[i]);
}

/// Every other warp takes the second arm, so no warp diverges.
__global__ void branch_by_warp(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (threadIdx.x / 32 % 2 == 0)
    out[i] = first_arm(in[i]);
  else
    out[i] = second_arm(in[i]);
}

/// Every other lane takes the second arm, so each warp executes both.
__global__ void branch_by_lane(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (threadIdx.x % 2 == 0)
    out[i] = first_arm(in[i]);
  else
    out[i] = second_arm(in[i]);
}

/// The element gives the number of iterations. A warp runs as long as its slowest lane.
__global__ void loop_as_long_as_said(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned length = static_cast<unsigned>(in[i]);
  float x = 1;
#pragma unroll 1  // each lane has its own number of iterations
  for (unsigned k = 0; k < length; ++k) x = fmaf(x, 0.9921875f, 0.7f);
  out[i] = x;
}

using map_kernel = void (*)(const float*, float*, std::size_t);

/// \param width  number of neighbours that take the same arm; 0 if all take the first
workbook::specimen branch_row(const char* name, map_kernel kernel, unsigned width) {
  return row("branches", name, [=](const workbook::problem& p) {
    const std::vector<std::array<float, 2>> results = listed(value_count, [](std::size_t value) {
      return std::array{first_arm(static_cast<float>(value)), second_arm(static_cast<float>(value))};
    });
    return map_job(kernel, p, listed(p.count, [&](std::size_t i) { return static_cast<float>(few_values(i, p.seed)); }),
                   listed(p.count, [&](std::size_t i) {
                     const std::size_t arm = width == 0 ? 0 : i % p.block_size / width % 2;
                     return results[few_values(i, p.seed)][arm];
                   }));
  });
}

/// \param width  number of neighbours with loops of the same length
workbook::specimen loop_row(const char* name, unsigned width) {
  return row("branches", name, [=](const workbook::problem& p) {
    std::vector<float> after(value_count, 1.0f);
    for (unsigned length = 1; length < value_count; ++length) after[length] = fmaf(after[length - 1], 0.9921875f, 0.7f);
    return map_job(loop_as_long_as_said, p,
                   listed(p.count, [&](std::size_t i) { return static_cast<float>(few_values(i / width, p.seed)); }),
                   listed(p.count, [&](std::size_t i) { return after[few_values(i / width, p.seed)]; }));
  });
}

}  // namespace

std::vector<workbook::specimen> branch_kernels() {
  return {branch_row("branch, all lanes agree", branch_none, 0),
          branch_row("branch, even and odd warps", branch_by_warp, 32),
          branch_row("branch, even and odd lanes", branch_by_lane, 1), loop_row("loop lengths, equal in a warp", 32),
          loop_row("loop lengths, different in a warp", 1)};
}

}  // namespace foreign
