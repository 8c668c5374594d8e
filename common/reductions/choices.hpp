#pragma once
/// \file
/// The algorithms that `tune` chooses from, and how its tables (tuned.hpp) are read. Host only.

#include <algorithm>
#include <cstddef>

namespace workbook {

/// The algorithm that reduces one array: one block without a loop, several blocks without one, or blocks with one.
enum class reduce_way : unsigned char { one_block, one_round, rounds };

/// An algorithm and its parameters.
struct reduce_choice {
  reduce_way way = reduce_way::rounds;
  unsigned loads = 2;         ///< 16-byte loads in flight per thread. 0 for one block; 8, with a loop: as many as fit.
  unsigned block_size = 512;  ///< 0 for one block, because its size follows from the loads.
  unsigned blocks = 0;        ///< Blocks per streaming multiprocessor (SM), with a loop.
  friend bool operator==(const reduce_choice&, const reduce_choice&) = default;
};

/// The threads that take a row of a matrix. The letters are those in the maps of tuned.hpp.
enum class rows_way : char {
  thread = 't',         ///< One thread.
  eight_lanes = 'e',    ///< Eight lanes, one element per load,
  eight_vectors = 'v',  ///< or 16 bytes per load.
  warp = 'w',
  block = 'b',  ///< A block of 256 threads, 512, or 1024.
  block_of_512 = 'm',
  block_of_1024 = 'l',
  shared = 's'  ///< All blocks take equal shares of all rows.
};
inline constexpr rows_way all_rows_ways[] = {rows_way::thread,        rows_way::eight_lanes, rows_way::eight_vectors,
                                             rows_way::warp,          rows_way::block,       rows_way::block_of_512,
                                             rows_way::block_of_1024, rows_way::shared};

/// The threads that take a segment, chosen by the average length of the segments.
enum class segments_way : char {
  warps = 'w',         ///< A warp, and the whole block for a long segment.
  small_blocks = 'a',  ///< A block of 128 threads, 256, or 1024.
  blocks = 'b',
  large_blocks = 'l',
  blocks_and_shares = 'c',        ///< A block of 256 threads, but long segments are shared,
  large_blocks_and_shares = 'd',  ///< or a block of 512.
  shared = 's'                    ///< All blocks take equal shares of all segments.
};
inline constexpr segments_way all_segments_ways[] = {
    segments_way::warps,        segments_way::small_blocks,      segments_way::blocks,
    segments_way::large_blocks, segments_way::blocks_and_shares, segments_way::large_blocks_and_shares,
    segments_way::shared};

/// The threads that take columns of a matrix.
enum class columns_way : char {
  threads = 't',  ///< A thread takes the columns of one load.
  tile_16 = '0',  ///< A block takes a tile of columns: 16 bytes of each row, 32, and so on.
  tile_32 = '1',
  tile_64 = '2',
  tile_128 = '3',
  tile_256 = '4',
  tile_512 = '5',
  bands_16 = 'a',  ///< Several blocks share the rows of such a tile, one band each.
  bands_32 = 'b',
  bands_64 = 'c',
  bands_128 = 'd',
  bands_256 = 'e',
  bands_512 = 'f',
  shared = 's'  ///< As bands, but with tiles of any width: for rows whose number of loads isn't a power of two.
};
inline constexpr columns_way all_columns_ways[] = {
    columns_way::threads,   columns_way::tile_16,  columns_way::tile_32,   columns_way::tile_64,
    columns_way::tile_128,  columns_way::tile_256, columns_way::tile_512,  columns_way::bands_16,
    columns_way::bands_32,  columns_way::bands_64, columns_way::bands_128, columns_way::bands_256,
    columns_way::bands_512, columns_way::shared};

/// Returns the least k with 2^k >= x; 0 for x = 0.
constexpr unsigned ceil_log2(std::size_t x) {
  unsigned k = 0;
  while (k < 63 && (std::size_t{1} << k) < x) ++k;
  return k;
}

/// Returns the k for which 2^k / x is nearest to 1; 0 for x = 0.
constexpr unsigned nearest_log2(std::size_t x) {
  const unsigned above = ceil_log2(x);
  if (above == 0) return 0;
  const double root = 1.4142135623730951;
  return static_cast<double>(x) * root < static_cast<double>(std::size_t{1} << above) ? above - 1 : above;
}

/// Looks up a letter in a map that has a line for each piece size (4, 8, 16, … bytes) and a column for each number of
/// pieces (1, 2, 4, …). Returns the nearest letter for sizes outside the map.
template <std::size_t Lines, std::size_t Columns>
constexpr char letter_at(const char (&map)[Lines][Columns], std::size_t bytes, std::size_t count) {
  const unsigned line = std::max(nearest_log2(bytes), 2u) - 2;
  constexpr std::size_t last = Columns - 2;  // the string's terminating 0 follows
  return map[std::min<std::size_t>(line, Lines - 1)][std::min<std::size_t>(nearest_log2(count), last)];
}

/// Returns the row for an input in a table whose rows are for 1 load, 2, 4, and so on; the last row for larger inputs.
/// `scaled`: the loads that give an SM of the tuned GPU as much work as `loads` give one here.
template <std::size_t Rows>
constexpr const reduce_choice& row_at(const reduce_choice (&table)[Rows], std::size_t loads, std::size_t scaled) {
  std::size_t k = std::min<std::size_t>(ceil_log2(loads), Rows - 1);
  // If one block is enough for this input, the number of multiprocessors doesn't matter.
  if (table[k].way == reduce_way::one_block) return table[k];
  k = std::min<std::size_t>(ceil_log2(scaled), Rows - 1);
  while (k + 1 < Rows && table[k].way == reduce_way::one_block) ++k;
  return table[k];
}

}  // namespace workbook
