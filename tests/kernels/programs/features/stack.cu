// covers: functions | device functions that are not inlined, with structures and arrays on the stack

#include <cstdio>

struct matrix {
  float m[3][3];
};

__device__ __noinline__ matrix multiply(const matrix& a, matrix b) {
  matrix c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      c.m[i][j] = 0.0f;
      for (int k = 0; k < 3; ++k) c.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  }
  return c;
}

__device__ __noinline__ void swap_rows(matrix* a, int i, int j) {
  for (int k = 0; k < 3; ++k) {
    float t = a->m[i][k];
    a->m[i][k] = a->m[j][k];
    a->m[j][k] = t;
  }
}

__global__ void run(float* out) {
  matrix a, b;
  for (int k = 0; k < 9; ++k) {
    a.m[k / 3][k % 3] = static_cast<float>(k + threadIdx.x);
    b.m[k / 3][k % 3] = static_cast<float>(k == 4 ? 2 : k % 4 == 0);
  }
  matrix c = multiply(a, b);
  swap_rows(&c, threadIdx.x % 3, 0);
  for (int k = 0; k < 9; ++k) out[threadIdx.x * 9 + k] = c.m[k / 3][k % 3];
}

int main() {
  float* out;
  cudaMallocManaged(&out, 32 * 9 * sizeof(float));
  run<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int t = 0; t < 32; ++t) {
    for (int k = 0; k < 9; ++k) {
      int row = k / 3, column = k % 3;  // b doubles the middle column
      int from = row == 0 ? t % 3 : row == t % 3 ? 0 : row;
      float expected = (from * 3 + column + t) * (column == 1 ? 2.0f : 1.0f);
      if (out[t * 9 + k] != expected) {
        std::printf("thread %d, %d: %g, not %g\n", t, k, out[t * 9 + k], expected);
        return 1;
      }
    }
  }
  return 0;
}
