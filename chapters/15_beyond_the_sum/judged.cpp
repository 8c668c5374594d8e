// The exercise of a submission in the row of the student's: its kernels come from where it runs.

#include "15_beyond_the_sum/segments_kernel.hpp"
#include "judge/candidate.hpp"

namespace chapter15 {

segments_kernel exercise_kernel() {
  segments_kernel table;
  // The bytes of each parameter: pointers, and what counts.
  for (unsigned type = 0; type < 5; ++type)
    table.kernels[type] = judge::candidate_kernel(static_cast<workbook::element_type>(type), {8, 8, 8, 4});
  return table;
}

}  // namespace chapter15
