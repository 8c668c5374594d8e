// The exercise of a submission in the row of the student's: its kernels come from where it runs.

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "judge/candidate.hpp"

namespace chapter16 {

all_reduce_kernel exercise_kernel() {
  all_reduce_kernel table;
  // The bytes of each parameter: eight pointers with their number, who, which step, and how many elements.
  for (unsigned type = 0; type < 5; ++type)
    table.kernels[type] = judge::candidate_kernel(static_cast<workbook::element_type>(type), {72, 4, 4, 4});
  return table;
}

}  // namespace chapter16
