#pragma once
/// \file
/// Turns a kernel file's `reduce` function template into a rung of the ladder.

#include <bit>
#include <string>
#include <utility>

#include "workbook/reduction.hpp"

namespace workbook {

/// Block sizes that the kernels of the workbook take, and why not the others.
inline std::optional<std::string> reject_unless_power_of_two(unsigned block_size) {
  if (block_size >= 32 && block_size <= 1024 && std::has_single_bit(block_size)) return {};
  return "the tree halves the block in every step: the block size must be a power of two from 32 to 1024, not " +
         std::to_string(block_size);
}

/// The same for kernels that take any number of whole warps.
inline std::optional<std::string> reject_unless_whole_warps(unsigned block_size) {
  if (block_size >= 32 && block_size <= 1024 && block_size % 32 == 0) return {};
  return "every warp of the block must be whole: the block size must be a multiple of 32 up to 1024, not " +
         std::to_string(block_size);
}

/// Makes a rung from a generic function object `reduce(in, partials, n, block_size)`.
template <typename Reduce>
reduction make_rung(std::string name, role as, int chapter, Reduce reduce) {
  reduction r;
  r.name = std::move(name);
  r.as = as;
  r.chapter = chapter;
  r.passes = {pass<int>(reduce), pass<unsigned>(reduce), pass<long long>(reduce), pass<float>(reduce),
              pass<double>(reduce)};
  r.rejects = reject_unless_power_of_two;
  return r;
}

}  // namespace workbook
