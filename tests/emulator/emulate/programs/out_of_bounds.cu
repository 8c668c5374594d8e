// Writes one element past the end. With an argument, the program checks the error and ends with status 3.
#include <cstdio>

__global__ void fill(int* values) {
  values[threadIdx.x] = 1;
}

int main(int argc, char**) {
  int* device = nullptr;
  cudaMalloc(&device, 31 * sizeof *device);
  fill<<<1, 32>>>(device);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return argc > 1 && error != cudaSuccess ? 3 : 0;
}
