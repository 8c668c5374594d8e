// covers: classics | bitonic sort in a block
//
// 256 elements: log2(256) = 8 stages of 1 to 8 steps, 36 steps with a barrier each, and the barrier after the load.
// count: bitonic_sort | barriers | 37
// The comparing lanes read words of different banks: those of one half of a group, then those of the other half.
// count: bitonic_sort | shared bank conflicts | 0
// 8 warps, 128 bytes each.
// count: bitonic_sort | global load sectors | 32
// count: bitonic_sort | global store sectors | 32

#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void bitonic_sort(float* values) {
  extern __shared__ float shared[];
  unsigned int tid = threadIdx.x;
  shared[tid] = values[tid];
  __syncthreads();
  for (unsigned int k = 2; k <= blockDim.x; k *= 2) {
    for (unsigned int j = k / 2; j > 0; j /= 2) {
      unsigned int other = tid ^ j;
      if (other > tid) {
        bool ascending = (tid & k) == 0;
        if ((shared[tid] > shared[other]) == ascending) {
          float t = shared[tid];
          shared[tid] = shared[other];
          shared[other] = t;
        }
      }
      __syncthreads();
    }
  }
  values[tid] = shared[tid];
}

int main() {
  const int n = 256;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>(i * 167 % 256) - 100.5f;
  std::vector<float> expected = values;
  std::sort(expected.begin(), expected.end());

  float* d_values;
  cudaMalloc(&d_values, n * sizeof(float));
  cudaMemcpy(d_values, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  bitonic_sort<<<1, n, n * sizeof(float)>>>(d_values);
  cudaMemcpy(values.data(), d_values, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  std::printf(values == expected ? "sorted\n" : "not sorted\n");
  return values != expected;
}
