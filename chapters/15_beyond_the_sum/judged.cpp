// The exercise of a submission in the row of the student's: its kernels come from where it runs.

#include "15_beyond_the_sum/segments_kernel.hpp"
#include "judge/candidate.hpp"

namespace chapter15 {

segments_kernel exercise_kernel() {
  // The bytes of each parameter: pointers, and what counts.
  return {.kernels = judge::candidate_kernels({8, 8, 8, 4})};
}

}  // namespace chapter15
