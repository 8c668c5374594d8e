// covers: device library | bulk copies: an address that is no multiple of 16 (on an H100, too)
// status: 86
// says: cudaErrorMisalignedAddress
// finding: Misaligned: thread 0 reads 16 bytes at once, beginning with in[0]

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void copy(const int* in, int* out, int bytes) {
  __shared__ alignas(128) int tile[256];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, bytes, &barrier);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 1024);
  copy<<<1, 32>>>(in + 1, out, 1008);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
