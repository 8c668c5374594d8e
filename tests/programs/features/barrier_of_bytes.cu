// refuses: libcu++ | barriers that count bytes (expect_tx): the instruction is named, with what to do instead
// status: 86
// finding: barriers that count bytes are not emulated

#include <cuda/barrier>

__global__ void expect(int* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    auto token = cuda::device::barrier_arrive_tx(bar, 1, 0);
    bar.wait(static_cast<barrier::arrival_token&&>(token));
  }
  out[threadIdx.x] = 1;
}

int main() {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  expect<<<1, 32>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
