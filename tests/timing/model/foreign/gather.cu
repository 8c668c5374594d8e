// Reads and writes in an order that is given by a table of indices.

#include <algorithm>

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

/// Reads the elements that the indices name.
__global__ void gather(const float* table, const unsigned* indices, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[indices[i]];
}

/// Writes the elements that the indices name.
__global__ void scatter(const float* in, const unsigned* indices, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[indices[i]] = in[i];
}

using indexed_kernel = void (*)(const float*, const unsigned*, float*, std::size_t);

job<float> indexed_job(indexed_kernel kernel, const workbook::problem& p, const std::vector<float>& from,
                       const std::vector<unsigned>& indices, std::vector<float> expected, double bytes_from) {
  const std::size_t n = indices.size();
  job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
               .grid = dim3(workbook::block_count(n, p.block_size)),
               .block = dim3(p.block_size),
               .expected = std::move(expected),
               .start = nullptr,
               .bytes = static_cast<double>(n * (sizeof(unsigned) + sizeof(float))) + bytes_from};
  const float* const given = j.input(from);
  const unsigned* const order = j.input(indices);
  j.start = [=, grid = j.grid, block = j.block](float* out) { kernel<<<grid, block>>>(given, order, out, n); };
  return j;
}

/// Returns the row for random reads from a table with `size(p.count)` elements.
template <typename Size>
workbook::specimen table_row(const char* name, Size size) {
  return row("gather", name, [=](const workbook::problem& p) {
    const std::size_t elements = size(p.count);
    const std::vector<float> table = small_numbers(elements, p.seed);
    const std::vector<unsigned> indices = listed(p.count, [&](std::size_t i) {
      return static_cast<unsigned>(workbook::mixed(i + workbook::mixed(p.seed + 2)) % elements);
    });
    std::vector<float> expected = listed(p.count, [&](std::size_t i) { return table[indices[i]]; });
    const std::size_t needed = std::min(elements, p.count) * sizeof(float);
    return indexed_job(gather, p, table, indices, std::move(expected), static_cast<double>(needed));
  });
}

/// Returns the row for reading or writing p.count elements in the order that `order_of` returns.
template <typename Order>
workbook::specimen order_row(const char* name, indexed_kernel kernel, Order order_of) {
  return row("gather", name, [=](const workbook::problem& p) {
    const std::vector<float> in = small_numbers(p.count, p.seed);
    const std::vector<unsigned> order = order_of(p);
    std::vector<float> expected(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (kernel == scatter)
        expected[order[i]] = in[i];
      else
        expected[i] = in[order[i]];
    }
    return indexed_job(kernel, p, in, order, std::move(expected), static_cast<double>(in.size() * sizeof(float)));
  });
}

/// Permutes the elements within each group of 32, so that a warp accesses the same sectors as without the permutation.
std::vector<unsigned> order_in_warps(const workbook::problem& p) {
  const std::vector<unsigned> turn = permutation(32, p.seed);
  const std::size_t whole = p.count / 32 * 32;
  return listed(p.count, [&](std::size_t i) {
    return static_cast<unsigned>(i < whole ? i / 32 * 32 + turn[(i + i / 32) % 32] : i);
  });
}

std::vector<unsigned> random_order(const workbook::problem& p) {
  return permutation(p.count, p.seed);
}

// Numbers of elements: 16 KiB fit in L1, 1 MiB fits only in L2, and at most 256 MiB (64 MiB for 2^20) fit in no cache.
constexpr std::size_t in_l1 = std::size_t{1} << 12, in_l2 = std::size_t{1} << 18, most = std::size_t{1} << 26;

}  // namespace

std::vector<workbook::specimen> gather_kernels() {
  return {table_row("gather, random from a table that fits L1", [](std::size_t) { return in_l1; }),
          table_row("gather, random from a table that fits L2", [](std::size_t) { return in_l2; }),
          table_row("gather, random from a large table", [](std::size_t n) { return std::min(16 * n, most); }),
          order_row("gather, order within warps", gather, order_in_warps),
          order_row("gather, random order", gather, random_order),
          order_row("scatter, order within warps", scatter, order_in_warps),
          order_row("scatter, random order", scatter, random_order)};
}

}  // namespace foreign
