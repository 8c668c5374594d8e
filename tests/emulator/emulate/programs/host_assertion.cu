// An assertion on the host fails after a kernel has failed.
#undef NDEBUG
#include <cassert>

__global__ void fill(int* values) {
  values[threadIdx.x] = 1;
}

int main() {
  int* device = nullptr;
  cudaMalloc(&device, 31 * sizeof *device);
  fill<<<1, 32>>>(device);
  assert(cudaDeviceSynchronize() == cudaSuccess);
}
