#pragma once
/// \file
/// The wrong kernels, by the names of their files.

#include <cstddef>

#include "workbook/kernel_table.hpp"

namespace wrong {

/// A wrong kernel.
struct named_table {
  const char* name;
  workbook::kernel_table passes;
};

/// All of them, in the order of their names.
extern const named_table tables[];
extern const std::size_t table_count;

}  // namespace wrong
