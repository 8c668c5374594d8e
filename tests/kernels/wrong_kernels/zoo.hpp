#pragma once
/// \file
/// The wrong kernels, named after their files.

#include <cstddef>

#include "workbook/kernel_table.hpp"

namespace wrong {

/// A wrong kernel: its name, and its functions for each type.
struct named_table {
  const char* name;
  workbook::kernel_table passes;
};

/// All wrong kernels, sorted by name.
extern const named_table tables[];
extern const std::size_t table_count;

}  // namespace wrong
