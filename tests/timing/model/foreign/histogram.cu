// Histograms of 256 bins. p.count is the number of values that are counted. Each launch adds to the bins.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned bin_count = 256;

/// Makes one atomic addition to global memory per value.
__global__ void histogram_global(const unsigned* in, unsigned* bins, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i] % bin_count], 1u);
}

/// Number of values that each thread counts in its block's bins.
constexpr unsigned values_per_thread = 16;

/// The block counts in shared memory and adds its bins to those in global memory once.
__global__ void histogram_shared(const unsigned* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned tile[bin_count];
  for (unsigned k = threadIdx.x; k < bin_count; k += blockDim.x) tile[k] = 0;
  // Separates the stores of 0 from the first additions.
  __syncthreads();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    atomicAdd(&tile[in[i] % bin_count], 1u);
  // Separates the additions from the loads of the bins.
  __syncthreads();
  for (unsigned k = threadIdx.x; k < bin_count; k += blockDim.x) atomicAdd(&bins[k], tile[k]);
}

constexpr unsigned max_warps = 32;

/// Has one set of bins per warp, so that threads of different warps don't conflict. A block has at most 1024 threads.
__global__ void histogram_per_warp(const unsigned* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned tile[max_warps][bin_count];
  const unsigned warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  for (unsigned k = threadIdx.x; k < warps * bin_count; k += blockDim.x) tile[k / bin_count][k % bin_count] = 0;
  // Separates the stores of 0 from the first additions.
  __syncthreads();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    atomicAdd(&tile[warp][in[i] % bin_count], 1u);
  // Separates the additions from the loads of the bins.
  __syncthreads();
  for (unsigned k = threadIdx.x; k < bin_count; k += blockDim.x) {
    unsigned sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum += tile[w][k];
    atomicAdd(&bins[k], sum);
  }
}

enum class values { random, one };

workbook::specimen histogram_row(const char* name, void (*kernel)(const unsigned*, unsigned*, std::size_t),
                                 unsigned per_thread, values which) {
  return row("histogram", name, [=](const workbook::problem& p) {
    const std::vector<unsigned> in =
        listed(p.count, [&](std::size_t i) { return which == values::one ? 77u : few_values(i, p.seed) + bin_count; });
    job<unsigned> j{
        .kernel = reinterpret_cast<const void*>(kernel),
        .grid = dim3(workbook::block_count(p.count, std::size_t{p.block_size} * per_thread)),
        .block = dim3(p.block_size),
        .expected = std::vector<unsigned>(bin_count),
        .start = nullptr,
        .bytes = static_cast<double>(in.size() * sizeof(unsigned)),
        .adds = true,
    };
    for (const unsigned value : in) ++j.expected[value % bin_count];
    j.start = [=, given = j.input(in), n = in.size(), grid = j.grid, block = j.block](unsigned* bins) {
      kernel<<<grid, block>>>(given, bins, n);
    };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> histogram_kernels() {
  return {histogram_row("histogram, bins in global memory", histogram_global, 1, values::random),
          histogram_row("histogram, bins in global memory, all in one", histogram_global, 1, values::one),
          histogram_row("histogram, bins per block", histogram_shared, values_per_thread, values::random),
          histogram_row("histogram, bins per block, all in one", histogram_shared, values_per_thread, values::one),
          histogram_row("histogram, bins per warp", histogram_per_warp, values_per_thread, values::random)};
}

}  // namespace foreign
