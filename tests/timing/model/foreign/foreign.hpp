#pragma once
/// \file
/// Kernels that are not reductions of this workbook, with and without their classic mistakes. They are used to judge a
/// time model that was made with reductions in mind.

#include <vector>

#include "workbook/study.hpp"

namespace foreign {

/// An experiment that also returns its grid and its number of outputs.
class countable : public workbook::experiment {
 public:
  [[nodiscard]] virtual dim3 grid() const = 0;
  [[nodiscard]] virtual std::size_t outputs() const = 0;
};

/// Each function returns the kernels of one family. All use float, need 1024 elements or more, and leave the same
/// outputs however often they are launched. The exceptions are histograms, which add up; their jobs have `adds` set.
[[nodiscard]] std::vector<workbook::specimen> transpose_kernels();
[[nodiscard]] std::vector<workbook::specimen> stencil_kernels();
[[nodiscard]] std::vector<workbook::specimen> histogram_kernels();
[[nodiscard]] std::vector<workbook::specimen> scan_kernels();
[[nodiscard]] std::vector<workbook::specimen> product_kernels();
[[nodiscard]] std::vector<workbook::specimen> gather_kernels();
[[nodiscard]] std::vector<workbook::specimen> private_array_kernels();
[[nodiscard]] std::vector<workbook::specimen> stream_kernels();
[[nodiscard]] std::vector<workbook::specimen> layout_kernels();
[[nodiscard]] std::vector<workbook::specimen> arithmetic_kernels();
[[nodiscard]] std::vector<workbook::specimen> branch_kernels();
[[nodiscard]] std::vector<workbook::specimen> barrier_kernels();
[[nodiscard]] std::vector<workbook::specimen> chase_kernels();
[[nodiscard]] std::vector<workbook::specimen> grid_kernels();

/// Returns all kernels, family by family.
[[nodiscard]] std::vector<workbook::specimen> all_foreign_kernels();

}  // namespace foreign
