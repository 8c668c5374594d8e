// covers: device library | bulk copies whose size is not a multiple of 16 bytes, which never end on an H100
// status: 86
// finding: begins a bulk copy in bulk_copies_of_wrong_size.cu:16 of 1000 bytes, which isn't a multiple of 16

#include <cstdint>
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
  copy<<<1, 32>>>(in, out, 1000);
  return cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
}
