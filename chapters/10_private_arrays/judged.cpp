// The exercise's row for a submission. Its kernels and sizes come from the process in which the submission runs.

#include "10_private_arrays/gather_kernel.hpp"
#include "course/judge/candidate.hpp"

namespace chapter10 {
namespace {

template <unsigned type>
std::size_t shared_bytes(dim3 block) {
  return judge::candidate_shared_bytes(static_cast<workbook::element_type>(type), block);
}

}  // namespace

gather_kernel exercise_kernel() {
  // The bytes of each parameter: pointers, and the number of accesses.
  return {.kernels = judge::candidate_kernels({8, 8, 8, 8, 4}),
          .shared_bytes = {&shared_bytes<0>, &shared_bytes<1>, &shared_bytes<2>, &shared_bytes<3>, &shared_bytes<4>}};
}

}  // namespace chapter10
