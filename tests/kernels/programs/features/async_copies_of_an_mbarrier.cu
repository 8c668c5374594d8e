// covers: libcu++ | copies that arrive at a barrier: reads before the wait, and a wait for the wrong phase
// status: 86
// finding: reads tile[63] in async_copies_of_an_mbarrier.cu:28 without waiting for thread 63, which writes it
// finding: reads tile[96] in async_copies_of_an_mbarrier.cu:44 without waiting for its own asynchronous copy of line 42
// finding: reads stages[0][0] in async_copies_of_an_mbarrier.cu:61

#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int threads = 128, rounds = 4;

#pragma nv_diag_suppress static_var_with_dynamic_init
// The barrier of the block does not wait for copies.
__global__ void block_barrier_instead(const int* in, int* out) {
  __shared__ barrier everyone;
  __shared__ int tile[threads];
  if (threadIdx.x == 0) init(&everyone, threads);
  __syncthreads();
  const auto block = cg::this_thread_block();
  for (int r = 0; r < rounds; ++r) {
    cuda::memcpy_async(block, tile, in + r * threads, sizeof(tile), everyone);
    block.sync();
    // The wait belongs here, not after the sum.
    out[threadIdx.x] += tile[threads - 1 - threadIdx.x];
    everyone.arrive_and_wait();
  }
}

// The same mistake, written by hand: even a thread's own bytes have arrived only after the wait.
__global__ void own_bytes(const int* in, int* out) {
  __shared__ int tile[threads];
  __shared__ alignas(8) unsigned long long object;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(address) : "memory");
  __syncthreads();
  const int* from = in + threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
  out[threadIdx.x] = tile[threadIdx.x];
  for (unsigned over = 0; over == 0;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(address)
                 : "memory");
}

// Two stages with a barrier each. A thread that waits for the second barrier has not waited for the first.
__global__ void wrong_stage(const int* in, int* out) {
  __shared__ barrier filled[2];
  __shared__ int stages[2][threads];
  if (threadIdx.x < 2) init(&filled[threadIdx.x], threads);
  __syncthreads();
  if (threadIdx.x < 64) cuda::memcpy_async(&stages[0][threadIdx.x], in + threadIdx.x, sizeof(int), filled[0]);
  if (threadIdx.x >= 64) cuda::memcpy_async(&stages[1][threadIdx.x], in + threadIdx.x, sizeof(int), filled[1]);
  filled[1].arrive_and_wait();
  out[threadIdx.x] = stages[0][threadIdx.x % 64];
  filled[0].arrive_and_wait();
}

// Right: two stages alternate. Threads wait for a stage before they read it, and for the block before they refill it.
__global__ void in_turn(const int* in, int* out) {
  __shared__ barrier filled[2];
  __shared__ int stages[2][threads];
  if (threadIdx.x < 2) init(&filled[threadIdx.x], threads);
  __syncthreads();
  const auto block = cg::this_thread_block();
  cuda::memcpy_async(block, stages[0], in, sizeof(stages[0]), filled[0]);
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds)
      cuda::memcpy_async(block, stages[(r + 1) % 2], in + (r + 1) * threads, sizeof(stages[0]), filled[(r + 1) % 2]);
    filled[r % 2].arrive_and_wait();
    sum += stages[r % 2][threads - 1 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, rounds * threads * sizeof(int));
  cudaMallocManaged(&out, threads * sizeof(int));
  for (int i = 0; i < rounds * threads; ++i) in[i] = i;
  for (int i = 0; i < threads; ++i) out[i] = 0;
  block_barrier_instead<<<1, threads>>>(in, out);
  own_bytes<<<1, threads>>>(in, out);
  wrong_stage<<<1, threads>>>(in, out);
  in_turn<<<1, threads>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int t = 0; t < threads; ++t) {
    const int wanted = rounds * (threads - 1 - t) + threads * rounds * (rounds - 1) / 2;
    if (out[t] != wanted) return std::printf("out[%d] is %d and not %d\n", t, out[t], wanted), 1;
  }
  return 0;
}
