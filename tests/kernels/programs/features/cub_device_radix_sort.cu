// covers: CUB | DeviceRadixSort::SortPairs

#include <cub/device/device_radix_sort.cuh>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

int main() {
  const int n = 3000;
  int *keys, *values, *sorted_keys, *sorted_values;
  cudaMallocManaged(&keys, n * sizeof(int));
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&sorted_keys, n * sizeof(int));
  cudaMallocManaged(&sorted_values, n * sizeof(int));
  for (int i = 0; i < n; ++i) keys[i] = number(i), values[i] = i;
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, values, sorted_values, n);
  cudaMalloc(&scratch, bytes);
  cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, values, sorted_values, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int i = 0; i < n; ++i) {
    if (keys[sorted_values[i]] != sorted_keys[i]) return 3;
    if (i == 0) continue;
    if (sorted_keys[i] < sorted_keys[i - 1]) return 1;
    if (sorted_keys[i] == sorted_keys[i - 1] && sorted_values[i] < sorted_values[i - 1]) return 4;  // stable
  }
  return 0;
}
