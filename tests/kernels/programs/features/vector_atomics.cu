// covers: device library | atomics on vectors (float2, float4) in global memory
//
// add_pairs ignores the old values, so its atomics become reductions: one for each of two warps, 64 operations. In
// fetch_fours only the counting in `seen` is a reduction, because the kernel uses the old float4 values.
// count: add_pairs | global reduction requests | 2
// count: add_pairs | global atomic operations | 64
// count: fetch_fours | global reduction requests | 2
// count: fetch_fours | global atomic operations | 128

#include <cstdio>

__global__ void add_pairs(float2* sums) {
  atomicAdd(&sums[threadIdx.x % 8], make_float2(static_cast<float>(threadIdx.x), -1.0f));
}

// Each thread gets back (k, 2 k, 3 k, 4 k), where k is the number of earlier additions to its element.
__global__ void fetch_fours(float4* sums, int* seen) {
  float4 old = atomicAdd(&sums[threadIdx.x % 4], make_float4(1.0f, 2.0f, 3.0f, 4.0f));
  if (old.y == 2 * old.x && old.z == 3 * old.x && old.w == 4 * old.x)
    atomicAdd(&seen[16 * (threadIdx.x % 4) + static_cast<int>(old.x)], 1);
}

int main() {
  float2* pairs;
  float4* fours;
  int* seen;
  cudaMallocManaged(&pairs, 8 * sizeof(float2));
  cudaMallocManaged(&fours, 4 * sizeof(float4));
  cudaMallocManaged(&seen, 64 * sizeof(int));
  for (int k = 0; k < 8; ++k) pairs[k] = make_float2(0.5f, 100.0f);
  for (int k = 0; k < 4; ++k) fours[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int k = 0; k < 64; ++k) seen[k] = 0;
  add_pairs<<<1, 64>>>(pairs);
  fetch_fours<<<1, 64>>>(fours, seen);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  bool right = true;
  // k, k + 8, …, k + 56: 8 k + 224.
  for (int k = 0; k < 8; ++k) right = right && pairs[k].x == 0.5f + 8 * k + 224 && pairs[k].y == 92.0f;
  for (int k = 0; k < 4; ++k)
    right = right && fours[k].x == 16 && fours[k].y == 32 && fours[k].z == 48 && fours[k].w == 64;
  for (int k = 0; k < 64; ++k) right = right && seen[k] == 1;
  cudaFree(pairs);
  cudaFree(fours);
  cudaFree(seen);
  return !right;
}
