// covers: classics | tiled matrix product
//
// Matrices of 64 x 64 floats in tiles of 16 x 16: 16 blocks of 8 warps, each with 4 pairs of tiles. A warp is two rows
// of a tile, 2 * 64 bytes: 4 sectors. 16 * 8 * 4 * 2 = 1024 loads, 4096 sectors.
// count: multiply | global load requests | 1024
// count: multiply | global load sectors | 4096
// count: multiply | global store sectors | 512
// One barrier after the tiles are loaded and one after they are used: 16 * 4 * 2.
// count: multiply | barriers | 128
// a[ty][k] is two words of different banks, read by 16 lanes each. b[k][tx] is 16 words, each read by two lanes.
// count: multiply | shared bank conflicts | 0
// count: multiply | shared stores | 1024

#include <cmath>
#include <cstdio>
#include <vector>

const int TILE = 16;

__global__ void multiply(const float* A, const float* B, float* C, int n) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < n / TILE; ++t) {
    a[ty][tx] = A[row * n + t * TILE + tx];
    b[ty][tx] = B[(t * TILE + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

int main() {
  const int n = 64;
  std::vector<float> A(n * n), B(n * n), C(n * n);
  for (int i = 0; i < n * n; ++i) {
    A[i] = static_cast<float>(i % 7 - 3);
    B[i] = static_cast<float>(i % 5 - 2);
  }
  const size_t bytes = n * n * sizeof(float);
  float *d_A, *d_B, *d_C;
  cudaMalloc(&d_A, bytes);
  cudaMalloc(&d_B, bytes);
  cudaMalloc(&d_C, bytes);
  cudaMemcpy(d_A, A.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_B, B.data(), bytes, cudaMemcpyHostToDevice);
  multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(d_A, d_B, d_C, n);
  cudaMemcpy(C.data(), d_C, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_A);
  cudaFree(d_B);
  cudaFree(d_C);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + column];
      if (C[row * n + column] != sum) {
        std::printf("C[%d][%d] is %g, not %g\n", row, column, C[row * n + column], sum);
        return 1;
      }
    }
  }
  return 0;
}
