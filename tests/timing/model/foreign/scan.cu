// Prefix sums within blocks: each block scans its part of the input separately and inclusively. All numbers are whole,
// so the sums are exact. Blocks have 256 threads, whatever block size the problem has.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned block_size = 256, pair_tile = 2 * block_size;

/// One thread does everything, while 255 others wait.
__global__ void scan_by_one_thread(const float* in, float* out, std::size_t n) {
  __shared__ float tile[block_size];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  tile[tid] = i < n ? in[i] : 0;
  // Separates the stores of all threads from the loads of one.
  __syncthreads();
  if (tid == 0)
    for (unsigned k = 1; k < block_size; ++k) tile[k] += tile[k - 1];
  // Separates the stores of one thread from the loads of all.
  __syncthreads();
  if (i < n) out[i] = tile[tid];
}

/// Hillis and Steele: log2(n) steps, in each of which all threads add. Two tiles are used alternately.
__global__ void scan_hillis_steele(const float* in, float* out, std::size_t n) {
  __shared__ float tile[2][block_size];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  unsigned from = 0;
  tile[from][tid] = i < n ? in[i] : 0;
  for (unsigned stride = 1; stride < block_size; stride *= 2) {
    // Separates the stores to one tile from its loads, and the loads from the other one from its next stores.
    __syncthreads();
    float sum = tile[from][tid];
    if (tid >= stride) sum += tile[from][tid - stride];
    from = 1 - from;
    tile[from][tid] = sum;
  }
  if (i < n) out[i] = tile[from][tid];  // the thread's own store
}

/// Returns where Blelloch's scan stores element k: in place, or with padding of one bank per 32 elements.
template <bool padded>
__device__ unsigned place(unsigned k) {
  return padded ? k + k / 32 : k;
}

/// Blelloch: goes up a tree of sums and down again, with two elements per thread. Without padding, partners are 2, 4, 8
/// … banks apart and conflict.
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
    // Separates the stores of the previous step from the loads of this one.
    __syncthreads();
    if (tid < active)
      tile[place<padded>((2 * tid + 2) * stride - 1)] += tile[place<padded>((2 * tid + 1) * stride - 1)];
    stride *= 2;
  }
  if (tid == 0) tile[place<padded>(pair_tile - 1)] = 0;  // its own store was the last one to this element
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
  // Separates the stores of the last step from the loads of the results.
  __syncthreads();
  if (first < n) out[first] = tile[place<padded>(tid)] + a;
  if (second < n) out[second] = tile[place<padded>(tid + block_size)] + b;
}

/// Each lane adds the values 1, 2, 4, 8 and 16 lanes below it.
__device__ float scan_warp(float sum, unsigned lane) {
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const float other = __shfl_up_sync(~0u, sum, stride);
    if (lane >= stride) sum += other;
  }
  return sum;
}

/// Scans each warp with shuffles, and then the warps' totals in one of the warps. This needs two barriers.
__global__ void scan_shuffle(const float* in, float* out, std::size_t n) {
  __shared__ float totals[block_size / 32];
  const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;
  const float sum = scan_warp(i < n ? in[i] : 0, lane);
  if (lane == 31) totals[warp] = sum;
  // Separates the stores of all warps' totals from the loads of the first warp.
  __syncthreads();
  if (warp == 0) {
    const float scanned = scan_warp(lane < block_size / 32 ? totals[lane] : 0, lane);
    if (lane < block_size / 32) totals[lane] = scanned;
  }
  // Separates the stores of the first warp from the loads of the others.
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
