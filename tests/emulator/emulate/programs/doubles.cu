// Doubles numbers, prints its arguments, and ends with the status that its first argument gives.
#include <cstdio>
#include <cstdlib>

__global__ void double_all(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] *= 2;
}

int main(int argc, char* argv[]) {
  constexpr int n = 100;
  int host[n];
  for (int i = 0; i < n; ++i) host[i] = i - 50;
  int* device = nullptr;
  if (cudaMalloc(&device, sizeof host) != cudaSuccess) return 9;
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  double_all<<<4, 32>>>(device, n);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    if (host[i] != 2 * (i - 50)) return 8;
  }
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("right on %s\n", properties.name);
  for (int i = 1; i < argc; ++i) std::printf("argument %s\n", argv[i]);
  cudaFree(device);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
