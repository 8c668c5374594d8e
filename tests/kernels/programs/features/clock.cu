// covers: device library | clock64, clock, __nanosleep: time advances, and more work takes longer

#include <cstdio>

__global__ void measure(long long* times, float* sink) {
  long long begin = clock64();
  float x = threadIdx.x;
  for (int i = 0; i < 10; ++i) x = x * 1.5f + 1.0f;
  long long middle = clock64();
  for (int i = 0; i < 1000; ++i) x = x * 0.5f + 1.0f;
  long long end = clock64();
  __nanosleep(10);
  sink[threadIdx.x] = x;
  if (threadIdx.x == 0) {
    times[0] = middle - begin;
    times[1] = end - middle;
    times[2] = clock() != 0;
  }
}

int main() {
  long long* times;
  float* sink;
  cudaMallocManaged(&times, 3 * sizeof(long long));
  cudaMallocManaged(&sink, 32 * sizeof(float));
  measure<<<1, 32>>>(times, sink);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  std::printf("%lld and %lld\n", times[0], times[1]);
  return !(times[0] > 0 && times[1] > 10 * times[0] && times[2] == 1);
}
