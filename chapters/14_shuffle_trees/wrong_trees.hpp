#pragma once
/// \file
/// Explains why a `warp_sum` is wrong: which lanes' values never reach lane 0, and which shuffle would bring them.

#include <array>
#include <optional>

#include "14_shuffle_trees/notes.hpp"
#include "workbook/measure.hpp"

namespace chapter14 {

/// The number of times that each lane's value is in lane 0's sum.
using lane_counts = std::array<double, 32>;

/// Replays notes. Returns zeros if they aren't a program: too many notes, or notes of values that nothing has made.
[[nodiscard]] lane_counts lanes_of(const notes& n);

/// Explains which lanes are lost or added twice. Returns nothing if every lane is in the sum once.
[[nodiscard]] std::optional<workbook::explanation> explain_counts(const lane_counts& counts);

/// As above, for notes, with the one change that would make them right, if there is one.
[[nodiscard]] std::optional<workbook::explanation> explain_tree(const notes& n);

}  // namespace chapter14
