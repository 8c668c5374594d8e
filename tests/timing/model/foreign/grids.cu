// The same small task, out[i] = 2 in[i], with grids and blocks of all shapes. The rows choose the block sizes.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

/// One element per thread.
__global__ void twice(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

/// Works with any grid: each thread advances by the total number of threads.
__global__ void twice_grid_stride(const float* in, float* out, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) out[i] = 2 * in[i];
}

/// The classic mistake: each thread has 32 contiguous elements, so neighbouring lanes access elements 32 apart.
__global__ void twice_in_pieces(const float* in, float* out, std::size_t n) {
  constexpr std::size_t piece = 32;
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * piece;
  for (std::size_t i = first; i < n && i < first + piece; ++i) out[i] = 2 * in[i];
}

/// Returns the number of blocks for `n` elements.
using blocks_for = unsigned (*)(std::size_t n, unsigned block_size);

workbook::specimen grid_row(const char* name, void (*kernel)(const float*, float*, std::size_t), unsigned block_size,
                            blocks_for blocks, std::size_t shared_bytes = 0) {
  return row("grids", name, [=](workbook::problem p) {
    p.block_size = block_size;
    const std::vector<float> in = small_numbers(p.count, p.seed);
    job<float> j = map_job(kernel, p, in, listed(in.size(), [&](std::size_t i) { return 2 * in[i]; }));
    j.grid = dim3(blocks(p.count, block_size));
    j.dynamic_shared_bytes = shared_bytes;
    // A kernel has to ask explicitly for more than 48 KiB of dynamic shared memory.
    if (shared_bytes > 48 * 1024)
      workbook::check(
          cudaFuncSetAttribute(j.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    j.start = [=, given = static_cast<const float*>(j.inputs.front().data()), n = in.size(), grid = j.grid,
               block = j.block](float* out) { kernel<<<grid, block, shared_bytes>>>(given, out, n); };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> grid_kernels() {
  const blocks_for enough = [](std::size_t n, unsigned block_size) { return workbook::block_count(n, block_size); };
  const blocks_for eightfold = [](std::size_t n, unsigned block_size) {
    return 8 * workbook::block_count(n, block_size);
  };
  const blocks_for pieces = [](std::size_t n, unsigned block_size) {
    return workbook::block_count(n, std::size_t{block_size} * 32);
  };
  const blocks_for resident = [](std::size_t, unsigned block_size) { return workbook::resident_blocks(block_size); };
  const blocks_for eight = [](std::size_t, unsigned) { return 8u; };
  const blocks_for one = [](std::size_t, unsigned) { return 1u; };
  // A block of compute capability 9.0 may use up to 227 KiB. Two blocks of this size do not fit.
  constexpr std::size_t max_of_shared = std::size_t{160} * 1024;
  return {grid_row("one element per thread, blocks of 32", twice, 32, enough),
          grid_row("one element per thread, blocks of 1024", twice, 1024, enough),
          grid_row("one element per thread, one block of 256 at a time", twice, 256, enough, max_of_shared),
          grid_row("seven blocks of eight are empty", twice, 256, eightfold),
          grid_row("32 neighbouring elements per thread", twice_in_pieces, 256, pieces),
          grid_row("grid-stride loop, as many blocks as fit", twice_grid_stride, 256, resident),
          grid_row("grid-stride loop, 8 blocks", twice_grid_stride, 256, eight),
          grid_row("grid-stride loop, one block", twice_grid_stride, 1024, one)};
}

}  // namespace foreign
