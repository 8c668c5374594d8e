#pragma once
/// \file
/// The flow graph of a program.

#include <cstdint>
#include <vector>

#include "emulator/simt/program.hpp"

namespace emulator::simt {

/// Basic blocks of a program. The last one is empty: it is where threads end.
struct flow_graph {
  std::vector<std::uint32_t> begin;     ///< First pc of each block; of the last one, the number of operations.
  std::vector<std::uint32_t> block_of;  ///< By pc.
  std::vector<std::vector<std::uint32_t>> successors;
  std::uint32_t exit = 0;  ///< The last block's number.
};

/// Returns the flow graph of `p`, whose branches have their targets.
[[nodiscard]] flow_graph flow_of(const program& p);

}  // namespace emulator::simt
