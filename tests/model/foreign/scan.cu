// Prefix sums within blocks: each stretch of the input that a block has is summed up by itself, and inclusively. All
// numbers are whole, and so the sums are exact. Blocks have 256 threads, whatever the problem says.

#include "model/foreign/foreign.hpp"
#include "model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned block_size = 256, pair_tile = 2 * block_size;

/// One thread does all: 255 others wait.
__global__ void scan_by_one_thread(const float* in, float* out, std::size_t n) {
  __shared__ float tile[block_size];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  tile[tid] = i < n ? in[i] : 0;
  // The stores of all threads come before the loads of one.
  __syncthreads();
  if (tid == 0)
    for (unsigned k = 1; k < block_size; ++k) tile[k] += tile[k - 1];
  // The stores of one thread come before the loads of all.
  __syncthreads();
  if (i < n) out[i] = tile[tid];
}

/// Hillis and Steele: log2(n) steps, in each of which all threads add. Two tiles take turns.
__global__ void scan_hillis_steele(const float* in, float* out, std::size_t n) {
  __shared__ float tile[2][block_size];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  unsigned from = 0;
  tile[from][tid] = i < n ? in[i] : 0;
  for (unsigned stride = 1; stride < block_size; stride *= 2) {
    // The stores to one tile come before its loads; and the loads of the other one before its next stores.
    __syncthreads();
    float sum = tile[from][tid];
    if (tid >= stride) sum += tile[from][tid - stride];
    from = 1 - from;
    tile[from][tid] = sum;
  }
  if (i < n) out[i] = tile[from][tid];  // its own store
}

/// Where Blelloch's scan keeps element k: in place, or a bank further for each 32.
template <bool padded>
__device__ unsigned place(unsigned k) {
  return padded ? k + k / 32 : k;
}

/// Blelloch: up a tree of sums and down again, two elements per thread. Without padding partners lie 2, 4, 8 … banks
/// apart, and meet.
template <bool padded>
__global__ void scan_blelloch(const float* in, float* out, std::size_t n) {
  __shared__ float tile[padded ? pair_tile + pair_tile / 32 : pair_tile];
  const unsigned tid = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * pair_tile + tid, second = first + block_size;
  const float a = first < n ? in[first] : 0, b = second < n ? in[second] : 0;
  tile[place<padded>(tid)] = a;
  tile[place<padded>(tid + block_size)] = b;
  unsigned stride = 1;
  for (unsigned active = block_size; active > 0; active /= 2) {
    // The stores of the step before come before the loads of this one.
    __syncthreads();
    if (tid < active)
      tile[place<padded>((2 * tid + 2) * stride - 1)] += tile[place<padded>((2 * tid + 1) * stride - 1)];
    stride *= 2;
  }
  if (tid == 0) tile[place<padded>(pair_tile - 1)] = 0;  // its own store was the last to it
  for (unsigned active = 1; active <= block_size; active *= 2) {
    stride /= 2;
    // As above.
    __syncthreads();
    if (tid < active) {
      float& left = tile[place<padded>((2 * tid + 1) * stride - 1)];
      float& right = tile[place<padded>((2 * tid + 2) * stride - 1)];
      const float before = left;
      left = right;
      right += before;
    }
  }
  // The stores of the last step come before the loads of the results.
  __syncthreads();
  if (first < n) out[first] = tile[place<padded>(tid)] + a;
  if (second < n) out[second] = tile[place<padded>(tid + block_size)] + b;
}

/// Each lane adds what lies 1, 2, 4, 8 and 16 lanes below it.
__device__ float scan_warp(float sum, unsigned lane) {
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const float other = __shfl_up_sync(~0u, sum, stride);
    if (lane >= stride) sum += other;
  }
  return sum;
}

/// Warps by shuffles, then the warps' totals by one of them: two barriers.
__global__ void scan_shuffle(const float* in, float* out, std::size_t n) {
  __shared__ float totals[block_size / 32];
  const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  const float sum = scan_warp(i < n ? in[i] : 0, lane);
  if (lane == 31) totals[warp] = sum;
  // The stores of all warps' totals come before the loads of the first warp.
  __syncthreads();
  if (warp == 0) {
    const float scanned = scan_warp(lane < block_size / 32 ? totals[lane] : 0, lane);
    if (lane < block_size / 32) totals[lane] = scanned;
  }
  // The stores of the first warp come before the loads of the others.
  __syncthreads();
  if (i < n) out[i] = warp > 0 ? sum + totals[warp - 1] : sum;
}

workbook::specimen scan_row(const char* name, void (*kernel)(const float*, float*, std::size_t),
                            unsigned tile = block_size) {
  return row("scan of a block", name, [=](workbook::problem p) {
    p.block_size = block_size;
    const std::vector<float> in = small_numbers(p.count, p.seed);
    float sum = 0;
    return map_job(kernel, p, in,
                   listed(in.size(),
                          [&](std::size_t i) {
                            sum = i % tile == 0 ? in[i] : sum + in[i];
                            return sum;
                          }),
                   tile / block_size);
  });
}

}  // namespace

std::vector<workbook::specimen> scan_kernels() {
  return {scan_row("scan, by one thread", scan_by_one_thread), scan_row("scan, Hillis and Steele", scan_hillis_steele),
          scan_row("scan, Blelloch", scan_blelloch<false>, pair_tile),
          scan_row("scan, Blelloch with padding", scan_blelloch<true>, pair_tile),
          scan_row("scan, by shuffles", scan_shuffle)};
}

}  // namespace foreign
