// The exercise's row for a submission. Its kernels, and the one that records what its warp_sum does, come from the
// process in which the submission runs. All of them run on the judge's own emulator.

#include "14_shuffle_trees/sum_kernel.hpp"
#include "course/judge/candidate.hpp"

namespace chapter14 {

sum_kernel exercise_kernel() {
  // The bytes of each parameter: a pointer, and the number of values.
  sum_kernel table{.kernels = judge::candidate_kernels({8, 8})};
  table.writes_down = judge::candidate_kernel(static_cast<unsigned>(table.kernels.size()), {8});
  return table;
}

}  // namespace chapter14
