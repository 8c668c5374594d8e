// Transposition of a square matrix: out[x][y] = in[y][x]. Blocks have 32 x 8 threads, whatever block size the problem
// has, and move tiles of 32 x 32 elements; the side n is a multiple of 32.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned tile_side = 32, rows_at_once = 8;

/// Copies the matrix without transposing it, which shows the minimum cost of moving it.
__global__ void copy_matrix(const float* in, float* out, unsigned n) {
  const unsigned x = blockIdx.x * tile_side + threadIdx.x;
  const unsigned y = blockIdx.y * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) out[(y + k) * n + x] = in[(y + k) * n + x];
}

/// Neighbouring lanes read a row and write a column, so each store needs 32 sectors.
__global__ void transpose_rows_to_columns(const float* in, float* out, unsigned n) {
  const unsigned x = blockIdx.x * tile_side + threadIdx.x;
  const unsigned y = blockIdx.y * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) out[x * n + y + k] = in[(y + k) * n + x];
}

/// The reverse: each load needs 32 sectors.
__global__ void transpose_columns_to_rows(const float* in, float* out, unsigned n) {
  const unsigned x = blockIdx.x * tile_side + threadIdx.x;
  const unsigned y = blockIdx.y * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) out[(y + k) * n + x] = in[x * n + y + k];
}

/// Reads and writes rows, with a tile in between. All elements of a tile's column are in one bank: a 32-way conflict.
__global__ void transpose_tile(const float* in, float* out, unsigned n) {
  __shared__ float tile[tile_side][tile_side];
  unsigned x = blockIdx.x * tile_side + threadIdx.x;
  unsigned y = blockIdx.y * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  // Separates the stores of rows above from the loads of columns below.
  __syncthreads();
  x = blockIdx.y * tile_side + threadIdx.x;
  y = blockIdx.x * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

/// An additional column, which is not used, shifts each row by one bank, so there is no conflict.
__global__ void transpose_tile_padded(const float* in, float* out, unsigned n) {
  __shared__ float tile[tile_side][tile_side + 1];
  unsigned x = blockIdx.x * tile_side + threadIdx.x;
  unsigned y = blockIdx.y * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  // Separates the stores of rows above from the loads of columns below.
  __syncthreads();
  x = blockIdx.y * tile_side + threadIdx.x;
  y = blockIdx.x * tile_side + threadIdx.y;
  for (unsigned k = 0; k < tile_side; k += rows_at_once) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

using matrix_kernel = void (*)(const float*, float*, unsigned);

workbook::specimen matrix_row(const char* name, matrix_kernel kernel, bool transposes = true) {
  return row("transposition", name, [=](const workbook::problem& p) {
    const unsigned n = side_of(p.count);
    const std::vector<float> in = small_numbers(std::size_t{n} * n, p.seed);
    job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
                 .grid = dim3(n / tile_side, n / tile_side),
                 .block = dim3(tile_side, rows_at_once),
                 .expected = in,
                 .start = nullptr,
                 .bytes = 2.0 * static_cast<double>(in.size() * sizeof(float))};
    for (unsigned y = 0; transposes && y < n; ++y)
      for (unsigned x = 0; x < n; ++x) j.expected[std::size_t{x} * n + y] = in[std::size_t{y} * n + x];
    j.start = [=, given = j.input(in), grid = j.grid, block = j.block](float* out) {
      kernel<<<grid, block>>>(given, out, n);
    };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> transpose_kernels() {
  return {matrix_row("copy of a matrix", copy_matrix, false),
          matrix_row("transpose, rows to columns", transpose_rows_to_columns),
          matrix_row("transpose, columns to rows", transpose_columns_to_rows),
          matrix_row("transpose, tile without padding", transpose_tile),
          matrix_row("transpose, tile with padding", transpose_tile_padded)};
}

}  // namespace foreign
