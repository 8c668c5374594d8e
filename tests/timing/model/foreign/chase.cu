// Pointer chasing: each load gives the address of the next one, so the latencies of all loads add up.

#include <algorithm>

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned shared_length = 1024, shared_steps = 128;

/// Chases in a table that each block copies to shared memory. Element i starts at i >> shift, so 2^shift neighbours
/// follow the same path.
__global__ void chase_shared(const unsigned* table, unsigned* out, std::size_t n, unsigned shift) {
  __shared__ unsigned next[shared_length];
  for (unsigned k = threadIdx.x; k < shared_length; k += blockDim.x) next[k] = table[k];
  // Separates the stores to the table from the first load.
  __syncthreads();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned at = static_cast<unsigned>(i >> shift) % shared_length;
#pragma unroll 8  // the loop's own instructions hardly matter
    for (unsigned k = 0; k < shared_steps; ++k) at = next[at];
    out[i] = at;
  }
}

constexpr unsigned global_length = 1u << 20, global_steps = 32;
static_assert((global_steps & (global_steps - 1)) == 0, "the host takes steps by doubling them");

/// Does the same in a table of 4 MiB in global memory, which fits in L2.
__global__ void chase_global(const unsigned* table, unsigned* out, std::size_t n, unsigned shift) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned at = static_cast<unsigned>(i >> shift) % global_length;
#pragma unroll 8  // as above
    for (unsigned k = 0; k < global_steps; ++k) at = table[at];
    out[i] = at;
  }
}

/// Returns the place that each element of `table` leads to in `steps` steps, which must be a power of two.
std::vector<unsigned> after_steps(std::vector<unsigned> table, unsigned steps) {
  for (unsigned taken = 1; taken < steps; taken *= 2)
    table = listed(table.size(), [&](std::size_t i) { return table[table[i]]; });
  return table;
}

struct chase {
  void (*kernel)(const unsigned*, unsigned*, std::size_t, unsigned);
  unsigned length, steps, shift;
  bool lonely;  ///< One block of one warp per SM, whatever block size the problem has.
};

workbook::specimen chase_row(const char* name, chase how) {
  return row("chase", name, [=](workbook::problem p) {
    if (how.lonely) p.block_size = 32;
    const std::vector<unsigned> table = permutation(how.length, p.seed);
    const std::vector<unsigned> ends = after_steps(table, how.steps);
    const unsigned blocks = workbook::block_count(p.count, p.block_size);
    job<unsigned> j{
        .kernel = reinterpret_cast<const void*>(how.kernel),
        .grid = dim3(how.lonely ? std::min(blocks, workbook::multiprocessor_count()) : blocks),
        .block = dim3(p.block_size),
        .expected = listed(p.count, [&](std::size_t i) { return ends[(i >> how.shift) % how.length]; }),
        .start = nullptr,
        .bytes = static_cast<double>(p.count * sizeof(unsigned)),
    };
    j.start = [=, given = j.input(table), n = p.count, grid = j.grid, block = j.block](unsigned* out) {
      how.kernel<<<grid, block>>>(given, out, n, how.shift);
    };
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> chase_kernels() {
  return {chase_row("chase in shared memory", {chase_shared, shared_length, shared_steps, 0, false}),
          chase_row("chase in shared memory, lanes together", {chase_shared, shared_length, shared_steps, 5, false}),
          chase_row("chase in shared memory, one warp per multiprocessor",
                    {chase_shared, shared_length, shared_steps, 5, true}),
          chase_row("chase in global memory", {chase_global, global_length, global_steps, 0, false}),
          chase_row("chase in global memory, one warp per multiprocessor",
                    {chase_global, global_length, global_steps, 5, true})};
}

}  // namespace foreign
