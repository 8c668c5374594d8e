// Long chains of arithmetic for each element. The elements have only 256 different values, so the host computes each
// chain only once per value. Every operation is rounded as IEEE 754 requires, on both sides.

#include <algorithm>
#include <cmath>

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned chain_length = 512, division_length = 32, remainder_length = 64;
constexpr float factor = 0.9921875f, summand = 0.7f;

/// Each operation depends on the previous one. Only other warps can hide these 512 latencies.
__global__ void chain(const float* in, float* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    float x = in[i];
#pragma unroll 16  // the loop's own instructions hardly matter
    for (unsigned k = 0; k < chain_length; ++k) x = fmaf(x, factor, summand);
    out[i] = x;
  }
}

/// Each thread computes four elements at a time: four independent chains, whose latencies hide each other.
__global__ void four_chains(const float* in, float* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += 4 * step) {
    float x[4];
#pragma unroll
    for (unsigned c = 0; c < 4; ++c) x[c] = i + c * step < n ? in[i + c * step] : 0;
#pragma unroll 16  // as above
    for (unsigned k = 0; k < chain_length; ++k) {
#pragma unroll
      for (unsigned c = 0; c < 4; ++c) x[c] = fmaf(x[c], factor, summand);
    }
#pragma unroll
    for (unsigned c = 0; c < 4; ++c)
      if (i + c * step < n) out[i + c * step] = x[c];
  }
}

/// The same chain in double precision.
__global__ void double_chain(const float* in, float* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    double x = static_cast<double>(in[i]);
#pragma unroll 16  // as above
    for (unsigned k = 0; k < chain_length; ++k) x = fma(x, static_cast<double>(factor), static_cast<double>(summand));
    out[i] = static_cast<float>(x);
  }
}

/// Computes divisions, each of which is a small subprogram.
__global__ void divisions(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
#pragma unroll 1  // one division is code enough
  for (unsigned k = 0; k < division_length; ++k) x = 100 / (x + 3);
  out[i] = x;
}

/// Computes square roots, each of which is a small subprogram, too.
__global__ void square_roots(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
#pragma unroll 1  // one root is code enough
  for (unsigned k = 0; k < division_length; ++k) x = sqrtf(x + 1000);
  out[i] = x;
}

constexpr unsigned modulus = 1021, multiplier = 37;

/// Computes remainders with a divisor that is known only at run time.
__global__ void remainders(const float* in, float* out, std::size_t n, unsigned divisor) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = static_cast<unsigned>(in[i]);
#pragma unroll 1  // one remainder is code enough
  for (unsigned k = 0; k < remainder_length; ++k) x = (x * multiplier + k) % divisor;
  out[i] = static_cast<float>(x);
}

/// Computes remainders with a divisor that is known at compile time, so each needs a multiplication and a shift.
__global__ void remainders_by_constant(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = static_cast<unsigned>(in[i]);
#pragma unroll 1  // as above
  for (unsigned k = 0; k < remainder_length; ++k) x = (x * multiplier + k) % modulus;
  out[i] = static_cast<float>(x);
}

/// Returns the job for p.count values. The host calls `compute` only once for each different value.
template <typename Compute>
job<float> value_job(void (*kernel)(const float*, float*, std::size_t), const workbook::problem& p, Compute compute) {
  const std::vector<float> results =
      listed(value_count, [&](std::size_t value) { return compute(static_cast<float>(value)); });
  return map_job(kernel, p, listed(p.count, [&](std::size_t i) { return static_cast<float>(few_values(i, p.seed)); }),
                 listed(p.count, [&](std::size_t i) { return results[few_values(i, p.seed)]; }));
}

template <typename Compute>
workbook::specimen value_row(const char* name, void (*kernel)(const float*, float*, std::size_t), Compute compute) {
  return row("arithmetic", name, [=](const workbook::problem& p) { return value_job(kernel, p, compute); });
}

/// Uses one block of four warps per SM, so each scheduler has only one warp. The problem's block size is ignored.
template <typename Compute>
workbook::specimen lonely_row(const char* name, void (*kernel)(const float*, float*, std::size_t), Compute compute,
                              std::size_t per_thread = 1) {
  return row("arithmetic", name, [=](workbook::problem p) {
    p.block_size = 128;
    job<float> j = value_job(kernel, p, compute);
    j.grid =
        dim3(std::min(workbook::block_count(p.count, p.block_size * per_thread), workbook::multiprocessor_count()));
    j.start = [kernel, given = static_cast<const float*>(j.inputs.front().data()), n = p.count, grid = j.grid,
               block = j.block](float* out) { kernel<<<grid, block>>>(given, out, n); };
    return j;
  });
}

unsigned remainder_on_host(float value) {
  unsigned x = static_cast<unsigned>(value);
  for (unsigned k = 0; k < remainder_length; ++k) x = (x * multiplier + k) % modulus;
  return x;
}

workbook::specimen remainder_row() {
  return row("arithmetic", "remainders", [](const workbook::problem& p) {
    job<float> j =
        value_job(remainders_by_constant, p, [](float value) { return static_cast<float>(remainder_on_host(value)); });
    j.kernel = reinterpret_cast<const void*>(remainders);
    j.start = [given = static_cast<const float*>(j.inputs.front().data()), n = p.count, grid = j.grid,
               block = j.block](float* out) { remainders<<<grid, block>>>(given, out, n, modulus); };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> arithmetic_kernels() {
  const auto of_chain = [](float x) {
    for (unsigned k = 0; k < chain_length; ++k) x = std::fma(x, factor, summand);
    return x;
  };
  const auto of_double_chain = [](float value) {
    double x = static_cast<double>(value);
    for (unsigned k = 0; k < chain_length; ++k)
      x = std::fma(x, static_cast<double>(factor), static_cast<double>(summand));
    return static_cast<float>(x);
  };
  const auto of_divisions = [](float x) {
    for (unsigned k = 0; k < division_length; ++k) x = 100 / (x + 3);
    return x;
  };
  const auto of_roots = [](float x) {
    for (unsigned k = 0; k < division_length; ++k) x = std::sqrt(x + 1000);
    return x;
  };
  return {lonely_row("multiply-add chain, one warp per scheduler", chain, of_chain),
          lonely_row("four multiply-add chains, one warp per scheduler", four_chains, of_chain, 4),
          value_row("multiply-add chain, many warps", chain, of_chain),
          lonely_row("double-precision chain, one warp per scheduler", double_chain, of_double_chain),
          value_row("double-precision chain, many warps", double_chain, of_double_chain),
          value_row("divisions", divisions, of_divisions),
          value_row("square roots", square_roots, of_roots),
          remainder_row(),
          value_row("remainders by a constant", remainders_by_constant,
                    [](float value) { return static_cast<float>(remainder_on_host(value)); })};
}

}  // namespace foreign
