// covers: device library | bulk copies: reads before the wait, and writes to memory that a copy still reads
// status: 86
// finding: Thread 0 reads tile[0] in bulk_copies_missing_waits.cu:31 without waiting for its own asynchronous copy
// finding: Thread 32 reads tile[32] in bulk_copies_missing_waits.cu:45 without waiting for thread 0, which writes it in
// finding: Thread 0 reads tile[0] in bulk_copies_missing_waits.cu:31, but no thread of the block has written it
// finding: Thread 32 reads tile[32] in bulk_copies_missing_waits.cu:45, but no thread of the block has written it
// finding: Thread 0 writes tile[0] in bulk_copies_missing_waits.cu:59 without waiting for its own bulk copy to global

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int threads = 64;

__device__ void begin(std::uint64_t* barrier, int* tile, const int* in) {
  if (threadIdx.x == 0) ptx::mbarrier_init(barrier, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, threads * sizeof(int));
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, threads * sizeof(int), barrier);
}

// A barrier of the block does not wait for the copy.
__global__ void block_barrier_instead(const int* in, int* out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ std::uint64_t barrier;
  begin(&barrier, tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
}

// One warp waits, the other doesn't.
__global__ void one_waits(const int* in, int* out) {
  __shared__ alignas(128) int tile[threads];
  __shared__ std::uint64_t barrier;
  begin(&barrier, tile, in);
  if (threadIdx.x < 32)
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
  // The second warp arrives here at once.
  out[threadIdx.x] = tile[threadIdx.x];
}

// The tile is written again while a copy to global memory may still read it.
__global__ void overwritten(int* out) {
  __shared__ alignas(128) int tile[threads];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
  }
  __syncthreads();
  tile[threadIdx.x] = 0;
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, threads * sizeof(int));
  cudaMallocManaged(&out, threads * sizeof(int));
  for (int i = 0; i < threads; ++i) in[i] = i;
  block_barrier_instead<<<1, threads>>>(in, out);
  one_waits<<<1, threads>>>(in, out);
  overwritten<<<1, threads>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
  return 0;
}
