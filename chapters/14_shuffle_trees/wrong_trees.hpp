#pragma once
/// \file
/// Why a wrong `warp_sum` is wrong: which lanes' values never reach lane 0, and which shuffle would bring them.

#include <array>
#include <optional>

#include "14_shuffle_trees/notes.hpp"
#include "workbook/measure.hpp"

namespace chapter14 {

/// How often the value of each lane is in the sum that lane 0 has.
using lane_counts = std::array<double, 32>;

/// Replays notes. All zeros where they are no program: too many, or of values that nothing has made.
[[nodiscard]] lane_counts lanes_of(const notes& n);

/// Says which lanes are lost or added twice. Nothing where every lane is in the sum once.
[[nodiscard]] std::optional<workbook::explanation> explain_counts(const lane_counts& counts);

/// As above, of notes, and with the one change that would make them right, where there is one.
[[nodiscard]] std::optional<workbook::explanation> explain_tree(const notes& n);

}  // namespace chapter14
