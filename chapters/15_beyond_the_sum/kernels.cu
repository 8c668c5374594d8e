// The kernels of the table, for every element type.

#include "15_beyond_the_sum/kernels.cuh"
#include "15_beyond_the_sum/segments_kernel.hpp"
#include "workbook/every_type.hpp"

namespace chapter15 {

segments_kernel by_threads() {
  return {workbook::kernels_of_every_type([]<typename T>(T*) { return thread_each<T>; }),
          segments_of_block::as_threads};
}
segments_kernel by_warps() {
  return {workbook::kernels_of_every_type([]<typename T>(T*) { return warp_each<T>; }), segments_of_block::as_warps};
}
segments_kernel by_blocks() {
  return {workbook::kernels_of_every_type([]<typename T>(T*) { return block_each<T>; }), segments_of_block::one};
}

}  // namespace chapter15
