#pragma once
/// \file
/// Explains why a `warp_sum` is wrong: which lanes' values never reach lane 0, and which shuffles are missing.

#include <array>
#include <optional>

#include "14_shuffle_trees/notes.hpp"
#include "workbook/measure.hpp"

namespace chapter14 {

/// How often each lane's value is contained in lane 0's sum.
using lane_counts = std::array<double, 32>;

/// Replays notes. Returns zeros if they aren't a program, because there are too many or a value doesn't exist.
[[nodiscard]] lane_counts lanes_of(const notes& n);

/// Explains which lanes are lost or added more than once. Returns nothing if every lane is in the sum once.
[[nodiscard]] std::optional<workbook::explanation> explain_counts(const lane_counts& counts);

/// As above, for notes. If a single change would make them right, the explanation names it.
[[nodiscard]] std::optional<workbook::explanation> explain_tree(const notes& n);

}  // namespace chapter14
