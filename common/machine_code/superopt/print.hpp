#pragma once
/// \file
/// Prints a program with its schedule, as a graph for Graphviz, and as source for the CUDA compiler.

#include <string>

#include "machine_code/superopt/latency.hpp"

namespace superopt {

/// Returns the instructions with the cycles at which they issue and their results are ready.
[[nodiscard]] std::string print_schedule(const program& p, const target& t, const cost_table& table);

/// Returns the dependency graph of the results in the language of Graphviz, with the critical path in bold.
[[nodiscard]] std::string print_dot(const program& p, const target& t, const cost_table& table);

/// Returns a device function `name` in CUDA C++. The inputs are parameters by value, in their order. A single output is
/// return value; several outputs are reference parameters after the inputs. All 32 lanes of the warp must call it.
/// REDUX needs compute capability 8.0.
[[nodiscard]] std::string print_cuda(const program& p, const target& t, const std::string& name);

}  // namespace superopt
