#pragma once
/// \file
/// Reductions of every column of a matrix in which a thread or a block takes whole columns and blocks exchange nothing.
/// columns.cuh launches them if there are few rows, or little to do.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reductions/choices.hpp"
#include "reductions/launch.cuh"
#include "reductions/shuffle.cuh"
#include "reductions/tuned.hpp"
#include "reductions/vector.cuh"

namespace workbook {

/// Loads of V elements in flight per thread: as many as fit into 64 registers together with the sums and the registers
/// that a struct's operator needs.
template <unsigned V, typename T, typename Acc>
inline constexpr unsigned loads_of_columns = V <= 4 && (V * sizeof(T) <= 8 ||
                                                        (V * sizeof(Acc) <= 16 && std::is_arithmetic_v<Acc>))
                                                 ? 8
                                                 : 4;

/// As `loads_of_columns`, but if few blocks share all rows (columns.cuh) and no 16-byte load is possible: then twice as
/// many loads keep enough of a row in flight to hide the memory latency.
template <unsigned V, typename T, typename Acc>
inline constexpr unsigned loads_of_bands = loads_of_columns<V, T, Acc>*(V == 1 && sizeof(T) <= 8 ? 2 : 1);

/// The fraction of the L2 cache to fill with data that will be read again.
inline constexpr double kept_of_cache = 0.7;

/// Returns how many of the first `rows` rows of each part of a matrix of `bytes` bytes the cache should keep: all of
/// them, or a multiple of the rows that are read in one round.
inline std::size_t rows_to_keep(std::size_t rows, std::size_t rows_of_round, double bytes) {
  const double kept = kept_of_cache * static_cast<double>(l2_cache_bytes());
  if (bytes <= kept) return rows;
  return static_cast<std::size_t>(static_cast<double>(rows) * (kept / bytes)) / rows_of_round * rows_of_round;
}

/// Adds the V neighbouring columns that begin at `at` (device) to `sums`: every `lines`-th of `rows` rows, beginning
/// with the first one. `Depth` loads are in flight.
template <unsigned V, unsigned Depth, caching Hint, typename T, typename Index, typename Acc, typename Op>
__device__ void add_columns(const T* at, Index rows, unsigned lines, std::size_t stride, Acc* sums, Op op) {
  constexpr unsigned depth = Depth;
  const auto fetch = [&](const T* from) {
    if constexpr (V == 1)
      return vector<1, T>{*from};
    else  // as one word, because narrow elements would each take a register of their own
      return bits_as<typename word_of<V * sizeof(T)>::type>(load<V, Hint>(from));
  };
  const std::size_t step = lines * stride;
  const auto round = [&](auto there) {
    decltype(fetch(at)) v[depth];
#pragma unroll
    for (unsigned d = 0; d < depth; ++d)
      if (there(d)) v[d] = fetch(at + d * step);
#pragma unroll
    for (unsigned d = 0; d < depth; ++d) {
      if (!there(d)) continue;
      const auto row = bits_as<vector<V, T>>(v[d]);
      for (unsigned k = 0; k < V; ++k) sums[k] = op(sums[k], static_cast<Acc>(row.elements[k]));
    }
  };
  // Counts all rows instead of this thread's, because the division would take longer than a load from the cache.
  for (; rows >= depth * lines; rows -= depth * lines, at += depth * step) round([](unsigned) { return true; });
  const auto left = static_cast<unsigned>(rows);
  if (left > 0) round([&](unsigned d) { return d * lines < left; });
}

/// As above, starting with this thread's row `line`. The first `kept` of the `rows` rows are loaded as usual, and the
/// others may be evicted from the cache first. \param kept  a multiple of `lines`, or at least `rows`
///
/// A matrix that is larger than the cache evicts itself: at the end of a pass, the rows that the next pass reads first
/// have just been replaced. So one part stays in the cache.
template <unsigned V, unsigned Depth, typename T, typename Index, typename Acc, typename Op>
__device__ void add_columns_keeping(const T* at, Index rows, Index kept, unsigned line, unsigned lines,
                                    std::size_t stride, Acc* sums, Op op) {
  kept = min(kept, rows);
  if (line < kept) add_columns<V, Depth, caching::usual>(at + line * stride, kept - line, lines, stride, sums, op);
  if (kept + line < rows)
    add_columns<V, Depth, caching::streaming>(at + (kept + line) * stride, rows - kept - line, lines, stride, sums, op);
}

/// Returns the reduction of column `c` of `columns` by the calling thread, from `tile` (shared), where each warp of the
/// block has stored its sums of all columns side by side. The order is fixed.
template <typename Acc, typename Op>
__device__ Acc column_of_warps(const Acc* tile, unsigned columns, unsigned c, Op op) {
  Acc sum = tile[c];
#pragma unroll 4
  for (unsigned w = 1; w < blockDim.x / warp_size; ++w) sum = op(sum, tile[w * columns + c]);
  return sum;
}

/// Stores the reduction of each column in `out` (device). A thread takes V neighbouring columns; a row has `units`
/// times V columns.
template <unsigned V, typename Acc, typename T, typename Out, typename Op>
__global__ void __launch_bounds__(256)
    reduce_columns_by_threads(const T* in, unsigned rows, unsigned, std::size_t units, std::size_t stride, unsigned,
                              Out* out, Op op) {
  const std::size_t unit = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (unit >= units) return;
  Acc sums[V];
  for (Acc& sum : sums) sum = Op::template identity<Acc>();
  add_columns<V, loads_of_columns<V, T, Acc>, caching::usual>(in + unit * V, rows, 1, stride, sums, op);
  vector<V, Out> results;
  for (unsigned k = 0; k < V; ++k) results.elements[k] = static_cast<Out>(sums[k]);
  Out* const to = out + unit * V;
  constexpr std::size_t bytes = V * sizeof(Out);
  if constexpr (V > 1 && bytes <= sizeof(uint4) && (bytes & (bytes - 1)) == 0)
    if (reinterpret_cast<std::uintptr_t>(out) % bytes == 0) {
      store(to, results);
      return;
    }
  for (unsigned k = 0; k < V; ++k) to[k] = results.elements[k];
}

/// As above, but a block takes a tile of `width` loads side by side, a power of two up to 32. Its threads share the
/// rows, and the cache should keep the first `kept_rows` of them. Dynamic shared memory: `width` * V values of type Acc
/// for each warp.
template <unsigned V, typename Acc, typename T, typename Out, typename Op>
__global__ void __launch_bounds__(1024)  // at most 64 registers, so that the largest block fits
    reduce_columns_by_blocks(const T* in, unsigned rows, unsigned kept_rows, std::size_t units, std::size_t stride,
                             unsigned width, Out* out, Op op) {
  Acc* const tile = dynamic_shared<Acc>();
  const unsigned tid = threadIdx.x, lane = tid % warp_size, warp = tid / warp_size;
  const unsigned line = tid / width, lines = blockDim.x / width;
  const std::size_t first = std::size_t{blockIdx.x} * width;
  const std::size_t unit = first + tid % width;
  Acc sums[V];
  for (Acc& sum : sums) sum = Op::template identity<Acc>();
  if (unit < units)
    add_columns_keeping<V, loads_of_columns<V, T, Acc>>(in + unit * V, rows, kept_rows, line, lines, stride, sums, op);
  for (unsigned offset = warp_size / 2; offset >= width; offset /= 2)
    for (Acc& sum : sums) sum = op(sum, shuffle_down(~0u, sum, offset));
  if (lane < width)
    for (unsigned k = 0; k < V; ++k) tile[(warp * width + lane) * V + k] = sums[k];
  __syncthreads();  // every warp's sums are in the tile before threads add up columns
  for (unsigned c = tid; c < width * V && first * V + c < units * V; c += blockDim.x)
    out[first * V + c] = static_cast<Out>(column_of_warps(tile, width * V, c, op));
}

/// Returns true if several blocks share a tile in this algorithm. The tile's width is then a power of two.
constexpr bool in_bands(columns_way way) {
  return way >= columns_way::bands_16 && way <= columns_way::bands_512;
}

/// Returns how many loads of V elements of T are side by side in a tile of this algorithm, at least one.
template <unsigned V, typename T>
unsigned width_of_tile(columns_way way) {
  const columns_way narrowest = in_bands(way) ? columns_way::bands_16 : columns_way::tile_16;
  const std::size_t tile_bytes = std::size_t{16} << (static_cast<char>(way) - static_cast<char>(narrowest));
  unsigned width = 1;
  while (width < warp_size && 2 * width * V * sizeof(T) <= tile_bytes) width *= 2;
  return width;
}

/// Returns true if this algorithm can take a matrix of `rows` rows of `units` > 0 loads of V elements.
template <unsigned V, typename T>
bool can_choose(columns_way way, std::size_t rows, std::size_t units) {
  if (way == columns_way::shared) return true;
  // In a tile wider than the rows, some threads would have nothing to read.
  if (in_bands(way) && width_of_tile<V, T>(way) > units) return false;
  constexpr std::size_t most = std::size_t{1} << 31;
  return (rows < most || in_bands(way)) &&
         ceil_div(units, way == columns_way::threads ? 128 : width_of_tile<V, T>(way)) < most;
}

/// Returns the algorithm for a matrix of `rows` rows of `units` > 0 loads of V elements on the current device.
template <unsigned V, typename T>
columns_way way_of_columns(std::size_t rows, std::size_t units) {
  if (rows == 0) return columns_way::threads;
  const std::size_t scaled = units * V * sizeof(T) * tuned_multiprocessors / multiprocessor_count();
  const auto way = static_cast<columns_way>(letter_at(tuned_columns, scaled, rows));
  return can_choose<V, T>(way, rows, units) ? way : columns_way::shared;
}

/// Calls `f(kernel, blocks, block_size, width, kept_rows)` for the kernel of this algorithm, and returns true. Returns
/// false without a call if several blocks share a tile.
template <unsigned V, typename T, typename Acc, typename Out, typename Op, typename F>
bool with_kernel_of_columns(columns_way way, std::size_t rows, std::size_t units, F f) {
  if (way == columns_way::shared || in_bands(way)) return false;
  if (way == columns_way::threads) {
    constexpr unsigned block_size = 128;
    f(reduce_columns_by_threads<V, Acc, T, Out, Op>, ceil_div(units, block_size), block_size, 0u, 0u);
    return true;
  }
  const unsigned width = width_of_tile<V, T>(way);
  const std::size_t tiles = ceil_div(units, width);
  const std::size_t bytes = rows * units * V * sizeof(T);
  const unsigned largest = bytes > std::size_t{16} << 20 && tiles <= multiprocessor_count() ? 1024 : 512;
  unsigned block_size = 128;
  while (block_size < largest && block_size * loads_of_columns<V, T, Acc> < rows * width) block_size *= 2;
  const std::size_t kept_rows =
      rows_to_keep(rows, loads_of_columns<V, T, Acc> * (block_size / width), static_cast<double>(bytes));
  f(reduce_columns_by_blocks<V, Acc, T, Out, Op>, tiles, block_size, width, static_cast<unsigned>(kept_rows));
  return true;
}

}  // namespace workbook
