#pragma once
/// \file
/// Which lanes of which results matter, found backwards from the outputs. Everything else is neither computed nor
/// compared nor proved.

#include <array>
#include <cstdint>
#include <optional>

#include "superopt/target.hpp"

namespace superopt {

/// For each instruction the lanes of its destination that an output depends on; 0: it is dead.
using needed_lanes = std::array<std::uint32_t, most_instructions>;

/// A read of lanes that hold nothing.
struct undefined_read {
  std::uint8_t reg = 0;
  std::uint32_t lanes = 0;
};

struct liveness {
  needed_lanes needed{};
  std::optional<undefined_read> undefined;  ///< The first register, if any, that outputs depend on and nobody wrote.
};

/// Returns the lanes of a source that the lanes `needed` of the result depend on.
[[nodiscard]] std::uint32_t lanes_read(const instruction& i, unsigned source, std::uint32_t needed);

/// Looks at `p` with the inputs and outputs of `t`.
[[nodiscard]] liveness find_needed(const program& p, const target& t);

/// Returns `p` without the instructions that no output depends on.
[[nodiscard]] program without_dead_code(const program& p, const target& t);

}  // namespace superopt
