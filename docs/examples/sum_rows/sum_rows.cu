// Sums the rows of a matrix. Exit status: 0 the sums are right, 1 they are not, 77 there is no GPU.

#include <cstdio>
#include <vector>

#include "reductions/buffer.hpp"
#include "reductions/rows.cuh"

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::puts("no GPU"), 77;

  const std::size_t rows = 3, columns = 1000;
  std::vector<float> matrix(rows * columns);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(i / columns + 1);

  workbook::device_bytes in(matrix.size() * sizeof(float)), out(rows * sizeof(double));
  workbook::device_bytes workspace(workbook::reduce_rows_workspace_bytes<double>());
  workbook::check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
  workbook::check(cudaMemcpy(in.data(), matrix.data(), in.size_bytes(), cudaMemcpyHostToDevice));

  workbook::reduce_rows<double>(reinterpret_cast<const float*>(in.data()), reinterpret_cast<double*>(out.data()), rows,
                                columns, columns, workspace.data());
  workbook::check(cudaGetLastError());

  std::vector<double> sums(rows);
  workbook::check(cudaMemcpy(sums.data(), out.data(), out.size_bytes(), cudaMemcpyDeviceToHost));
  std::printf("%g %g %g\n", sums[0], sums[1], sums[2]);
  return sums == std::vector<double>{1000, 2000, 3000} ? 0 : 1;
}
