// Kernels that do little more than move memory: they fill, copy or add vectors, and are well or badly coalesced.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

__global__ void fill(const float*, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 7;
}

__global__ void copy_by_4_bytes(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// Each thread copies four elements at once.
__global__ void copy_by_16_bytes(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Legal: both arrays begin at multiples of 16 bytes, and 4 i + 3 < n.
  if (4 * i + 3 < n)
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  else
    for (std::size_t k = 4 * i; k < n; ++k) out[k] = in[k];
}

/// Each warp's 128 bytes begin 4 bytes after a multiple of 32: five sectors instead of four.
__global__ void copy_from_next(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1];
}

/// Copies `stride` columns, one for each blockIdx.y. Neighbouring lanes read elements that are `stride` apart.
template <unsigned stride>
__global__ void copy_strided_reads(const float* in, float* out, std::size_t rows) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) out[blockIdx.y * rows + i] = in[i * stride + blockIdx.y];
}

/// The reverse: neighbouring lanes write elements that are `stride` apart.
template <unsigned stride>
__global__ void copy_strided_writes(const float* in, float* out, std::size_t rows) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) out[i * stride + blockIdx.y] = in[blockIdx.y * rows + i];
}

constexpr float factor = 3;

__global__ void add_vectors(const float* x, const float* y, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

__global__ void saxpy(const float* x, const float* y, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * x[i] + y[i];
}

/// Each thread computes four elements at once.
__global__ void saxpy_by_16_bytes(const float* x, const float* y, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    // Legal: all arrays begin at multiples of 16 bytes, and 4 i + 3 < n.
    const float4 a = reinterpret_cast<const float4*>(x)[i];
    const float4 b = reinterpret_cast<const float4*>(y)[i];
    reinterpret_cast<float4*>(out)[i] =
        make_float4(factor * a.x + b.x, factor * a.y + b.y, factor * a.z + b.z, factor * a.w + b.w);
  } else {
    for (std::size_t k = 4 * i; k < n; ++k) out[k] = factor * x[k] + y[k];
  }
}

const char* const family = "streams";

workbook::specimen copy_row(const char* name, void (*kernel)(const float*, float*, std::size_t), unsigned per_thread,
                            std::size_t shift = 0) {
  return row(family, name, [=](const workbook::problem& p) {
    const std::vector<float> in = small_numbers(p.count + shift, p.seed);
    std::vector<float> expected(in.begin() + static_cast<std::ptrdiff_t>(shift), in.end());
    return map_job(kernel, p, in, std::move(expected), per_thread);
  });
}

workbook::specimen fill_row() {
  return row(family, "fill",
             [](const workbook::problem& p) { return map_job(fill, p, {}, std::vector<float>(p.count, 7.0f)); });
}

workbook::specimen strided_row(const char* name, void (*kernel)(const float*, float*, std::size_t), unsigned stride,
                               bool writes) {
  return row(family, name, [=](const workbook::problem& p) {
    const std::size_t rows = p.count / stride;
    const std::vector<float> in = small_numbers(rows * stride, p.seed);
    job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
                 .grid = dim3(workbook::block_count(rows, p.block_size), stride),
                 .block = dim3(p.block_size),
                 .expected = std::vector<float>(in.size()),
                 .start = nullptr,
                 .bytes = 2.0 * static_cast<double>(in.size() * sizeof(float))};
    for (std::size_t column = 0; column < stride; ++column) {
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t packed = column * rows + i, apart = i * stride + column;
        j.expected[writes ? apart : packed] = in[writes ? packed : apart];
      }
    }
    j.start = [=, given = j.input(in), grid = j.grid, block = j.block](float* out) {
      kernel<<<grid, block>>>(given, out, rows);
    };
    return j;
  });
}

workbook::specimen sum_row(const char* name, void (*kernel)(const float*, const float*, float*, std::size_t),
                           float factor_of_x, unsigned per_thread = 1) {
  return row(family, name, [=](const workbook::problem& p) {
    const std::vector<float> x = small_numbers(p.count, p.seed), y = small_numbers(p.count, p.seed + 1);
    job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
                 .grid = dim3(workbook::block_count(p.count, std::size_t{p.block_size} * per_thread)),
                 .block = dim3(p.block_size),
                 .expected = listed(p.count, [&](std::size_t i) { return factor_of_x * x[i] + y[i]; }),
                 .start = nullptr,
                 .bytes = 3.0 * static_cast<double>(p.count * sizeof(float))};
    const float* const given_x = j.input(x);
    const float* const given_y = j.input(y);
    j.start = [=, n = p.count, grid = j.grid, block = j.block](float* out) {
      kernel<<<grid, block>>>(given_x, given_y, out, n);
    };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> stream_kernels() {
  return {fill_row(),
          copy_row("copy by 4 bytes", copy_by_4_bytes, 1),
          copy_row("copy by 16 bytes", copy_by_16_bytes, 4),
          copy_row("copy, misaligned by 4 bytes", copy_from_next, 1, 1),
          strided_row("copy, reads 2 apart", copy_strided_reads<2>, 2, false),
          strided_row("copy, reads 32 apart", copy_strided_reads<32>, 32, false),
          strided_row("copy, writes 2 apart", copy_strided_writes<2>, 2, true),
          strided_row("copy, writes 32 apart", copy_strided_writes<32>, 32, true),
          sum_row("vector addition", add_vectors, 1),
          sum_row("saxpy", saxpy, factor),
          sum_row("saxpy by 16 bytes", saxpy_by_16_bytes, factor, 4)};
}

}  // namespace foreign
