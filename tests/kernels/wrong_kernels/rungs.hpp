#pragma once
/// \file
/// The wrong kernels as rungs of the ladder.

#include <vector>

#include "kernels/wrong_kernels/zoo.hpp"
#include "workbook/rung.hpp"

namespace wrong {

[[nodiscard]] inline std::vector<workbook::reduction> zoo() {
  std::vector<workbook::reduction> rungs;
  for (std::size_t k = 0; k < table_count; ++k) {
    rungs.push_back(workbook::make_rung(tables[k].name, workbook::role::wrong, 0, tables[k].passes));
    rungs.back().rejects = nullptr;
  }
  return rungs;
}

}  // namespace wrong
