// covers: libcu++ | waits for an arrival that never happens: barrier, latch, semaphore, atomic_ref::wait
// status: 86
// finding: blocks 0-1 wait in waits_in_libcupp.cu:26 for everyone
// finding: blocks 0-1 wait in waits_in_libcupp.cu:36 for memory
// finding: block 0 waits in waits_in_libcupp.cu:46 for tickets
// finding: blocks 0-1 wait in waits_in_libcupp.cu:52 for flag
// says: cudaErrorLaunchTimeout cudaErrorLaunchTimeout cudaErrorLaunchTimeout cudaErrorLaunchTimeout

#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

using barrier = cuda::barrier<cuda::thread_scope_block>;
using latch = cuda::latch<cuda::thread_scope_block>;
using semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 4>;

#pragma nv_diag_suppress static_var_with_dynamic_init
// One warp leaves without arriving.
__global__ void leaves(int* out) {
  __shared__ barrier everyone;
  if (threadIdx.x == 0) init(&everyone, blockDim.x);
  __syncthreads();
  if (threadIdx.x / 32 == 2) return;
  everyone.arrive_and_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// The latch expects two arrivals more than there are threads.
__global__ void too_many(int* out) {
  __shared__ alignas(latch) char memory[sizeof(latch)];
  auto& done = *reinterpret_cast<latch*>(memory);
  if (threadIdx.x == 0) new (memory) latch(blockDim.x + 2);
  __syncthreads();
  done.arrive_and_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// There is one ticket for two warps.
__global__ void one_ticket(int* out) {
  __shared__ semaphore tickets;
  if (threadIdx.x == 0) new (&tickets) semaphore(0);
  __syncthreads();
  if (threadIdx.x == 0) tickets.release(1);
  if (threadIdx.x == 32 || threadIdx.x == 64) tickets.acquire();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__device__ int flag;
__global__ void nobody_sets(int* out) {
  if (threadIdx.x == 0) cuda::atomic_ref<int, cuda::thread_scope_device>(flag).wait(0);
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

template <typename Kernel>
void run(Kernel kernel, int blocks) {
  int* out;
  cudaMallocManaged(&out, 256 * sizeof(int));
  kernel<<<blocks, 128>>>(out);
  std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  run(leaves, 2);
  run(too_many, 2);
  run(one_ticket, 1);
  run(nobody_sets, 2);
  return 0;
}
