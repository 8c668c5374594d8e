#pragma once
/// \file
/// The ways to reduce that `tune` chooses from, and how its tables (tuned.hpp) are read. Host only.

#include <algorithm>
#include <cstddef>

namespace workbook {

/// How one array is reduced: by one block without rounds, by several blocks without rounds, or in rounds.
enum class reduce_way : unsigned char { one_block, one_round, rounds };

/// A way, and its numbers.
struct reduce_choice {
  reduce_way way = reduce_way::rounds;
  unsigned loads = 2;  ///< Of 16 bytes in flight per thread; 0 for one block. In rounds, 8: what registers allow.
  unsigned block_size = 512;  ///< 0 for one block: its size follows from the loads.
  unsigned blocks = 0;        ///< In rounds: for each multiprocessor.
  friend bool operator==(const reduce_choice&, const reduce_choice&) = default;
};

/// Who takes rows of a matrix. The letters are those of the map in tuned.hpp.
enum class rows_way : char {
  thread = 't',         ///< A thread takes a row.
  eight_lanes = 'e',    ///< Eight lanes take one, an element a load,
  eight_vectors = 'v',  ///< or 16 bytes a load.
  warp = 'w',
  block = 'b',  ///< A block of 256 threads, 512, or 1024.
  block_of_512 = 'm',
  block_of_1024 = 'l',
  shared = 's'  ///< All blocks take equal shares of all rows.
};
inline constexpr rows_way all_rows_ways[] = {rows_way::thread,        rows_way::eight_lanes, rows_way::eight_vectors,
                                             rows_way::warp,          rows_way::block,       rows_way::block_of_512,
                                             rows_way::block_of_1024, rows_way::shared};

/// Who takes segments, by their average length.
enum class segments_way : char {
  warps = 'w',         ///< A warp takes a segment, and the block a long one.
  small_blocks = 'a',  ///< A block of 128 threads takes one, of 256, or of 1024.
  blocks = 'b',
  large_blocks = 'l',
  blocks_and_shares = 'c',        ///< A block of 256 threads takes one, and long ones are shared,
  large_blocks_and_shares = 'd',  ///< or of 512.
  shared = 's'                    ///< All blocks take equal shares of all segments.
};
inline constexpr segments_way all_segments_ways[] = {
    segments_way::warps,        segments_way::small_blocks,      segments_way::blocks,
    segments_way::large_blocks, segments_way::blocks_and_shares, segments_way::large_blocks_and_shares,
    segments_way::shared};

/// Who takes columns of a matrix.
enum class columns_way : char {
  threads = 't',  ///< A thread takes the columns of one load.
  tile_16 = '0',  ///< A block takes a tile of columns: 16 bytes of a row, 32, and so on.
  tile_32 = '1',
  tile_64 = '2',
  tile_128 = '3',
  tile_256 = '4',
  tile_512 = '5',
  bands_16 = 'a',  ///< Several blocks share the rows of such a tile, a band each.
  bands_32 = 'b',
  bands_64 = 'c',
  bands_128 = 'd',
  bands_256 = 'e',
  bands_512 = 'f',
  shared = 's'  ///< As bands, of tiles of any width: for rows that are no power of two of loads.
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

/// Returns the k whose 2^k is nearest to x, as ratios go; 0 for x = 0.
constexpr unsigned nearest_log2(std::size_t x) {
  const unsigned above = ceil_log2(x);
  if (above == 0) return 0;
  const double root = 1.4142135623730951;
  return static_cast<double>(x) * root < static_cast<double>(std::size_t{1} << above) ? above - 1 : above;
}

/// Returns the letter of a map whose lines are for pieces of 4 bytes, 8, and so on, and whose columns for 1 piece, 2,
/// and so on. What lies beyond is as at the map's edge.
template <std::size_t Lines, std::size_t Columns>
constexpr char letter_at(const char (&map)[Lines][Columns], std::size_t bytes, std::size_t count) {
  const unsigned line = std::max(nearest_log2(bytes), 2u) - 2;
  constexpr std::size_t last = Columns - 2;  // behind it stands the string's end
  return map[std::min<std::size_t>(line, Lines - 1)][std::min<std::size_t>(nearest_log2(count), last)];
}

/// Returns the row of a table that has one for 1 load, for 2, for 4, and so on; what lies beyond is as the last.
/// `scaled`: the loads that would be as much for each multiprocessor of the GPU that the table was made on.
template <std::size_t Rows>
constexpr const reduce_choice& row_at(const reduce_choice (&table)[Rows], std::size_t loads, std::size_t scaled) {
  std::size_t k = std::min<std::size_t>(ceil_log2(loads), Rows - 1);
  // What is enough for one block is so whatever others there are.
  if (table[k].way == reduce_way::one_block) return table[k];
  k = std::min<std::size_t>(ceil_log2(scaled), Rows - 1);
  while (k + 1 < Rows && table[k].way == reduce_way::one_block) ++k;
  return table[k];
}

}  // namespace workbook
