// The zoo: a table of functions for every wrong kernel, with the types for which its header states that it is wrong or
// right.

#include "kernels/wrong_kernels/adds_to_garbage.cuh"
#include "kernels/wrong_kernels/block_too_large.cuh"
#include "kernels/wrong_kernels/blocks_add_without_atomic.cuh"
#include "kernels/wrong_kernels/changes_its_input.cuh"
#include "kernels/wrong_kernels/counted_twice.cuh"
#include "kernels/wrong_kernels/divergent_barrier.cuh"
#include "kernels/wrong_kernels/double_free.cuh"
#include "kernels/wrong_kernels/dropped_tail.cuh"
#include "kernels/wrong_kernels/endless_loop.cuh"
#include "kernels/wrong_kernels/everyone_adds_to_one_word.cuh"
#include "kernels/wrong_kernels/float_for_double.cuh"
#include "kernels/wrong_kernels/forgets_a_partial.cuh"
#include "kernels/wrong_kernels/half_the_block.cuh"
#include "kernels/wrong_kernels/half_waits_for_a_flag.cuh"
#include "kernels/wrong_kernels/host_pointer.cuh"
#include "kernels/wrong_kernels/index_of_16_bits.cuh"
#include "kernels/wrong_kernels/last_block_silent.cuh"
#include "kernels/wrong_kernels/last_block_unannounced.cuh"
#include "kernels/wrong_kernels/last_block_without_fence.cuh"
#include "kernels/wrong_kernels/misaligned_vector.cuh"
#include "kernels/wrong_kernels/missing_barrier_after_load.cuh"
#include "kernels/wrong_kernels/missing_barrier_between_steps.cuh"
#include "kernels/wrong_kernels/narrow_accumulator.cuh"
#include "kernels/wrong_kernels/neighbour_without_barrier.cuh"
#include "kernels/wrong_kernels/never_gets_done.cuh"
#include "kernels/wrong_kernels/not_a_number.cuh"
#include "kernels/wrong_kernels/nothing_for_nothing.cuh"
#include "kernels/wrong_kernels/null_pointer.cuh"
#include "kernels/wrong_kernels/off_by_one.cuh"
#include "kernels/wrong_kernels/reads_past_end.cuh"
#include "kernels/wrong_kernels/reads_unwritten_partials.cuh"
#include "kernels/wrong_kernels/shuffle_from_nowhere.cuh"
#include "kernels/wrong_kernels/shuffle_in_a_branch.cuh"
#include "kernels/wrong_kernels/stale_tile.cuh"
#include "kernels/wrong_kernels/tile_of_128.cuh"
#include "kernels/wrong_kernels/tile_too_small.cuh"
#include "kernels/wrong_kernels/too_much_shared_memory.cuh"
#include "kernels/wrong_kernels/two_barriers.cuh"
#include "kernels/wrong_kernels/unchecked_grid.cuh"
#include "kernels/wrong_kernels/uninitialised_tile.cuh"
#include "kernels/wrong_kernels/use_after_free.cuh"
#include "kernels/wrong_kernels/volatile_lanes_apart.cuh"
#include "kernels/wrong_kernels/volatile_warp.cuh"
#include "kernels/wrong_kernels/warps_meet_too_early.cuh"
#include "kernels/wrong_kernels/writes_no_result.cuh"
#include "kernels/wrong_kernels/writes_past_end.cuh"
#include "kernels/wrong_kernels/wrong_for_one_size.cuh"
#include "kernels/wrong_kernels/wrong_member_mask.cuh"

#include "kernels/wrong_kernels/zoo.hpp"

namespace wrong {

#define WORKBOOK_WRONG(name, ...) \
  {                               \
#name, {                      \
      __VA_ARGS__                 \
    }                             \
  }

