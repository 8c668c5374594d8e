// Work that lanes of a warp, and warps of a block, share: votes, shuffles, alternating tiles and pipelines.

#include <algorithm>

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include "check.hpp"

namespace {

using mutants::array;
using mutants::numbers;

// Keeps the positive elements in their order, with votes and a sum over the warps.
__global__ void keep_positive(const int* in, int* out, int* kept, int n) {
  __shared__ int counts[4];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const bool keeps = tid < n && in[tid] > 0;
  const unsigned votes = __ballot_sync(~0u, keeps);
  if (lane == 0) counts[warp] = __popc(votes);
  __syncthreads();
  int before = __popc(votes & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) before += counts[w];
  if (keeps) out[before] = in[tid];
  if (tid == 127) *kept = before + keeps;
}

// Each warp has its own tile.
__global__ void rotate_in_warps(const int* in, int* out) {
  __shared__ int tile[4][32];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  int value = in[tid];
  for (int turn = 0; turn < 3; ++turn) {
    tile[warp][lane] = value;
    __syncwarp();
    value = tile[warp][(lane + 5) % 32] + turn;
    __syncwarp();
  }
  out[tid] = value;
}

// The same, but through global memory, which the lanes of a warp share, too.
__global__ void rotate_through_memory(int* data, int* out) {
  const int tid = threadIdx.x, lane = tid % 32, begin = tid - lane;
  int value = data[tid];
  for (int turn = 0; turn < 2; ++turn) {
    __syncwarp();
    data[tid] = value * 2;
    __syncwarp();
    value = data[begin + (lane + 7) % 32];
  }
  out[tid] = value;
}

// Half of the lanes add up their values, with their own mask.
__global__ void sum_half_warps(const int* in, int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    int sum = in[lane];
    for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffu, sum, offset, 16);
    if (lane == 0) out[0] = sum;
  } else {
    int largest = in[lane];
    for (int offset = 8; offset > 0; offset /= 2)
      largest = max(largest, __shfl_xor_sync(0xffff0000u, largest, offset, 16));
    if (lane == 16) out[1] = largest;
  }
}

__global__ void sum_by_warps(const int* in, int* out, int n) {
  __shared__ int sums[32];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  int sum = i < n ? in[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (tid % 32 == 0) sums[tid / 32] = sum;
  __syncthreads();
  if (tid < 32) {
    sum = tid < static_cast<int>(blockDim.x / 32) ? sums[tid] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (tid == 0) atomicAdd(out, sum);
  }
}

// Two warps fill and two read. The fillers only arrive at barrier 1, and the readers only arrive at barrier 2.
__global__ void fill_and_read(const int* in, int* out, int turns) {
  __shared__ int tile[64];
  const int tid = threadIdx.x % 64;
  const bool fills = threadIdx.x < 64;
  for (int k = 0; k < turns; ++k) {
    if (fills) {
      asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[tid] = in[k * 64 + tid] + k;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[k * 64 + tid] = tile[63 - tid];
    }
  }
}

// The next stage is copied while one stage is used.
__global__ void copy_in_stages(const int* in, int* out, int stages) {
  __shared__ __align__(16) int tile[2][128];
  const int tid = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&tile[0][4 * tid], &in[4 * tid], 16);
  __pipeline_commit();
  for (int k = 0; k < stages; ++k) {
    if (k + 1 < stages) __pipeline_memcpy_async(&tile[(k + 1) % 2][4 * tid], &in[128 * (k + 1) + 4 * tid], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int j = 0; j < 4; ++j) sum += tile[k % 2][(tid + 32 * j + 1) % 128] * (j + 1);
    __syncthreads();
  }
  out[tid] = sum;
}

// Threads arrive, do other work, and wait for the data of the other threads.
__global__ void arrive_and_wait(const int* in, int* out, int turns) {
  __shared__ int tile[64];
  __shared__ __mbarrier_t full, empty;
  const int tid = threadIdx.x;
  if (tid == 0) {
    __mbarrier_init(&full, 64);
    __mbarrier_init(&empty, 64);
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    tile[tid] = in[k * 64 + tid];
    const __mbarrier_token_t filled = __mbarrier_arrive(&full);
    sum += k;
    while (!__mbarrier_test_wait(&full, filled)) {
    }
    sum += tile[(tid + 33) % 64];
    const __mbarrier_token_t emptied = __mbarrier_arrive(&empty);
    while (!__mbarrier_test_wait(&empty, emptied)) {
    }
  }
  out[tid] = sum;
}

