// After chapter 3: a histogram. How often does each value occur?
// A solution of ../3_histogram.cu; only the kernel differs.

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr unsigned block_size = 256;
constexpr unsigned bin_count = 64;
constexpr unsigned per_block = 4096;  // the elements that a block counts

/// Adds to counts[v] the number of times that v occurs in the `n` elements at `in`, all of which are below `bin_count`.
__global__ void histogram(const unsigned* in, unsigned* counts, std::size_t n) {
  __shared__ unsigned bins[bin_count];
  const unsigned tid = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * per_block;

  if (tid < bin_count) bins[tid] = 0;
  __syncthreads();  // all bins are 0 before any thread counts

  for (std::size_t i = first + tid; i < first + per_block && i < n; i += block_size) {
    atomicAdd(&bins[in[i]], 1u);
  }
  __syncthreads();  // all threads have counted before any bin is read

  // Write one result per bin and block.
  if (tid < bin_count) atomicAdd(&counts[tid], bins[tid]);
}

/// Returns `n` values below `bin_count`. Small values are more frequent, so that no two bins have the same count.
std::vector<unsigned> made_up_values(std::size_t n) {
  std::vector<unsigned> values(n);
  unsigned state = 1;
  const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 16; };
  for (unsigned& value : values) {
    const unsigned a = next() % bin_count, b = next() % bin_count;
    value = a * b / bin_count;
  }
  return values;
}

/// Prints what is wrong with the counts, and where to look.
void explain(std::size_t n, const std::vector<unsigned>& expected, const unsigned* counts) {
  std::size_t total = 0;
  for (unsigned v = 0; v < bin_count; ++v) total += counts[v];
  if (total == 0) {
    std::printf("Wrong for n = %zu: every bin of `counts` is still 0.\n", n);
    std::puts("Does each block add its own bins to `counts` at the end?");
    return;
  }
  unsigned v = 0;
  while (counts[v] == expected[v]) ++v;
  std::printf("Wrong for n = %zu: counts[%u] is %u, but the value %u occurs %u times.\n", n, v, counts[v], v,
              expected[v]);
  if (total < n) std::printf("Only %zu of the %zu elements were counted.\n", total, n);
  if (total > n) std::puts("More was counted than there is: do the bins begin at 0, and is each added once?");
  if (total == n) std::puts("Every element was counted once, but not all of them in the right bin.");
  if (n > per_block) std::puts("With a single block all was right, so look at how the blocks' counts come together.");
}

bool right_for(std::size_t n) {
  const std::vector<unsigned> values = made_up_values(n);
  std::vector<unsigned> expected(bin_count);
  for (const unsigned value : values) ++expected[value];

  unsigned *in, *counts;
  cudaMallocManaged(&in, std::max<std::size_t>(n, 1) * sizeof(unsigned));
  cudaMallocManaged(&counts, bin_count * sizeof(unsigned));
  std::copy(values.begin(), values.end(), in);
  std::fill_n(counts, bin_count, 0u);

  const unsigned grid_size = std::max<std::size_t>((n + per_block - 1) / per_block, 1);
  histogram<<<grid_size, block_size>>>(in, counts, n);
  cudaDeviceSynchronize();
  const cudaError_t error = cudaGetLastError();
  const bool right = error == cudaSuccess && std::equal(expected.begin(), expected.end(), counts);
  if (error != cudaSuccess) std::printf("The kernel failed for n = %zu: %s.\n", n, cudaGetErrorString(error));
  if (error == cudaSuccess && !right) explain(n, expected, counts);
  cudaFree(in);
  cudaFree(counts);
  return right;
}

int main() {
  for (const std::size_t n : {0, 1, 255, 256, 257, 4095, 4096, 4097, 10007, 65536}) {
    if (!right_for(n)) return 1;
  }
  std::puts("Right for 10 sizes, from 0 to 65536 elements.");
}
