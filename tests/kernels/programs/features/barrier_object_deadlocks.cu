// covers: device library | mbarriers: deadlocks by a wrong count, parity or number of bytes, and one released too early
// status: 86
// finding: for bar, at which 64 of 65 arrivals have come
// finding: for bar, at which none of 64 arrivals has come
// finding: for bar, at which 1 of 1 arrival has come and 64 bytes are missing
// finding: reads slot[32] in barrier_object_deadlocks.cu:66 without waiting for thread

#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include <cstdint>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// Expects one arrival more than there are threads.
__global__ void wrong_count() {
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x + 1);
  __syncthreads();
  const std::uint64_t token = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_try_wait(&bar, token)) {
  }
}

// The first phase is complete when the second warp waits for the next one.
__global__ void wrong_parity() {
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  ptx::mbarrier_arrive(&bar);
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 1u)) {
  }
}

// Announces more bytes than are copied.
__global__ void too_few_bytes(const int* in) {
  __shared__ std::uint64_t bar;
  __shared__ alignas(16) int slot[64];
  if (threadIdx.x != 0) return;
  ptx::mbarrier_init(&bar, 1);
  ptx::fence_proxy_async();
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, slot, in, 192, &bar);
  const std::uint64_t token =
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  while (!ptx::mbarrier_try_wait(&bar, token)) {
  }
}

// Releases a stage before it has been read.
__global__ void let_go_too_early(const int* in, int* out) {
  __shared__ int slot[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int turn = 0; turn < 4; ++turn) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, slot, in, sizeof slot, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    pipe.consumer_release();
    out[64 * turn + threadIdx.x] = slot[63 - threadIdx.x];
  }
}

int *in, *out;

// Resets the device, because a kernel that faults leaves an error that only a reset clears, and allocates again.
void begin_again() {
  cudaDeviceSynchronize();
  cudaDeviceReset();
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 256 * sizeof(int));
  cudaMemset(in, 0, 256 * sizeof(int));
}

int main() {
  begin_again();
  wrong_count<<<1, 64>>>();
  begin_again();
  wrong_parity<<<1, 64>>>();
  begin_again();
  too_few_bytes<<<1, 32>>>(in);
  begin_again();
  let_go_too_early<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
}
