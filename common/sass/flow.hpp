#pragma once
/// \file
/// Who follows whom in a function, and which branches close a loop.

#include <cstddef>
#include <vector>

#include "sass/instruction.hpp"

namespace sass {

/// How calls are seen.
enum class calls {
  stepped_over,  ///< Control comes back behind the call; a return ends the path.
  entered,       ///< Control enters the helper, and its return leads behind every call.
};

/// For each instruction that can run, the indices of those that may come next.
[[nodiscard]] std::vector<std::vector<std::size_t>> successors(const function& of, calls how);

/// Instructions that a backward branch repeats.
struct loop {
  std::size_t head = 0;        ///< Index of the first that each turn runs.
  std::vector<bool> contains;  ///< By index of the instruction.
  unsigned depth = 1;          ///< 1: in no other loop.

  [[nodiscard]] std::size_t last() const;
  [[nodiscard]] std::size_t size() const;
};

/// Finds the loops, in the order of their heads. A branch backward that is not run again and again, such as the way
/// back from code that the compiler moved to the end, closes none.
[[nodiscard]] std::vector<loop> find_loops(const function& of);

/// Returns the number of the innermost loop around each instruction, from 1 on; 0 where there is none.
[[nodiscard]] std::vector<std::size_t> innermost_loops(const function& of, const std::vector<loop>& loops);

/// Returns how many instructions at the begin only prepare: what stands before the first access to memory other than
/// constants, barrier, branch, shuffle or loop.
[[nodiscard]] std::size_t prologue_size(const function& of);

}  // namespace sass