bool keeps_positive() {
  const std::vector<int> in = numbers(100);
  std::vector<int> expected;
  for (const int x : in)
    if (x > 0) expected.push_back(x);
  const int kept = static_cast<int>(expected.size());
  expected.resize(128);
  const array<int> a(in), out(std::vector<int>(128)), count(std::vector<int>(1));
  keep_positive<<<1, 128>>>(a.get(), out.get(), count.get(), 100);
  return out.holds(expected) && count.holds({kept});
}

bool rotates_in_warps() {
  const std::vector<int> in = numbers(128);
  std::vector<int> expected(128);
  for (int t = 0; t < 128; ++t) expected[t] = in[t / 32 * 32 + (t + 15) % 32] + 3;
  const array<int> a(in), out(std::vector<int>(128));
  rotate_in_warps<<<1, 128>>>(a.get(), out.get());
  return out.holds(expected);
}

bool rotates_through_memory() {
  const std::vector<int> in = numbers(64);
  std::vector<int> expected(64);
  for (int t = 0; t < 64; ++t) expected[t] = 4 * in[t / 32 * 32 + (t + 14) % 32];
  const array<int> a(in), out(std::vector<int>(64));
  rotate_through_memory<<<1, 64>>>(a.get(), out.get());
  return out.holds(expected);
}

bool sums_half_warps() {
  const std::vector<int> in = numbers(32);
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += in[k];
  const array<int> a(in), out(std::vector<int>(2));
  sum_half_warps<<<1, 32>>>(a.get(), out.get());
  return out.holds({sum, *std::max_element(in.begin() + 16, in.end())});
}

bool sums_by_warps() {
  const std::vector<int> in = numbers(450);
  int sum = 0;
  for (const int x : in) sum += x;
  const array<int> a(in), out(std::vector<int>(1));
  sum_by_warps<<<4, 128>>>(a.get(), out.get(), 450);
  return out.holds({sum});
}

bool fills_and_reads() {
  const std::vector<int> in = numbers(3 * 64);
  std::vector<int> expected(3 * 64);
  for (int k = 0; k < 3; ++k)
    for (int t = 0; t < 64; ++t) expected[k * 64 + t] = in[k * 64 + 63 - t] + k;
  const array<int> a(in), out(std::vector<int>(3 * 64));
  fill_and_read<<<1, 128>>>(a.get(), out.get(), 3);
  return out.holds(expected);
}

bool copies_in_stages() {
  const std::vector<int> in = numbers(4 * 128);
  std::vector<int> expected(32);
  for (int k = 0; k < 4; ++k)
    for (int t = 0; t < 32; ++t)
      for (int j = 0; j < 4; ++j) expected[t] += in[128 * k + (t + 32 * j + 1) % 128] * (j + 1);
  const array<int> a(in), out(std::vector<int>(32));
  copy_in_stages<<<1, 32>>>(a.get(), out.get(), 4);
  return out.holds(expected);
}

bool arrives_and_waits() {
  const std::vector<int> in = numbers(3 * 64);
  std::vector<int> expected(64);
  for (int k = 0; k < 3; ++k)
    for (int t = 0; t < 64; ++t) expected[t] += k + in[k * 64 + (t + 33) % 64];
  const array<int> a(in), out(std::vector<int>(64));
  arrive_and_wait<<<1, 64>>>(a.get(), out.get(), 3);
  return out.holds(expected);
}

constexpr mutants::one_case cases[] = {
    {"keep_positive", keeps_positive},
    {"rotate_in_warps", rotates_in_warps},
    {"rotate_through_memory", rotates_through_memory},
    {"sum_half_warps", sums_half_warps},
    {"sum_by_warps", sums_by_warps},
    {"fill_and_read", fills_and_reads},
    {"copy_in_stages", copies_in_stages},
    {"arrive_and_wait", arrives_and_waits},
};

}  // namespace

int main(int argc, char** argv) {
  return mutants::run(argc, argv, cases);
}
