// The product of two square matrices with sides of up to 1024: c = a b. The elements are whole numbers from -8 to 8, so
// every sum is exact. The kernels choose their block sizes.

#include <algorithm>

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned side = 32, rows_at_once = 8;

/// Neighbouring lanes compute neighbouring columns of c. Blocks of 32 x 8.
__global__ void product_rows(const float* a, const float* b, float* c, unsigned n) {
  const unsigned x = blockIdx.x * side + threadIdx.x;
  const unsigned y = blockIdx.y * rows_at_once + threadIdx.y;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

/// Neighbouring lanes compute neighbouring rows of c, so their elements of a and c are n apart. Blocks of 32 x 8.
__global__ void product_columns(const float* a, const float* b, float* c, unsigned n) {
  const unsigned x = blockIdx.y * rows_at_once + threadIdx.y;
  const unsigned y = blockIdx.x * side + threadIdx.x;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

/// Tiles of both matrices are in shared memory, with one result per thread. Blocks of tile_side x tile_side.
template <unsigned tile_side>
__global__ void product_tiles(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float tile_a[tile_side][tile_side], tile_b[tile_side][tile_side];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * tile_side + tx, y = blockIdx.y * tile_side + ty;
  float sum = 0;
  for (unsigned first = 0; first < n; first += tile_side) {
    tile_a[ty][tx] = a[y * n + first + tx];
    tile_b[ty][tx] = b[(first + ty) * n + x];
    // Separates the stores to the tiles from the loads by the whole block.
    __syncthreads();
    for (unsigned k = 0; k < tile_side; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    // Separates these loads from the next stores.
    __syncthreads();
  }
  c[y * n + x] = sum;
}

/// Tiles of 32 x 32, and four results in each thread's registers, so each loaded element of b is used four times.
/// Blocks of 32 x 8.
__global__ void product_registers(const float* a, const float* b, float* c, unsigned n) {
  constexpr unsigned results = side / rows_at_once;
  __shared__ float tile_a[side][side], tile_b[side][side];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * side + tx, y = blockIdx.y * side + ty;
  float sums[results] = {};
  for (unsigned first = 0; first < n; first += side) {
    for (unsigned r = 0; r < side; r += rows_at_once) {
      tile_a[ty + r][tx] = a[(y + r) * n + first + tx];
      tile_b[ty + r][tx] = b[(first + ty + r) * n + x];
    }
    // Separates the stores to the tiles from the loads by the whole block.
    __syncthreads();
    for (unsigned k = 0; k < side; ++k) {
      const float from_b = tile_b[k][tx];
#pragma unroll
      for (unsigned r = 0; r < results; ++r) sums[r] += tile_a[ty + r * rows_at_once][k] * from_b;
    }
    // Separates these loads from the next stores.
    __syncthreads();
  }
#pragma unroll
  for (unsigned r = 0; r < results; ++r) c[(y + r * rows_at_once) * n + x] = sums[r];
}

/// Computes row by row, because then the inner loop reads both matrices in the order of their elements.
std::vector<float> product_on_host(const std::vector<float>& a, const std::vector<float>& b, unsigned n) {
  std::vector<float> c(a.size());
  for (unsigned y = 0; y < n; ++y) {
    float* const to = c.data() + std::size_t{y} * n;
    for (unsigned k = 0; k < n; ++k) {
      const float factor = a[std::size_t{y} * n + k];
      const float* const from = b.data() + std::size_t{k} * n;
      for (unsigned x = 0; x < n; ++x) to[x] += factor * from[x];
    }
  }
  return c;
}

constexpr std::size_t largest_side = 1024;

workbook::specimen product_row(const char* name, void (*kernel)(const float*, const float*, float*, unsigned),
                               dim3 block, dim3 results_per_block) {
  return row("matrix product", name, [=](const workbook::problem& p) {
    const unsigned n = side_of(std::min(p.count, largest_side * largest_side));
    const auto element = [&](std::size_t i) {
      return static_cast<float>(static_cast<int>(workbook::mixed(i + workbook::mixed(p.seed)) % 17) - 8);
    };
    const std::vector<float> a = listed(std::size_t{n} * n, element);
    const std::vector<float> b = listed(a.size(), [&](std::size_t i) { return element(i + a.size()); });
    job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
                 .grid = dim3(n / results_per_block.x, n / results_per_block.y),
                 .block = block,
                 .expected = product_on_host(a, b, n),
                 .start = nullptr,
                 .bytes = 3.0 * static_cast<double>(a.size() * sizeof(float))};
    const float* const given_a = j.input(a);
    const float* const given_b = j.input(b);
    j.start = [=, shape = j.grid](float* out) { kernel<<<shape, block>>>(given_a, given_b, out, n); };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> product_kernels() {
  const dim3 wide(side, rows_at_once), square(side, side), small(16, 16);
  return {product_row("product, from global memory", product_rows, wide, wide),
          product_row("product, from global memory, lanes down a column", product_columns, wide, wide),
          product_row("product, tiles of 16 x 16", product_tiles<16>, small, small),
          product_row("product, tiles of 32 x 32", product_tiles<32>, square, square),
          product_row("product, four results per thread", product_registers, wide, square)};
}

}  // namespace foreign
