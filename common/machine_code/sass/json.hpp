#pragma once
/// \file
/// Functions as JSON: the `kernels` of the sass program's schema 1.

#include <nlohmann/json_fwd.hpp>

#include "machine_code/sass/counts.hpp"
#include "machine_code/sass/difference.hpp"

namespace sass {

/// Returns {"instructions", "loops", "wide_loads", "guarded", "kinds": {"global load": 2, …}}.
[[nodiscard]] nlohmann::json to_json(const counts& c);

/// Returns {"name", "linker_name", "architecture", "registers", "counts", "loops": [{"begin", "end", "depth",
/// "counts"}], "instructions": [{"address", "encoding": [low, high], "control": {"stall", "yield", "write_barrier",
/// "read_barrier", "wait_mask", "reuse"}, "guard", "opcode", "operands", "kind", "width_bits", "loop", "file",
/// "line"}]}. A barrier that isn't there is null, and padding is left out.
[[nodiscard]] nlohmann::json to_json(const function& f);

/// Returns {"before", "after", "gone", "came", "stayed", "steps": [{"change": "-", "address", "text"}]}.
[[nodiscard]] nlohmann::json to_json(const function& before, const function& after);

}  // namespace sass
