// Computes z = x + y on a GPU: device memory, two copies to it, a launch, a copy back.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(1);
}

__global__ void add(const float* x, const float* y, float* z, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

int main() {
  const std::size_t n = 1000, bytes = n * sizeof(float);
  std::vector<float> x(n, 1), y(n, 2), z(n);

  float *device_x, *device_y, *device_z;
  check(cudaMalloc(&device_x, bytes));
  check(cudaMalloc(&device_y, bytes));
  check(cudaMalloc(&device_z, bytes));
  check(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));

  const unsigned block_size = 128, grid_size = (n + block_size - 1) / block_size;
  add<<<grid_size, block_size>>>(device_x, device_y, device_z, n);
  check(cudaGetLastError());

  check(cudaMemcpy(z.data(), device_z, bytes, cudaMemcpyDeviceToHost));
  std::printf("first %g, last %g\n", z.front(), z.back());

  check(cudaFree(device_x));
  check(cudaFree(device_y));
  check(cudaFree(device_z));
}
