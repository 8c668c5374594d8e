// The zoo: every wrong kernel as a rung, for the types in which its header says it is wrong or right.

#include "wrong_kernels/adds_to_garbage.cuh"
#include "wrong_kernels/block_too_large.cuh"
#include "wrong_kernels/blocks_add_without_atomic.cuh"
#include "wrong_kernels/changes_its_input.cuh"
#include "wrong_kernels/counted_twice.cuh"
#include "wrong_kernels/divergent_barrier.cuh"
#include "wrong_kernels/double_free.cuh"
#include "wrong_kernels/dropped_tail.cuh"
#include "wrong_kernels/endless_loop.cuh"
#include "wrong_kernels/everyone_adds_to_one_word.cuh"
#include "wrong_kernels/float_for_double.cuh"
#include "wrong_kernels/forgets_a_partial.cuh"
#include "wrong_kernels/half_the_block.cuh"
#include "wrong_kernels/half_waits_for_a_flag.cuh"
#include "wrong_kernels/host_pointer.cuh"
#include "wrong_kernels/index_of_16_bits.cuh"
#include "wrong_kernels/last_block_silent.cuh"
#include "wrong_kernels/last_block_unannounced.cuh"
#include "wrong_kernels/last_block_without_fence.cuh"
#include "wrong_kernels/misaligned_vector.cuh"
#include "wrong_kernels/missing_barrier_after_load.cuh"
#include "wrong_kernels/missing_barrier_between_steps.cuh"
#include "wrong_kernels/narrow_accumulator.cuh"
#include "wrong_kernels/neighbour_without_barrier.cuh"
#include "wrong_kernels/never_gets_done.cuh"
#include "wrong_kernels/not_a_number.cuh"
#include "wrong_kernels/nothing_for_nothing.cuh"
#include "wrong_kernels/null_pointer.cuh"
#include "wrong_kernels/off_by_one.cuh"
#include "wrong_kernels/reads_past_end.cuh"
#include "wrong_kernels/reads_unwritten_partials.cuh"
#include "wrong_kernels/shuffle_from_nowhere.cuh"
#include "wrong_kernels/shuffle_in_a_branch.cuh"
#include "wrong_kernels/stale_tile.cuh"
#include "wrong_kernels/tile_of_128.cuh"
#include "wrong_kernels/tile_too_small.cuh"
#include "wrong_kernels/too_much_shared_memory.cuh"
#include "wrong_kernels/two_barriers.cuh"
#include "wrong_kernels/unchecked_grid.cuh"
#include "wrong_kernels/uninitialised_tile.cuh"
#include "wrong_kernels/use_after_free.cuh"
#include "wrong_kernels/volatile_lanes_apart.cuh"
#include "wrong_kernels/volatile_warp.cuh"
#include "wrong_kernels/warps_meet_too_early.cuh"
#include "wrong_kernels/writes_no_result.cuh"
#include "wrong_kernels/writes_past_end.cuh"
#include "wrong_kernels/wrong_for_one_size.cuh"
#include "wrong_kernels/wrong_member_mask.cuh"

#include <string>

#include "workbook/reduction.hpp"
#include "wrong_kernels/zoo.hpp"

namespace wrong {
namespace {

/// Makes a rung that runs for the types `T` only.
template <typename... T, typename Reduce>
workbook::reduction rung(std::string name, Reduce reduce) {
  workbook::reduction r;
  r.name = std::move(name);
  r.as = workbook::role::wrong;
  ((std::get<workbook::pass<T>>(r.passes) = reduce), ...);
  return r;
}

}  // namespace

/// Calls the function template `reduce` of namespace `name`.
#define WORKBOOK_WRONG(name, ...) \
  rung<__VA_ARGS__>(#name,        \
                    [](const auto* in, auto* out, std::size_t n, unsigned b) { return name::reduce(in, out, n, b); })

std::vector<workbook::reduction> zoo() {
  return {
      WORKBOOK_WRONG(adds_to_garbage, int),
      WORKBOOK_WRONG(block_too_large, int),
      WORKBOOK_WRONG(blocks_add_without_atomic, int),
      WORKBOOK_WRONG(changes_its_input, int),
      WORKBOOK_WRONG(counted_twice, int),
      WORKBOOK_WRONG(divergent_barrier, int),
      WORKBOOK_WRONG(double_free, int),
      WORKBOOK_WRONG(dropped_tail, int),
      WORKBOOK_WRONG(endless_loop, int),
      WORKBOOK_WRONG(everyone_adds_to_one_word, int),
      WORKBOOK_WRONG(float_for_double, double, float),
      WORKBOOK_WRONG(forgets_a_partial, int),
      WORKBOOK_WRONG(half_the_block, int),
      WORKBOOK_WRONG(half_waits_for_a_flag, int),
      WORKBOOK_WRONG(host_pointer, int),
      WORKBOOK_WRONG(index_of_16_bits, int),
      WORKBOOK_WRONG(last_block_silent, int),
      WORKBOOK_WRONG(last_block_without_fence, int),
      WORKBOOK_WRONG(last_block_unannounced, int),
      WORKBOOK_WRONG(misaligned_vector, int),
      WORKBOOK_WRONG(missing_barrier_after_load, int),
      WORKBOOK_WRONG(missing_barrier_between_steps, int),
      WORKBOOK_WRONG(narrow_accumulator, int, long long),
      WORKBOOK_WRONG(neighbour_without_barrier, int),
      WORKBOOK_WRONG(never_gets_done, int),
      WORKBOOK_WRONG(not_a_number, float),
      WORKBOOK_WRONG(nothing_for_nothing, int),
      WORKBOOK_WRONG(null_pointer, int),
      WORKBOOK_WRONG(off_by_one, int),
      WORKBOOK_WRONG(reads_past_end, int),
      WORKBOOK_WRONG(reads_unwritten_partials, int),
      WORKBOOK_WRONG(shuffle_from_nowhere, int),
      WORKBOOK_WRONG(shuffle_in_a_branch, int),
      WORKBOOK_WRONG(stale_tile, int),
      WORKBOOK_WRONG(tile_of_128, int),
      WORKBOOK_WRONG(tile_too_small, int),
      WORKBOOK_WRONG(too_much_shared_memory, int),
      WORKBOOK_WRONG(two_barriers, int),
      WORKBOOK_WRONG(unchecked_grid, int),
      WORKBOOK_WRONG(uninitialised_tile, int),
      WORKBOOK_WRONG(use_after_free, int),
      WORKBOOK_WRONG(volatile_lanes_apart, int),
      WORKBOOK_WRONG(volatile_warp, int),
      WORKBOOK_WRONG(warps_meet_too_early, int),
      WORKBOOK_WRONG(writes_no_result, int),
      WORKBOOK_WRONG(writes_past_end, int),
      WORKBOOK_WRONG(wrong_for_one_size, int),
      WORKBOOK_WRONG(wrong_member_mask, int),
  };
}

#undef WORKBOOK_WRONG

}  // namespace wrong
