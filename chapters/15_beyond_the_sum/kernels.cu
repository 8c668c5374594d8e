// The kernels of the table, for every element type.

#include "15_beyond_the_sum/kernels.cuh"
#include "15_beyond_the_sum/segments_kernel.hpp"

#define WORKBOOK_FOR_EACH_TYPE(kernel)                                                                    \
  {                                                                                                       \
    reinterpret_cast<const void*>(&kernel<int>), reinterpret_cast<const void*>(&kernel<unsigned>),        \
        reinterpret_cast<const void*>(&kernel<long long>), reinterpret_cast<const void*>(&kernel<float>), \
        reinterpret_cast<const void*>(&kernel<double>)                                                    \
  }

namespace chapter15 {

segments_kernel by_threads() {
  return {WORKBOOK_FOR_EACH_TYPE(thread_each), segments_of_block::as_threads};
}
segments_kernel by_warps() {
  return {WORKBOOK_FOR_EACH_TYPE(warp_each), segments_of_block::as_warps};
}
segments_kernel by_blocks() {
  return {WORKBOOK_FOR_EACH_TYPE(block_each), segments_of_block::one};
}

}  // namespace chapter15
