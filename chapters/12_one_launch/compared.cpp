// The rows of chapter 12's table other than the reference and the exercise.

#include "12_one_launch/compared_tables.hpp"

#include <string>
#include <utility>

#include "workbook/library.hpp"
#include "workbook/rung.hpp"

namespace chapter12 {
namespace {

using namespace workbook;

/// Makes a row for a kernel in which this many threads of each block add to the total, one after the other.
reduction row(std::string name, const kernel_table& table, std::size_t (*adders_per_block)(unsigned block_size)) {
  reduction r = make_rung(std::move(name), role::compared, 12, table);
  r.rejects = reject_unless_whole_warps;
  r.depth = [adders_per_block](std::size_t n, unsigned block_size) {
    // For floats, which have four elements per load. Doubles have more blocks, and so fewer additions per thread.
    const std::size_t threads = fewest_blocks(n, block_size) * block_size;
    return (n + threads - 1) / threads + 4 + 10 + max_blocks(n, block_size) * adders_per_block(block_size);
  };
  return r;
}

}  // namespace

std::vector<reduction> compared_rungs() {
  const compared_kernels kernels = kernels_to_compare();
  reduction final = one_launch_reduction();
  final.as = role::compared;
  reduction compensated = make_whole("compensated", role::compared, 12, kernels.compensated_sum);
  // The result is rounded once from about twice the precision; all earlier errors together are less than one more unit.
  compensated.depth = [](std::size_t, unsigned) { return std::size_t{2}; };
  return {
      row("atomic a thread", kernels.atomic_per_thread, [](unsigned block_size) { return std::size_t{block_size}; }),
      row("atomic a warp", kernels.atomic_per_warp, [](unsigned block_size) { return std::size_t{block_size / 32}; }),
      row("atomic a block", kernels.atomic_per_block, [](unsigned) { return std::size_t{1}; }),
      row("reduce_grid_sync", kernels.barrier_of_the_grid, [](unsigned) { return std::size_t{1}; }),
      final,
      compensated};
}

}  // namespace chapter12
