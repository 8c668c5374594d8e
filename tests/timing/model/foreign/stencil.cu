// Stencils: each output is a weighted sum of an input and its neighbours; elements outside count as 0. The weights are
// whole numbers, so the sums are exact.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

/// Makes three loads per output, all from global memory. Two of them hit in L1.
__global__ void stencil_3_global(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = i > 0 ? in[i - 1] : 0;
  const float right = i + 1 < n ? in[i + 1] : 0;
  out[i] = left - 2 * in[i] + right;
}

/// The block's elements and one more on each side are loaded once into a tile.
__global__ void stencil_3_shared(const float* in, float* out, std::size_t n) {
  __shared__ float tile[1024 + 2];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid + 1] = i < n ? in[i] : 0;
  if (tid == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (tid == blockDim.x - 1) tile[tid + 2] = i + 1 < n ? in[i + 1] : 0;
  // Separates the stores to the tile from the neighbours' loads.
  __syncthreads();
  if (i < n) out[i] = tile[tid] - 2 * tile[tid + 1] + tile[tid + 2];
}

constexpr unsigned radius = 8;

/// Returns the weight of the neighbour at distance d.
__host__ __device__ constexpr float weight(unsigned d) {
  return static_cast<float>(radius + 1 - d);
}

/// Makes 17 loads per output from global memory.
__global__ void stencil_17_global(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = weight(0) * in[i];
  for (unsigned d = 1; d <= radius; ++d) {
    if (i >= d) sum += weight(d) * in[i - d];
    if (i + d < n) sum += weight(d) * in[i + d];
  }
  out[i] = sum;
}

/// Makes 17 loads per output from the tile.
__global__ void stencil_17_shared(const float* in, float* out, std::size_t n) {
  __shared__ float tile[1024 + 2 * radius];
  const unsigned tid = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x;
  for (unsigned k = tid; k < blockDim.x + 2 * radius; k += blockDim.x) {
    const std::size_t from = first + k;
    tile[k] = from >= radius && from - radius < n ? in[from - radius] : 0;
  }
  // Separates the stores to the tile from the neighbours' loads.
  __syncthreads();
  const float* const own = tile + tid + radius;
  float sum = weight(0) * own[0];
  for (int d = 1; d <= static_cast<int>(radius); ++d) sum += weight(d) * (own[-d] + own[d]);
  if (first + tid < n) out[first + tid] = sum;
}

/// Returns the weighted sum of five elements of a matrix: above, left, itself, right, below; x and y < n.
__host__ __device__ inline float five_points(const float* in, unsigned x, unsigned y, unsigned n) {
  const std::size_t i = std::size_t{y} * n + x;
  const float above = y > 0 ? in[i - n] : 0;
  const float below = y + 1 < n ? in[i + n] : 0;
  const float left = x > 0 ? in[i - 1] : 0;
  const float right = x + 1 < n ? in[i + 1] : 0;
  return above + below + left + right - 4 * in[i];
}

constexpr unsigned tile_width = 32, tile_height = 8;

/// Neighbouring lanes compute neighbouring columns.
__global__ void stencil_5_global(const float* in, float* out, unsigned n) {
  const unsigned x = blockIdx.x * tile_width + threadIdx.x;
  const unsigned y = blockIdx.y * tile_height + threadIdx.y;
  out[std::size_t{y} * n + x] = five_points(in, x, y, n);
}

/// Neighbouring lanes compute neighbouring rows, so nothing is coalesced.
__global__ void stencil_5_swapped(const float* in, float* out, unsigned n) {
  const unsigned x = blockIdx.y * tile_height + threadIdx.y;
  const unsigned y = blockIdx.x * tile_width + threadIdx.x;
  out[std::size_t{y} * n + x] = five_points(in, x, y, n);
}

/// Reads from a tile with a border of one element.
__global__ void stencil_5_shared(const float* in, float* out, unsigned n) {
  __shared__ float tile[tile_height + 2][tile_width + 2];
  const unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const unsigned x = blockIdx.x * tile_width + threadIdx.x;
  const unsigned y = blockIdx.y * tile_height + threadIdx.y;
  const std::size_t i = std::size_t{y} * n + x;
  tile[ty][tx] = in[i];
  if (ty == 1) tile[0][tx] = y > 0 ? in[i - n] : 0;
  if (ty == tile_height) tile[ty + 1][tx] = y + 1 < n ? in[i + n] : 0;
  if (tx == 1) tile[ty][0] = x > 0 ? in[i - 1] : 0;
  if (tx == tile_width) tile[ty][tx + 1] = x + 1 < n ? in[i + 1] : 0;
  // Separates the stores to the tile from the neighbours' loads.
  __syncthreads();
  out[i] = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] - 4 * tile[ty][tx];
}

template <typename Weight>
workbook::specimen line_row(const char* name, void (*kernel)(const float*, float*, std::size_t), std::size_t reach,
                            Weight weight_of) {
  return row("stencil", name, [=](const workbook::problem& p) {
    const std::vector<float> in = small_numbers(p.count, p.seed);
    return map_job(kernel, p, in, listed(in.size(), [&](std::size_t i) {
                     float sum = weight_of(0) * in[i];
                     for (std::size_t d = 1; d <= reach; ++d) {
                       if (i >= d) sum += weight_of(d) * in[i - d];
                       if (i + d < in.size()) sum += weight_of(d) * in[i + d];
                     }
                     return sum;
                   }));
  });
}

/// Blocks of 32 x 8 threads, whatever block size the problem has.
workbook::specimen matrix_row(const char* name, void (*kernel)(const float*, float*, unsigned)) {
  return row("stencil", name, [=](const workbook::problem& p) {
    const unsigned n = side_of(p.count);
    const std::vector<float> in = small_numbers(std::size_t{n} * n, p.seed);
    job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
                 .grid = dim3(n / tile_width, n / tile_height),
                 .block = dim3(tile_width, tile_height),
                 .expected = listed(in.size(),
                                    [&](std::size_t i) {
                                      return five_points(in.data(), static_cast<unsigned>(i % n),
                                                         static_cast<unsigned>(i / n), n);
                                    }),
                 .start = nullptr,
                 .bytes = 2.0 * static_cast<double>(in.size() * sizeof(float))};
    j.start = [=, given = j.input(in), grid = j.grid, block = j.block](float* out) {
      kernel<<<grid, block>>>(given, out, n);
    };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> stencil_kernels() {
  const auto of_three = [](std::size_t d) { return d == 0 ? -2.0f : 1.0f; };
  const auto of_seventeen = [](std::size_t d) { return weight(static_cast<unsigned>(d)); };
  return {line_row("stencil of 3, from global memory", stencil_3_global, 1, of_three),
          line_row("stencil of 3, from a tile", stencil_3_shared, 1, of_three),
          line_row("stencil of 17, from global memory", stencil_17_global, radius, of_seventeen),
          line_row("stencil of 17, from a tile", stencil_17_shared, radius, of_seventeen),
          matrix_row("stencil of 5 in a matrix, from global memory", stencil_5_global),
          matrix_row("stencil of 5 in a matrix, lanes down a column", stencil_5_swapped),
          matrix_row("stencil of 5 in a matrix, from a tile", stencil_5_shared)};
}

}  // namespace foreign
