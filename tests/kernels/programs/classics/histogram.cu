// covers: classics | histogram with atomics on shared memory
//
// 4096 bytes and 8 blocks of 256 threads, so each of the 64 warps makes two iterations of the loop: 128 loads of 32
// bytes, a sector each, and 128 atomics on shared memory.
// count: histogram | global load requests | 128
// count: histogram | global load sectors | 128
// count: histogram | shared atomics | 128
// At the end each thread adds its bin to the result: 8 warps a block, 32 bins of 4 bytes each.
// count: histogram | global reduction requests | 64
// count: histogram | global reduction sectors | 256
// One barrier after the bins are cleared and one after the counting.
// count: histogram | barriers | 16

#include <cstdio>
#include <vector>

const int BINS = 256;

__global__ void histogram(const unsigned char* data, int n, unsigned int* bins) {
  __shared__ unsigned int local[BINS];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int n = 4096;
  std::vector<unsigned char> data(n);
  std::vector<unsigned int> expected(BINS, 0), bins(BINS);
  for (int i = 0; i < n; ++i) {
    data[i] = static_cast<unsigned char>(i * i + i / 7);
    ++expected[data[i]];
  }
  unsigned char* d_data;
  unsigned int* d_bins;
  cudaMalloc(&d_data, n);
  cudaMalloc(&d_bins, BINS * sizeof(unsigned int));
  cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(d_bins, 0, BINS * sizeof(unsigned int));
  histogram<<<8, BINS>>>(d_data, n, d_bins);
  cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  cudaFree(d_data);
  cudaFree(d_bins);
  for (int b = 0; b < BINS; ++b) {
    if (bins[b] != expected[b]) {
      std::printf("bin %d: %u, not %u\n", b, bins[b], expected[b]);
      return 1;
    }
  }
  return 0;
}
