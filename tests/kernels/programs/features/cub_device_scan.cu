// covers: CUB | DeviceScan::InclusiveSum

#include <cub/device/device_scan.cuh>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

int main() {
  const int n = 3000;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = number(i);
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
  cudaMalloc(&scratch, bytes);
  cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    if (out[i] != sum) return 1;
  }
  return 0;
}
