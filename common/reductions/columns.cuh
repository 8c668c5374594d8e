#pragma once
/// \file
/// Reductions of every column of a matrix, in one launch.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reductions/launch.cuh"
#include "reductions/mailbox.cuh"
#include "reductions/operators.cuh"
#include "reductions/shuffle.cuh"
#include "reductions/vector.cuh"
#include "reductions/whole_columns.cuh"

namespace workbook {

/// Threads of a block if there is little to do, and if there is much. A multiprocessor has room for two large blocks:
/// one that adds up rows, and one that waits for such blocks.
inline constexpr unsigned small_column_block = 256, large_column_block = 512;

/// Neighbouring columns that a thread sums if loads are aligned: 16 bytes of elements, but at most 32 bytes of results,
/// because a block's results must fit into 48 KiB of shared memory.
template <typename T, typename Acc>
inline constexpr unsigned columns_a_load = 16 % sizeof(T) != 0
                                               ? 1
                                               : std::max<std::size_t>(1, std::min(16 / sizeof(T), 32 / sizeof(Acc)));

/// Loads side by side in a tile of columns, unless there are few rows: 512 bytes if they are vectors, and neighbouring
/// cache lines otherwise.
template <unsigned V>
inline constexpr unsigned widest_tile = V > 1 ? 32 : 64;

/// The division of a matrix: into tiles of columns, and each tile into bands of rows, with a block for each band. If a
/// tile has several bands, other blocks combine their sums, each for a slice of the tile's columns.
struct columns_shape {
  unsigned block_size;
  unsigned width;  ///< Loads side by side in a tile, and threads per row.
  unsigned tiles;
  unsigned bands;         ///< Per tile.
  std::size_t band_rows;  ///< The last band may have fewer.
  unsigned slice;         ///< Number of columns: a power of two, at most 32.
  unsigned slices;        ///< Per tile; 0 if it has one band. The last one may have fewer columns.
  std::size_t kept_rows;  ///< First rows of each band to keep in the cache: a multiple of the rows read at once.
};

/// Stores the sums of a slice of the columns of tile `blockIdx.x` in `out` (device). The blocks after the tile's bands
/// do this: they start last, and wait only for blocks that start before them. Each band has sent its sums by mailboxes
/// (`boxes`), a tile's columns side by side. All threads of the block call it, at least `shape.slice`, and `tile`
/// (shared) has `shape.slice` values for each warp. The shape determines the order of all operations.
///
/// A single block for all columns would finish much later than the others, because a multiprocessor reads tens of
/// thousands of 8-byte words of mailboxes slowly. With slices, a thread reads one or two.
template <unsigned V, typename Acc, typename Out, typename Op>
__device__ void finish_columns(std::size_t units, const columns_shape& shape, Out* out, mailbox<Acc>* boxes, Acc* tile,
                               Op op) {
  const unsigned columns = shape.width * V, slice = shape.slice, from = (blockIdx.y - shape.bands) * slice;
  const std::size_t begin = std::size_t{blockIdx.x} * columns + from;
  // The last slice of a tile and the last tile of a matrix may have fewer columns or none.
  const std::size_t end = min(std::size_t{blockIdx.x + 1} * columns, units * V);
  const auto there = begin < end ? static_cast<unsigned>(min(end - begin, std::size_t{slice})) : 0;
  boxes += std::size_t{blockIdx.x} * shape.bands * columns + from;
  const unsigned tid = threadIdx.x, lane = tid % warp_size, warp = tid / warp_size;
  const unsigned c = tid % slice, first = tid / slice, step = blockDim.x / slice;
  Acc sum = Op::template identity<Acc>();
  if (c < there && first < shape.bands)
    receive_all<Acc>((shape.bands - first + step - 1) / step,
                     [&](std::size_t i) -> mailbox<Acc>& {
                       return boxes[std::size_t{first + static_cast<unsigned>(i) * step} * columns + c];
                     },
                     [&](unsigned, const Acc& part) { sum = op(sum, part); });
  for (unsigned offset = warp_size / 2; offset >= slice; offset /= 2)
    sum = op(sum, shuffle_down(~0u, sum, offset));  // lanes c, c + slice, ... have the same column
  if (lane < slice) tile[warp * slice + lane] = sum;
  __syncthreads();  // every warp's sums are in the tile before threads add up columns
  if (tid < there) out[begin + tid] = static_cast<Out>(column_of_warps(tile, slice, tid, op));
}

/// Adds the V neighbouring columns that begin at `at` (device, the first row) to `sums`: every `lines`-th row of the
/// block's band, starting with row `line` of the band.
template <unsigned V, typename T, typename Acc, typename Op>
__device__ void add_band(const T* at, std::size_t rows, unsigned line, unsigned lines, std::size_t stride,
                         const columns_shape& shape, Acc* sums, Op op) {
  const std::size_t first = blockIdx.y * shape.band_rows;
  if (first < rows)
    add_columns_keeping<V, loads_of_bands<V, T, Acc>>(at + first * stride, min(rows - first, shape.band_rows),
                                                      shape.kept_rows, line, lines, stride, sums, op);
}

/// Stores the reduction of each column in `out` (device). A row has `units` loads of V elements. `shape.width` threads
/// read neighbouring ones, so that a warp's loads are coalesced, and the next threads read the next row. If there are
/// several bands, each sends its sums by mailboxes (`boxes`, shape.width * V for each), and all blocks run at once. The
/// grid's x counts tiles, and its y counts a tile's bands, followed by its slices. The shape determines the order of
/// all operations. Dynamic shared memory: V values of type Acc per thread.
template <unsigned V, typename T, typename Acc, typename Out, typename Op>
__global__ void __launch_bounds__(large_column_block, 2)
    reduce_columns_in_bands(const T* in, std::size_t rows, std::size_t units, std::size_t stride, columns_shape shape,
                            Out* out, mailbox<Acc>* boxes, Op op) {
  Acc* const tile = dynamic_shared<Acc>();
  if (blockIdx.y >= shape.bands) return finish_columns<V>(units, shape, out, boxes, tile, op);
  const unsigned tid = threadIdx.x;
  const unsigned rows_at_once = blockDim.x / shape.width;
  const unsigned line = tid / shape.width;
  const std::size_t unit = std::size_t{blockIdx.x} * shape.width + tid % shape.width;

  Acc sums[V];
  for (Acc& sum : sums) sum = Op::template identity<Acc>();
  if (line < rows_at_once && unit < units) {
    add_band<V>(in + unit * V, rows, line, rows_at_once, stride, shape, sums, op);
  }
  unsigned live = rows_at_once, of_one = shape.width;  // partial sums of a column, and their distance in threads
  if (warp_size % shape.width == 0) {
    // If a warp has whole rows of the tile, its lanes are combined first.
    for (unsigned offset = warp_size / 2; offset >= shape.width; offset /= 2)
      for (Acc& sum : sums) sum = op(sum, shuffle_down(~0u, sum, offset));
    live = blockDim.x / warp_size;
    of_one = warp_size;
  }
  for (unsigned k = 0; k < V; ++k) tile[k * blockDim.x + tid] = sums[k];
  __syncthreads();  // every thread's sums are in the tile before others read them
  while (live > 1) {
    const unsigned half = (live + 1) / 2;
    if (tid / of_one + half < live)
      for (unsigned k = 0; k < V; ++k) {
        sums[k] = op(sums[k], tile[k * blockDim.x + tid + half * of_one]);
        tile[k * blockDim.x + tid] = sums[k];
      }
    __syncthreads();  // this half's sums are in the tile before the next, smaller half reads them
    live = half;
  }
  if (tid >= shape.width || unit >= units) return;
  if (shape.slices > 0) {
    const std::size_t band = std::size_t{blockIdx.x} * shape.bands + blockIdx.y;
    for (unsigned k = 0; k < V; ++k) send(boxes[(band * shape.width + tid) * V + k], sums[k]);
  } else {
    for (unsigned k = 0; k < V; ++k) out[unit * V + k] = static_cast<Out>(sums[k]);
  }
}

/// As above, if the tile's width is a power of two and at most 32. Then a warp has
/// whole rows of the tile, and shuffles combine its lanes, so one barrier is enough.
/// Dynamic shared memory: `shape.width` * V values of type Acc for each warp.
template <unsigned V, typename T, typename Acc, typename Out, typename Op>
__global__ void __launch_bounds__(large_column_block, 2)
    reduce_tiles_in_bands(const T* in, std::size_t rows, std::size_t units, std::size_t stride, columns_shape shape,
                          Out* out, mailbox<Acc>* boxes, Op op) {
  Acc* const tile = dynamic_shared<Acc>();
  if (blockIdx.y >= shape.bands) return finish_columns<V>(units, shape, out, boxes, tile, op);
  const unsigned tid = threadIdx.x, lane = tid % warp_size, warp = tid / warp_size, width = shape.width;
  const unsigned line = tid / width, lines = blockDim.x / width, columns = width * V;
  const std::size_t first = std::size_t{blockIdx.x} * width, unit = first + tid % width;
  Acc sums[V];
  for (Acc& sum : sums) sum = Op::template identity<Acc>();
  if (unit < units) {
    add_band<V>(in + unit * V, rows, line, lines, stride, shape, sums, op);
  }
  for (unsigned offset = warp_size / 2; offset >= width; offset /= 2)
    for (Acc& sum : sums) sum = op(sum, shuffle_down(~0u, sum, offset));
  if (lane < width)
    for (unsigned k = 0; k < V; ++k) tile[(warp * width + lane) * V + k] = sums[k];
  __syncthreads();  // every warp's sums are in the tile before threads add up columns
  const std::size_t band = std::size_t{blockIdx.x} * shape.bands + blockIdx.y;
  for (unsigned c = tid; c < columns && first * V + c < units * V; c += blockDim.x) {
    const Acc sum = column_of_warps(tile, columns, c, op);
    if (shape.slices > 0)
      send(boxes[band * columns + c], sum);
    else
      out[first * V + c] = static_cast<Out>(sum);
  }
}

/// Returns the shape for a matrix of `rows` > 0 rows of `units` > 0 loads of V elements, on the current device.
/// \param widest  the largest number of loads side by side in a tile
/// \param exactly  true if each tile has exactly `widest` loads, even if the matrix has fewer columns
template <unsigned V, typename T>
columns_shape shape_of_columns(std::size_t rows, std::size_t units, unsigned widest, bool exactly) {
  const std::size_t multiprocessors = multiprocessor_count();
  columns_shape shape{};
  shape.tiles = static_cast<unsigned>(ceil_div(units, widest));
  shape.width = exactly ? widest : static_cast<unsigned>(ceil_div(units, shape.tiles));
  const bool is_little = rows * units <= multiprocessors * small_column_block * 8;
  shape.block_size = is_little ? small_column_block : large_column_block;
  // An additional block is worth its mailboxes only if each of its threads has four loads.
  const std::size_t wanted = ceil_div(rows, 4 * (shape.block_size / shape.width));
  std::size_t bands = std::max<std::size_t>(1, std::min(multiprocessors / shape.tiles, wanted));
  // With loads of one element, a single block per multiprocessor has too few bytes in flight.
  if (V == 1 && sizeof(T) <= 8 && bands > 1) bands = std::min(2 * multiprocessors / shape.tiles, wanted);
  shape.band_rows = ceil_div(rows, bands);
  shape.bands = static_cast<unsigned>(ceil_div(rows, shape.band_rows));
  // Eight blocks per tile, but a slice has enough columns for their mailbox words to fill a sector of the cache.
  const unsigned columns = shape.width * V, eighth = static_cast<unsigned>(ceil_div(columns, 8));
  shape.slice = std::min(32u, std::max(std::bit_ceil(eighth), std::min(4u, std::bit_ceil(columns))));
  shape.slices = shape.bands > 1 ? static_cast<unsigned>(ceil_div(columns, shape.slice)) : 0;
  shape.kept_rows =
      rows_to_keep(shape.band_rows, shape.block_size / shape.width, static_cast<double>(rows) * units * V * sizeof(T));
  return shape;
}

/// Returns how many bytes of workspace `reduce_columns` needs on the current device, for any matrix.
template <typename Acc, typename T>
std::size_t reduce_columns_workspace_bytes() {
  constexpr unsigned V = columns_a_load<T, Acc>;
  // With loads of one element, there are up to two blocks per multiprocessor.
  constexpr std::size_t per_block = std::max(2 * widest_tile<1>, V * widest_tile<V>);
  return std::size_t{multiprocessor_count()} * per_block * sizeof(mailbox<Acc>);
}

/// As `reduce_columns` below, with the algorithm `way`, which `can_choose` must allow. The rows of the matrix are
/// `units` > 0 loads of V elements.
template <unsigned V, typename Acc, typename T, typename Out, typename Op>
void reduce_columns_in_way(columns_way way, const T* in, Out* out, std::size_t rows, std::size_t units,
                           std::size_t stride, void* workspace, cudaStream_t stream, Op op) {
  const auto launch_whole = [&](auto* kernel, std::size_t blocks, unsigned block_size, unsigned width,
                                unsigned kept_rows) {
    kernel<<<static_cast<unsigned>(blocks), block_size, block_size / warp_size * width * V * sizeof(Acc), stream>>>(
        in, static_cast<unsigned>(rows), kept_rows, units, stride, width, out, op);
  };
  if (with_kernel_of_columns<V, T, Acc, Out, Op>(way, rows, units, launch_whole)) return;
  const bool banded = in_bands(way);
  const unsigned widest = banded ? width_of_tile<V, T>(way) : widest_tile<V>;
  const columns_shape shape = shape_of_columns<V, T>(rows, units, widest, banded);
  // Blocks that wait for others are the last to start.
  const dim3 blocks(shape.tiles, shape.bands + shape.slices);
  auto* const boxes = static_cast<mailbox<Acc>*>(workspace);
  const unsigned values = banded ? shape.block_size / warp_size * shape.width : shape.block_size;
  auto* const kernel = banded ? reduce_tiles_in_bands<V, T, Acc, Out, Op> : reduce_columns_in_bands<V, T, Acc, Out, Op>;
  kernel<<<blocks, shape.block_size, values * V * sizeof(Acc), stream>>>(in, rows, units, stride, shape, out, boxes,
                                                                         op);
}

/// Reduces each column of the matrix at `in` (device, aligned for T) with `op` into `out` (device, `columns` results),
/// with one launch on `stream`. Row r has its `columns` elements at `in + r * stride`; `stride` >= `columns`, in
/// elements. Any number may be 0: without rows the results are the identity, without columns nothing is launched.
/// Fastest if rows begin at multiples of 16 bytes. Values are converted to Acc first, and integers wrap in it; the
/// result is converted to Out. `workspace` (device, aligned to 8 bytes) has `reduce_columns_workspace_bytes<Acc, T>()`
/// bytes, is zeroed once, and serves one call at a time. Equal calls on equal devices give equal bits. Does not
/// synchronise or allocate. cudaGetLastError returns errors.
template <typename Acc, typename T, typename Out, reduction_operator<Acc> Op = plus>
void reduce_columns(const T* in, Out* out, std::size_t rows, std::size_t columns, std::size_t stride, void* workspace,
                    cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<Acc>);
  if (columns == 0) return;
  const auto launch = [&]<unsigned V>() {
    const std::size_t units = columns / V;
    reduce_columns_in_way<V, Acc>(way_of_columns<V, T>(rows, units), in, out, rows, units, stride, workspace, stream,
                                  op);
  };
  constexpr unsigned V = columns_a_load<T, Acc>;
  constexpr std::size_t bytes = V * sizeof(T);
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % bytes == 0 && (stride * sizeof(T)) % bytes == 0;
  if (V > 1 && aligned && columns % V == 0)
    launch.template operator()<V>();
  else
    launch.template operator()<1>();
}

}  // namespace workbook
