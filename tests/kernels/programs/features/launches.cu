// covers: host | opt-in dynamic shared memory, cudaLaunchKernelEx, cudaLaunchKernel, cooperative launch

#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void reverse(int* values, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = values[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = tile[n - 1 - i];
}

__global__ void rotate(int* values, int* scratch, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = static_cast<int>(grid.thread_rank());
  if (i < n) scratch[i] = values[(i + 1) % n];
  grid.sync();
  if (i < n) values[i] = scratch[i] + values[i] * 0;
}

int main() {
  const int n = 24 * 1024;  // 96 KiB, more than the 48 KiB that every kernel may use
  int* values;
  cudaMallocManaged(&values, n * sizeof(int));
  for (int i = 0; i < n; ++i) values[i] = i;
  const int bytes = n * sizeof(int);
  reverse<<<1, 256, bytes>>>(values, n);
  if (cudaGetLastError() != cudaErrorInvalidValue) return 2;
  if (cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) return 3;
  reverse<<<1, 256, bytes>>>(values, n);

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(128);
  config.dynamicSmemBytes = bytes;
  if (cudaLaunchKernelEx(&config, reverse, values, n) != cudaSuccess) return 4;
  int count = n;
  void* arguments[] = {&values, &count};
  if (cudaLaunchKernel(reinterpret_cast<void*>(reverse), dim3(1), dim3(64), arguments, bytes, nullptr) != cudaSuccess)
    return 5;
  if (cudaDeviceSynchronize() != cudaSuccess) return 6;
  for (int i = 0; i < n; ++i) {
    if (values[i] != n - 1 - i) return 1;  // reversed three times
  }

  int* scratch;
  int small = 1000;
  cudaMallocManaged(&scratch, small * sizeof(int));
  for (int i = 0; i < small; ++i) values[i] = i;
  void* all[] = {&values, &scratch, &small};
  if (cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(8), dim3(128), all) != cudaSuccess) return 7;
  if (cudaDeviceSynchronize() != cudaSuccess) return 8;
  for (int i = 0; i < small; ++i) {
    if (values[i] != (i + 1) % small) return 9;
  }
  return 0;
}
