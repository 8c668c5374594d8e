// covers: device library | lanes that have polled reach different barriers, or some reach none: the finding names them
// status: 86
// finding: polls_before_different_barriers.cu:25
// finding: polls_before_different_barriers.cu:28
// finding: polls_before_different_barriers.cu:41
// finding: polls_before_different_barriers.cu:44

__device__ unsigned flag;

// Lane 5 waits for block 1, so the other lanes continue without it.
__device__ void wait_for_the_other_block(unsigned epoch) {
  if (threadIdx.x == 5) {
    while (*static_cast<volatile unsigned*>(&flag) != epoch) {
    }
  }
}

__global__ void two_barriers(unsigned* out, unsigned epoch) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *static_cast<volatile unsigned*>(&flag) = epoch;
    return;
  }
  wait_for_the_other_block(epoch);
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}

__global__ void half_of_them(unsigned* out, unsigned epoch) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *static_cast<volatile unsigned*>(&flag) = epoch;
    return;
  }
  wait_for_the_other_block(epoch);
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 3;
    __syncthreads();
  }
  out[32 + threadIdx.x] = 4;
  __syncthreads();
}

int main() {
  unsigned* out;
  cudaMallocManaged(&out, 64 * sizeof(unsigned));
  two_barriers<<<2, 32>>>(out, 1);
  cudaDeviceSynchronize();
  half_of_them<<<2, 32>>>(out, 2);
  cudaDeviceSynchronize();
}
