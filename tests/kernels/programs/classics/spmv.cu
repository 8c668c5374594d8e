// covers: classics | sparse matrix times vector (CSR) with one warp per row and shuffles
//
// Row r has (r * 7) % 70 entries. Each of the 200 warps computes one row, with one iteration of its loop for each 32
// entries or part of them: sum over the rows of ceil(length / 32). The lengths 0, 7, …, 63 repeat every 10 rows, 20
// times: 0 needs no iteration; 7, 14, 21, 28 one each; 35, 42, 49, 56, 63 two each; so 20 * (4 + 10) = 280 iterations.
// Each iteration loads a column index, a value and x: 840 requests. Each row loads its begin and its end, which the
// compiler loads one by one: 400.
// count: spmv | global load requests | 1240
// Lane 0 writes y. Each row takes five shuffles.
// count: spmv | global store requests | 200
// count: spmv | shuffles | 1000

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void spmv(int rows, const int* row_begin, const int* columns, const float* values, const float* x,
                     float* y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 1
  for (int k = row_begin[row] + lane, end = row_begin[row + 1]; k < end; k += 32) sum += values[k] * x[columns[k]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

template <typename T>
T* to_device(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}

int main() {
  const int rows = 200;
  std::vector<int> row_begin(1, 0), columns;
  std::vector<float> values, x(rows), y(rows);
  for (int r = 0; r < rows; ++r) {
    x[r] = static_cast<float>(r % 13 - 6);
    for (int k = 0; k < r * 7 % 70; ++k) {
      columns.push_back((r + 3 * k) % rows);
      values.push_back(static_cast<float>((r + k) % 9 - 4));
    }
    row_begin.push_back(static_cast<int>(columns.size()));
  }
  int* d_begin = to_device(row_begin);
  int* d_columns = to_device(columns);
  float* d_values = to_device(values);
  float* d_x = to_device(x);
  float* d_y;
  cudaMalloc(&d_y, rows * sizeof(float));
  spmv<<<(rows * 32 + 127) / 128, 128>>>(rows, d_begin, d_columns, d_values, d_x, d_y);
  cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    float expected = 0;  // small integers, so the sum is exact in any order
    for (int k = row_begin[r]; k < row_begin[r + 1]; ++k) expected += values[k] * x[columns[k]];
    if (y[r] != expected) {
      std::printf("row %d: %g, not %g\n", r, y[r], expected);
      return 1;
    }
  }
  cudaFree(d_begin);
  cudaFree(d_columns);
  cudaFree(d_values);
  cudaFree(d_x);
  cudaFree(d_y);
  return 0;
}
