// covers: host | constant memory and device symbols
// Each of the two warps loads the three coefficients, with all lanes reading the same one.
// count: polynomial | constant loads | 6

#include <cstdio>

__constant__ float coefficients[3];
__device__ int calls = 5;
__device__ float results[64];

__global__ void polynomial() {
  float x = static_cast<float>(threadIdx.x);
  results[threadIdx.x] = coefficients[0] + x * (coefficients[1] + x * coefficients[2]);
  if (threadIdx.x == 0) calls += 1;
}

int main() {
  const float host[3] = {1.0f, 2.0f, 3.0f};
  cudaMemcpyToSymbol(coefficients, host, sizeof host);
  polynomial<<<1, 64>>>();
  float out[64];
  int count = 0;
  cudaMemcpyFromSymbol(out, results, sizeof out);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, calls);
  cudaMemcpy(&count, address, sizeof count, cudaMemcpyDeviceToHost);
  size_t size = 0;
  cudaGetSymbolSize(&size, results);
  if (count != 6 || size != sizeof out) return 2;
  for (int x = 0; x < 64; ++x) {
    if (out[x] != 1.0f + 2.0f * x + 3.0f * x * x) return 1;
  }
  return 0;
}
