#include "timing/model/foreign/foreign.hpp"

#include <utility>

namespace foreign {

std::vector<workbook::specimen> all_foreign_kernels() {
  std::vector<workbook::specimen> all;
  for (const auto family : {transpose_kernels, stencil_kernels, histogram_kernels, scan_kernels, product_kernels,
                            gather_kernels, private_array_kernels, stream_kernels, layout_kernels, arithmetic_kernels,
                            branch_kernels, barrier_kernels, chase_kernels, grid_kernels}) {
    for (workbook::specimen& kernel : family()) all.push_back(std::move(kernel));
  }
  return all;
}

}  // namespace foreign
