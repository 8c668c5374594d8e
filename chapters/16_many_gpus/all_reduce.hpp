#pragma once
/// \file
/// The experiments of chapter 16's table.

#include <string>

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "workbook/study.hpp"

namespace chapter16 {

/// Makes a row of the table for a kernel that is launched once for each GPU and step.
[[nodiscard]] workbook::specimen make_row(std::string name, workbook::role as, all_reduce_kernel kernel);

/// Returns the chapter's table: copies to one GPU, a ring of copies, a tree, the book's exchange, NCCL, and a ring of
/// kernels. Two of the rows store the sums on GPU 0 alone.
[[nodiscard]] workbook::study table_of_all_reduce();

/// Returns the count that the goal is about: the bytes through the busiest port of each step, summed over the steps,
/// relative to the bytes of one vector. NaN if that was not counted.
[[nodiscard]] double vectors_through_busiest_port(const workbook::outcome& o);
/// Returns a sentence about the steps in which a port is busier than necessary, and what would be enough.
[[nodiscard]] std::string why_ports_are_busy(const workbook::outcome& o);

}  // namespace chapter16