const named_table tables[] = {
    WORKBOOK_WRONG(adds_to_garbage, .for_int = adds_to_garbage::reduce),
    WORKBOOK_WRONG(block_too_large, .for_int = block_too_large::reduce),
    WORKBOOK_WRONG(blocks_add_without_atomic, .for_int = blocks_add_without_atomic::reduce),
    WORKBOOK_WRONG(changes_its_input, .for_int = changes_its_input::reduce),
    WORKBOOK_WRONG(counted_twice, .for_int = counted_twice::reduce),
    WORKBOOK_WRONG(divergent_barrier, .for_int = divergent_barrier::reduce),
    WORKBOOK_WRONG(double_free, .for_int = double_free::reduce),
    WORKBOOK_WRONG(dropped_tail, .for_int = dropped_tail::reduce),
    WORKBOOK_WRONG(endless_loop, .for_int = endless_loop::reduce),
    WORKBOOK_WRONG(everyone_adds_to_one_word, .for_int = everyone_adds_to_one_word::reduce),
    WORKBOOK_WRONG(float_for_double, .for_float = float_for_double::reduce, .for_double = float_for_double::reduce),
    WORKBOOK_WRONG(forgets_a_partial, .for_int = forgets_a_partial::reduce),
    WORKBOOK_WRONG(half_the_block, .for_int = half_the_block::reduce),
    WORKBOOK_WRONG(half_waits_for_a_flag, .for_int = half_waits_for_a_flag::reduce),
    WORKBOOK_WRONG(host_pointer, .for_int = host_pointer::reduce),
    WORKBOOK_WRONG(index_of_16_bits, .for_int = index_of_16_bits::reduce),
    WORKBOOK_WRONG(last_block_silent, .for_int = last_block_silent::reduce),
    WORKBOOK_WRONG(last_block_without_fence, .for_int = last_block_without_fence::reduce),
    WORKBOOK_WRONG(last_block_unannounced, .for_int = last_block_unannounced::reduce),
    WORKBOOK_WRONG(misaligned_vector, .for_int = misaligned_vector::reduce),
    WORKBOOK_WRONG(missing_barrier_after_load, .for_int = missing_barrier_after_load::reduce),
    WORKBOOK_WRONG(missing_barrier_between_steps, .for_int = missing_barrier_between_steps::reduce),
    WORKBOOK_WRONG(narrow_accumulator, .for_int = narrow_accumulator::reduce,
                   .for_longlong = narrow_accumulator::reduce),
    WORKBOOK_WRONG(neighbour_without_barrier, .for_int = neighbour_without_barrier::reduce),
    WORKBOOK_WRONG(never_gets_done, .for_int = never_gets_done::reduce),
    WORKBOOK_WRONG(not_a_number, .for_float = not_a_number::reduce),
    WORKBOOK_WRONG(nothing_for_nothing, .for_int = nothing_for_nothing::reduce),
    WORKBOOK_WRONG(null_pointer, .for_int = null_pointer::reduce),
    WORKBOOK_WRONG(off_by_one, .for_int = off_by_one::reduce),
    WORKBOOK_WRONG(reads_past_end, .for_int = reads_past_end::reduce),
    WORKBOOK_WRONG(reads_unwritten_partials, .for_int = reads_unwritten_partials::reduce),
    WORKBOOK_WRONG(shuffle_from_nowhere, .for_int = shuffle_from_nowhere::reduce),
    WORKBOOK_WRONG(shuffle_in_a_branch, .for_int = shuffle_in_a_branch::reduce),
    WORKBOOK_WRONG(stale_tile, .for_int = stale_tile::reduce),
    WORKBOOK_WRONG(tile_of_128, .for_int = tile_of_128::reduce),
    WORKBOOK_WRONG(tile_too_small, .for_int = tile_too_small::reduce),
    WORKBOOK_WRONG(too_much_shared_memory, .for_int = too_much_shared_memory::reduce),
    WORKBOOK_WRONG(two_barriers, .for_int = two_barriers::reduce),
    WORKBOOK_WRONG(unchecked_grid, .for_int = unchecked_grid::reduce),
    WORKBOOK_WRONG(uninitialised_tile, .for_int = uninitialised_tile::reduce),
    WORKBOOK_WRONG(use_after_free, .for_int = use_after_free::reduce),
    WORKBOOK_WRONG(volatile_lanes_apart, .for_int = volatile_lanes_apart::reduce),
    WORKBOOK_WRONG(volatile_warp, .for_int = volatile_warp::reduce),
    WORKBOOK_WRONG(warps_meet_too_early, .for_int = warps_meet_too_early::reduce),
    WORKBOOK_WRONG(writes_no_result, .for_int = writes_no_result::reduce),
    WORKBOOK_WRONG(writes_past_end, .for_int = writes_past_end::reduce),
    WORKBOOK_WRONG(wrong_for_one_size, .for_int = wrong_for_one_size::reduce),
    WORKBOOK_WRONG(wrong_member_mask, .for_int = wrong_member_mask::reduce),
};
const std::size_t table_count = sizeof tables / sizeof *tables;

#undef WORKBOOK_WRONG

}  // namespace wrong
