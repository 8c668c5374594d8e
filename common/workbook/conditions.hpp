#pragma once
/// \file
/// What a kernel keeps, whatever its chapter's goal is.

#include <optional>
#include <vector>

#include "model/machine.hpp"
#include "workbook/goal.hpp"

namespace workbook {

/// Returns the conditions of a chapter of the ladder: that the elements are asked for once and by whole warps, that no
/// block does the others' work, and that nothing which the chapters before have gained is lost.
/// \param chapter  its number; chapter 0 has none, since one thread is what it asks for
/// \param parent   that of the chapter whose kernel it starts from
/// \param on       the machine whose times are predicted; nothing where none is known
[[nodiscard]] std::vector<condition> ladder_conditions(int chapter, int parent,
                                                       const std::optional<model::machine>& on);

/// Where kernels stand side by side: that the whole work is not several times that of the reference, and that no block
/// does the others'.
[[nodiscard]] std::vector<condition> work_conditions();

}  // namespace workbook
