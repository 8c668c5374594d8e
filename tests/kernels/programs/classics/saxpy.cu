// covers: classics | SAXPY
//
// 1000 elements in blocks of 256 threads: 32 warps, of which 31 are full and the last has 8 elements. A full warp reads
// 128 bytes of x and of y, 4 sectors each. The last one reads 32 bytes, 1 sector: 31 * 4 + 1 = 125 per array.
// count: saxpy | global load requests | 64
// count: saxpy | global load sectors | 250
// count: saxpy | global store requests | 32
// count: saxpy | global store sectors | 125
// Only the last warp diverges at `if (i < n)`.
// count: saxpy | divergent branches | 1
// count: saxpy | barriers | 0

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1000;
  std::vector<float> x(n), y(n, 2.0f);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);

  float *d_x, *d_y;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_y, n * sizeof(float));
  cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, d_x, d_y);
  cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_y);

  for (int i = 0; i < n; ++i) {
    if (y[i] != 3.0f * static_cast<float>(i) + 2.0f) {
      std::printf("y[%d] is %g\n", i, y[i]);
      return 1;
    }
  }
  return 0;
}
