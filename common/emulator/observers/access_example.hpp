#pragma once
/// \file
/// One costly access of a warp, told so that a person sees why it is: who met where, how far apart the lanes are.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/emulator.hpp"

namespace emulator::observers {

/// Counts the sectors that the bytes of the lanes of `mask` would fill side by side, from the start of one: what a
/// request of `sectors` could come down to. Lanes that share words may need fewer: then that is `sectors`.
/// \param bytes  each lane's
[[nodiscard]] inline unsigned ideal_sectors(std::uint32_t mask, unsigned bytes, unsigned sectors) {
  return std::min(sectors, (static_cast<unsigned>(std::popcount(mask)) * bytes + 31) / 32);
}

/// Describes an access to shared memory by the rules of `count_bank_conflicts`; `degree` is 0 where it has no conflict.
/// Leaves `block` at 0. For the rare access that is worse than all before it: it costs far more than counting.
/// \param offsets  by lane, bytes from the start of shared memory; lanes outside `mask` may hold anything
/// \param mask     not 0
/// \param bytes    each lane's, a power of two up to 16
[[nodiscard]] conflict_example explain_conflict(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes);

/// Describes an access to global memory; `sectors` is 0 where it has no more than the ideal. Parameters as above, with
/// device addresses.
[[nodiscard]] request_example explain_request(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes);

}  // namespace emulator::observers
