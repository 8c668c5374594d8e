// covers: CUB | DeviceHistogram::HistogramEven

#include <cub/device/device_histogram.cuh>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

int main() {
  const int n = 3000, bins = 16;
  int *in, *counts;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&counts, bins * sizeof(int));
  int expected[bins] = {};
  for (int i = 0; i < n; ++i) {
    in[i] = number(i);
    if (in[i] >= -1600 && in[i] < 1600) ++expected[(in[i] + 1600) / 200];
  }
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceHistogram::HistogramEven(scratch, bytes, in, counts, bins + 1, -1600, 1600, n);
  cudaMalloc(&scratch, bytes);
  cub::DeviceHistogram::HistogramEven(scratch, bytes, in, counts, bins + 1, -1600, 1600, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int b = 0; b < bins; ++b) {
    if (counts[b] != expected[b]) return 1;
  }
  return 0;
}
