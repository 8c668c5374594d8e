#pragma once
/// \file
/// The control flow of a function: which instruction follows which, and which branches close a loop.

#include <cstddef>
#include <vector>

#include "machine_code/sass/instruction.hpp"

namespace sass {

/// How control flow treats a call.
enum class calls {
  stepped_over,  ///< Control continues after the call; a return ends the path.
  entered,       ///< Control enters the helper, and its return continues after every call.
};

/// Returns the indices of the possible next instructions for each instruction that can run.
[[nodiscard]] std::vector<std::vector<std::size_t>> successors(const function& of, calls how);

/// The instructions that a backward branch repeats.
struct loop {
  std::size_t head = 0;        ///< Index of the first instruction of each iteration.
  std::vector<bool> contains;  ///< Indexed by the index of the instruction.
  unsigned depth = 1;          ///< 1 for an outermost loop.

  [[nodiscard]] std::size_t last() const;
  [[nodiscard]] std::size_t size() const;
};

/// Returns the loops, sorted by their heads. A backward branch that cannot be reached again from its target closes no
/// loop, for example a branch that returns from code that the compiler moved to the end.
[[nodiscard]] std::vector<loop> find_loops(const function& of);

/// Returns the number of the innermost loop around each instruction, counted from 1; 0 if there is none.
[[nodiscard]] std::vector<std::size_t> innermost_loops(const function& of, const std::vector<loop>& loops);

/// Returns the number of instructions at the beginning that only prepare: the instructions before the first barrier,
/// branch, shuffle, loop, or access to memory other than constants.
[[nodiscard]] std::size_t prologue_size(const function& of);

}  // namespace sass
