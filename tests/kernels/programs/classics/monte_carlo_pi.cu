// covers: classics | pi by Monte Carlo: random numbers in each thread, a sum and one atomic per block
//
// 16 blocks of 128 threads. Each block adds its hits with one atomic. One barrier after the hits are written and one in
// each of 7 steps: 8 a block.
// count: count_hits | global reduction requests | 16
// count: count_hits | barriers | 128

#include <cmath>
#include <cstdio>
#include <cstdlib>

__host__ __device__ inline unsigned next(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__host__ __device__ inline unsigned hits_of(unsigned thread, int samples) {
  unsigned state = thread * 2654435761u + 12345u;
  unsigned hits = 0;
  for (int k = 0; k < samples; ++k) {
    float x = static_cast<float>(next(state) >> 8) / 16777216.0f;
    float y = static_cast<float>(next(state) >> 8) / 16777216.0f;
    if (x * x + y * y <= 1.0f) ++hits;
  }
  return hits;
}

__global__ void count_hits(int samples, unsigned long long* total) {
  __shared__ unsigned hits[128];
  hits[threadIdx.x] = hits_of(blockIdx.x * blockDim.x + threadIdx.x, samples);
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) hits[threadIdx.x] += hits[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, static_cast<unsigned long long>(hits[0]));
}

int main() {
  const int blocks = 16, threads = 128, samples = 64;
  unsigned long long* total;
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  count_hits<<<blocks, threads>>>(samples, total);
  cudaDeviceSynchronize();
  // If x * x + y * y is close to 1, the device may round it differently, because it multiplies and adds in one step.
  long long expected = 0;
  for (unsigned t = 0; t < blocks * threads; ++t) expected += hits_of(t, samples);
  const double pi = 4.0 * static_cast<double>(*total) / (blocks * threads * samples);
  if (std::llabs(static_cast<long long>(*total) - expected) > 2 || std::fabs(pi - 3.14159) > 0.02) {
    std::printf("%llu hits, not %lld; pi = %f\n", *total, expected, pi);
    return 1;
  }
  cudaFree(total);
  return 0;
}
