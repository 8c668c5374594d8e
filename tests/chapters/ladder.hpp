#pragma once
/// \file
/// All reference kernels of the workbook, for the tests.

#include <vector>

#include "chapters/rungs.hpp"
#include "workbook/library.hpp"

namespace workbook {

inline std::vector<reduction> all_references() {
  std::vector<reduction> all = ladder_references();
  all.push_back(one_launch_reduction());
  all.push_back(library_reduction());
  return all;
}

/// Returns the kernels whose counters were read on a GPU (tests/data), in the order of the record.
inline std::vector<reduction> recorded_references() {
  std::vector<reduction> recorded = ladder_solutions();
  recorded.push_back(one_launch_reduction());
  return recorded;
}

}  // namespace workbook
