// The exercise's row for a submission: its kernels come from the process in which it runs.

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "course/judge/candidate.hpp"

namespace chapter16 {

all_reduce_kernel exercise_kernel() {
  // The bytes of each parameter: eight pointers with their number, the GPU, the step, and the number of elements.
  return {.kernels = judge::candidate_kernels({72, 4, 4, 4})};
}

}  // namespace chapter16
