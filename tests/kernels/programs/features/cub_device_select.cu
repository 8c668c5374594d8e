// covers: CUB | DeviceSelect::If

#include <cub/device/device_select.cuh>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main() {
  const int n = 3000;
  int *in, *out, *count;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = number(i);
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceSelect::If(scratch, bytes, in, out, count, n, is_even());
  cudaMalloc(&scratch, bytes);
  cub::DeviceSelect::If(scratch, bytes, in, out, count, n, is_even());
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (in[i] % 2 == 0 && out[kept++] != in[i]) return 1;
  }
  return *count != kept;
}
