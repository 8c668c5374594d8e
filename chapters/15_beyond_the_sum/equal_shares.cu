// The book's own reduction of segments (reductions/segments.cuh) as a row of chapter 15's table.

#include "15_beyond_the_sum/segments_kernel.hpp"
#include "reductions/segments.cuh"
#include "workbook/every_type.hpp"

namespace chapter15 {
namespace {

template <typename T>
void largest_of_each(const void* in, const unsigned* offsets, void* out, std::size_t segments, std::size_t n,
                     void* workspace) {
  workbook::reduce_segments<T>(static_cast<const T*>(in), offsets, static_cast<T*>(out), segments, n, workspace,
                               nullptr, workbook::maximum{});
}

}  // namespace

equal_shares largest_by_equal_shares() {
  return {workbook::for_every_type([]<typename T>(T*) { return &largest_of_each<T>; }),
          workbook::for_every_type([]<typename T>(T*) { return &workbook::reduce_segments_workspace_bytes<T>; })};
}

}  // namespace chapter15
