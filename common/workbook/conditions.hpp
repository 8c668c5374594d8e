#pragma once
/// \file
/// Conditions that a kernel has to meet in addition to its chapter's goal.

#include <optional>
#include <vector>

#include "timing/model/machine.hpp"
#include "workbook/goal.hpp"

namespace workbook {

/// Returns the conditions of a chapter of the ladder: each element is loaded once and by whole warps, no single block
/// does most of the work, and the gains of earlier chapters aren't lost.
/// \param chapter  its number; chapter 0 has no conditions, because it is about one thread
/// \param parent   the number of the chapter whose kernel it starts from
/// \param on       the machine whose times are predicted; empty if it is unknown
[[nodiscard]] std::vector<condition> ladder_conditions(int chapter, int parent,
                                                       const std::optional<model::machine>& on);

/// Returns the conditions of chapters that compare kernels: the work is at most a small multiple of the reference's
/// work, and no single block does most of it.
[[nodiscard]] std::vector<condition> work_conditions();

}  // namespace workbook
