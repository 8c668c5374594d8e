// The kernels of the table, for every element type.

#include "10_private_arrays/gather_kernel.hpp"
#include "10_private_arrays/kernels.cuh"
#include "workbook/every_type.hpp"

namespace chapter10 {

gather_kernel gathers_static() {
  return {.kernels = workbook::kernels_of_every_type([]<typename T>(T*) { return gather_static<T>; })};
}
gather_kernel gathers_unrolled() {
  return {.kernels = workbook::kernels_of_every_type([]<typename T>(T*) { return gather_unrolled<T>; })};
}
gather_kernel gathers_uniform() {
  return {.kernels = workbook::kernels_of_every_type([]<typename T>(T*) { return gather_uniform<T>; })};
}
gather_kernel gathers_local() {
  return {.kernels = workbook::kernels_of_every_type([]<typename T>(T*) { return gather_local<T>; })};
}
gather_kernel gathers_by_selects() {
  return {.kernels = workbook::kernels_of_every_type([]<typename T>(T*) { return gather_by_selects<T>; })};
}
gather_kernel gathers_from_warp() {
  return {.kernels = workbook::kernels_of_every_type([]<typename T>(T*) { return gather_from_warp<T>; })};
}

}  // namespace chapter10
