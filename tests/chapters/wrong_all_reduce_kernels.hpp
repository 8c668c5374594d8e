#pragma once
/// \file
/// Kernels of chapter 16 with one mistake each, and right ones with a different algorithm than the goal requires.

#include "16_many_gpus/all_reduce_kernel.hpp"

namespace wrong_studies {

enum class all_reduce_mistake {
  none,
  last_chunk_lost,      ///< The ring leaves the last chunk unchanged.
  chunk_twice,          ///< The first chunk that a GPU gathers is added instead of copied.
  stale_chunk,          ///< Reads elements that the neighbour writes in the same step.
  same_chunk,           ///< All GPUs take chunk number `step`.
  uneven_share,         ///< Chunks are rounded down, so the last elements belong to no chunk.
  next_instead,         ///< Reads its right neighbour.
  too_far_left,         ///< Reads its left neighbour's left neighbour.
  wraps_below_zero,     ///< (me - step - 1) % devices in 32 bits: right only if devices is a power of two.
  writes_others,        ///< Pushes into its right neighbour's vector.
  beside_on_one_gpu,    ///< GPU 1 writes after the end of its vector in step 1.
  waits_on_one_gpu,     ///< GPU 1 waits in step 1 for a value that is never written.
  one_step_too_few,     ///< The all-gather ends early.
  in_one_step_in_place  ///< Each GPU adds up all vectors at once, while they change.
};
chapter16::all_reduce_kernel wrong_all_reduce(all_reduce_mistake which);

/// Right kernels with a different algorithm than the goal requires.
enum class all_reduce_dodge {
  in_one_step,     ///< Each GPU copies all vectors to its own memory. The next step writes its vector.
  by_gpu_1,        ///< GPU 1 adds up everything.
  chain,           ///< The whole vector is passed from GPU to GPU, and back.
  shares_to_gpu_0  ///< Each GPU sums up a share. GPU 0 collects them, and the others copy its vector.
};
chapter16::all_reduce_kernel dodging_all_reduce(all_reduce_dodge which);

/// Returns chapter 16's second solution, to run it in place of the student's kernel.
chapter16::all_reduce_kernel direct_exchange();

}  // namespace wrong_studies
