#pragma once
/// \file
/// Liveness analysis by lanes, backwards from the outputs. Lanes that do not matter are not computed, compared or
/// proved.

#include <array>
#include <cstdint>
#include <optional>

#include "machine_code/superopt/target.hpp"

namespace superopt {

/// For each instruction, the lanes of its destination that an output depends on; 0 if it is dead.
using needed_lanes = std::array<std::uint32_t, max_instructions>;

/// A read of undefined lanes of a register.
struct undefined_read {
  std::uint8_t reg = 0;
  std::uint32_t lanes = 0;
};

struct liveness {
  needed_lanes needed{};
  std::optional<undefined_read> undefined;  ///< The first register, if any, with needed but undefined lanes.
};

/// Returns the lanes of a source that the lanes `needed` of the result depend on.
[[nodiscard]] std::uint32_t lanes_read(const instruction& i, unsigned source, std::uint32_t needed);

/// Analyses `p` with the inputs and outputs of `t`.
[[nodiscard]] liveness find_needed(const program& p, const target& t);

/// Returns `p` without the instructions that no output depends on.
[[nodiscard]] program without_dead_code(const program& p, const target& t);

}  // namespace superopt
