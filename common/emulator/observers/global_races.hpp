#pragma once
/// \file
/// racecheck in global memory: conflicting accesses of different blocks, or of different warps of a block, that nothing
/// orders.

#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/observers/block_order.hpp"
#include "emulator/observers/global_access_log.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// Compares the accesses of a launch.
///
/// Two accesses of different blocks race where they touch the same byte, one of them writes, one of them is weak (or
/// strong only within its block), and neither happens before the other by `order`. A block counts as one: what any of
/// its threads releases or acquires is released or acquired by all of them. After a read or a strong access it is
/// enough that the other block has seen, in whatever strong way, what was written behind it: the last block may reset
/// the ticket, and a block may write over what another has read before it published its result. Within a block,
/// accesses of different warps race where no barrier nor anything else that may order them lies between.
///
/// The outcome depends on the entries only, not on their order.
/// \param all       of all blocks; is sorted and thinned out
/// \param order     null where nothing in the kernel orders blocks
/// \param identify  makes a block's identity from its linear number
/// \param found     receives the races
void find_global_races(global_accesses& all, block_order* order,
                       const std::function<block_identity(std::uint64_t)>& identify, incident_table& found);

}  // namespace emulator::observers
