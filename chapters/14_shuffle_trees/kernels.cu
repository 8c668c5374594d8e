// The kernels of the table, for every element type.

#include "14_shuffle_trees/kernels.cuh"

namespace chapter14 {

sum_kernel two_a_step() {
  return kernels_with<by_two>();
}
sum_kernel four_a_step_chain() {
  return kernels_with<by_four<chain<16>>>();
}
sum_kernel four_a_step_tree() {
  return kernels_with<by_four<found_tree>>();
}
sum_kernel thirty_two_chain() {
  return kernels_with<by_thirty_two<chain<32>>>();
}
sum_kernel thirty_two_redux() {
  return kernels_with<by_thirty_two<redux>>();
}

}  // namespace chapter14
