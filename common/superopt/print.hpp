#pragma once
/// \file
/// A program for people, for Graphviz and for the CUDA compiler. The listing is `to_text`.

#include <string>

#include "superopt/latency.hpp"

namespace superopt {

/// Returns the instructions with the cycles at which they issue and their results are ready.
[[nodiscard]] std::string print_schedule(const program& p, const target& t, const cost_table& table);

/// Returns the graph of which result needs which, in the language of Graphviz; the longest path stands out.
[[nodiscard]] std::string print_dot(const program& p, const target& t, const cost_table& table);

/// Returns a device function `name` in CUDA C++: inputs by value, in their order; one output is returned, several are
/// references behind the inputs. All 32 lanes of the warp must call it. REDUX needs compute capability 8.0.
[[nodiscard]] std::string print_cuda(const program& p, const target& t, const std::string& name);

}  // namespace superopt
