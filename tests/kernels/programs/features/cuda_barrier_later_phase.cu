// covers: libcu++ | a wait for one phase of a cuda::barrier does not order the writes of the next one: a race
// status: 86
// finding: in cuda_barrier_later_phase.cu:27 without waiting for thread 32, which writes it in line 20
// Warp 1 writes for phase 0, and for phase 1 after phase 0 is complete. Warp 3 waits for phase 0 only and reads late,
// so it races with the second write. Warp 2 waits for both phases, so it may read.

#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void late(const int* in, int* out) {
  __shared__ barrier filled;
  __shared__ int value[2];
  if (threadIdx.x == 0) init(&filled, 2);
  __syncthreads();
  if (threadIdx.x == 32) {
    value[1] = in[1];
    filled.arrive_and_wait();
    value[0] = in[0];
    (void)filled.arrive();
  } else if (threadIdx.x == 0) {
    filled.arrive_and_wait();
    (void)filled.arrive();
  } else if (threadIdx.x == 96) {
    filled.wait_parity(false);
    out[0] = value[0];
    out[1] = value[1];
  } else if (threadIdx.x == 64) {
    filled.wait_parity(false);
    filled.wait_parity(true);
    out[2] = value[0] + value[1];
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 2 * sizeof(int));
  in[0] = 20, in[1] = 10;
  cudaMallocManaged(&out, 4 * sizeof(int));
  late<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  return 0;
}
