#pragma once
/// \file
/// Kernels of chapter 16 with one mistake each, and right ones that go another way than the goal asks for.

#include "16_many_gpus/all_reduce_kernel.hpp"

namespace wrong_studies {

enum class all_reduce_mistake {
  none,
  last_chunk_lost,      ///< The ring leaves it as it was.
  chunk_twice,          ///< The first chunk that a GPU gathers is added instead of copied.
  stale_chunk,          ///< Reads what the neighbour writes in this very step.
  same_chunk,           ///< All GPUs take chunk number `step`.
  uneven_share,         ///< Chunks are rounded down: what is left over belongs to nobody.
  next_instead,         ///< Reads its right neighbour.
  too_far_left,         ///< Reads its left neighbour's left neighbour.
  wraps_below_zero,     ///< (me - step - 1) % devices, in 32 bits: right where devices is a power of two.
  writes_others,        ///< Pushes into its right neighbour's vector.
  beside_on_one_gpu,    ///< GPU 1 writes behind its vector in step 1.
  waits_on_one_gpu,     ///< GPU 1 waits in step 1 for what nobody writes.
  one_step_too_few,     ///< The all-gather ends early.
  in_one_step_in_place  ///< Each adds up all vectors at once, while they change.
};
chapter16::all_reduce_kernel wrong_all_reduce(all_reduce_mistake which);

/// Right, but not what the goal asks for.
enum class all_reduce_dodge {
  in_one_step,     ///< Each GPU reads all vectors whole, into memory of its own; the next step writes its vector.
  by_gpu_1,        ///< GPU 1 adds up everything.
  chain,           ///< The whole vector goes from GPU to GPU, and back.
  shares_to_gpu_0  ///< Each sums up a share; GPU 0 collects them, and all others copy its vector.
};
chapter16::all_reduce_kernel dodging_all_reduce(all_reduce_dodge which);

/// The second solution, in the place of the student's kernel.
chapter16::all_reduce_kernel direct_exchange();

}  // namespace wrong_studies
