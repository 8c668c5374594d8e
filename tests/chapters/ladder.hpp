#pragma once
/// \file
/// All reference kernels of the workbook, for the tests.

#include <vector>

#include "solutions/references.hpp"
#include "workbook/library.hpp"
#include "workbook/reduction.hpp"

namespace workbook {

inline std::vector<reduction> all_references() {
  std::vector<reduction> all = {chapter0_solution(),    chapter0_atomics(),  chapter1_solution(), chapter2_solution(),
                                chapter3_solution(),    chapter4_solution(), chapter5_solution(), chapter6_solution(),
                                chapter7_solution(),    chapter8_solution(), chapter9_solution(), chapter12_solution(),
                                one_launch_reduction(), library_reduction()};
  for (int k = 0; k < 2; ++k) all[static_cast<std::size_t>(k)].depth = [](std::size_t n, unsigned) { return n; };
  return all;
}

/// Those whose counters were read on a GPU (tests/data), in the order of the record.
inline std::vector<reduction> recorded_references() {
  return {chapter1_solution(), chapter2_solution(),  chapter3_solution(),   chapter4_solution(),
          chapter5_solution(), chapter6_solution(),  chapter7_solution(),   chapter8_solution(),
          chapter9_solution(), chapter12_solution(), one_launch_reduction()};
}

}  // namespace workbook
