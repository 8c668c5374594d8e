// The kernels of the table, for every element type.

#include "10_private_arrays/gather_kernel.hpp"
#include "10_private_arrays/kernels.cuh"

#define WORKBOOK_FOR_EACH_TYPE(kernel)                                                                    \
  {                                                                                                       \
    reinterpret_cast<const void*>(&kernel<int>), reinterpret_cast<const void*>(&kernel<unsigned>),        \
        reinterpret_cast<const void*>(&kernel<long long>), reinterpret_cast<const void*>(&kernel<float>), \
        reinterpret_cast<const void*>(&kernel<double>)                                                    \
  }

namespace chapter10 {

gather_kernel gathers_static() {
  return {.kernels = WORKBOOK_FOR_EACH_TYPE(gather_static)};
}
gather_kernel gathers_unrolled() {
  return {.kernels = WORKBOOK_FOR_EACH_TYPE(gather_unrolled)};
}
gather_kernel gathers_uniform() {
  return {.kernels = WORKBOOK_FOR_EACH_TYPE(gather_uniform)};
}
gather_kernel gathers_local() {
  return {.kernels = WORKBOOK_FOR_EACH_TYPE(gather_local)};
}
gather_kernel gathers_by_selects() {
  return {.kernels = WORKBOOK_FOR_EACH_TYPE(gather_by_selects)};
}
gather_kernel gathers_from_warp() {
  return {.kernels = WORKBOOK_FOR_EACH_TYPE(gather_from_warp)};
}

}  // namespace chapter10
