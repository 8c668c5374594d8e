// The kernels for the exercise's row of the table if the judge runs a submission. They come from the process in which
// the submission runs.

#include "15_beyond_the_sum/segments_kernel.hpp"
#include "course/judge/candidate.hpp"

namespace chapter15 {

segments_kernel exercise_kernel() {
  // The bytes of each parameter: pointers, and the number of segments.
  return {.kernels = judge::candidate_kernels({8, 8, 8, 4})};
}

}  // namespace chapter15
