// covers: device library | lanes that leave a polling loop diverged and meet at the next __syncthreads(): no finding
// says: right right right right right right

#include <cstdio>

__device__ unsigned flags[512];

// Block 0 waits for flags of the others, one per thread and iteration. Some lanes still poll after others saw theirs.
__global__ void wait_for_all(unsigned* out, unsigned epoch) {
  __shared__ unsigned arrived;
  if (threadIdx.x == 0) {
    arrived = 0;
    __threadfence();
    *static_cast<volatile unsigned*>(flags + blockIdx.x) = epoch;
  }
  if (blockIdx.x > 0) return;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    while (*static_cast<volatile unsigned*>(flags + i) != epoch) {
    }
  }
  __threadfence();
  __syncthreads();
  atomicAdd(&arrived, 1u);
  __syncthreads();
  if (threadIdx.x == 0) *out = arrived;
}

int main() {
  unsigned* out;
  cudaMallocManaged(&out, sizeof(unsigned));
  for (const unsigned blocks : {2u, 64u, 500u}) {
    for (const unsigned threads : {32u, 128u}) {
      wait_for_all<<<blocks, threads>>>(out, 1000 * blocks + threads);
      if (cudaDeviceSynchronize() != cudaSuccess) return 1;
      std::printf("%s ", *out == threads ? "right" : "wrong");
    }
  }
  std::printf("\n");
}
