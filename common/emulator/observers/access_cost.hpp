#pragma once
/// \file
/// What one warp access costs the memory system, from its addresses alone.

#include <cstdint>

namespace emulator::observers {

/// Counts the distinct 32-byte sectors that the lanes of `mask` touch.
/// \param addresses  by lane, 32 of them; lanes outside `mask` may hold anything
/// \param mask       not 0
/// \param bytes      each lane's, a power of two up to 32; addresses are multiples of it
[[nodiscard]] unsigned count_sectors(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes);

/// Counts the bank conflicts of one access to shared memory: 32 banks, 4 bytes wide.
///
/// Up to 4 bytes a lane, the warp is served at once: it takes as many passes (wavefronts) as there are distinct 4-byte
/// words in the busiest bank, and all but the first are conflicts. With 8 bytes a lane the two half-warps are served
/// one after the other, with 16 the four quarter-warps, each by the same rule; a part without an active lane costs
/// nothing. Lanes that touch the same word share it. \param offsets  by lane, bytes from the start of shared memory;
/// lanes outside `mask` may hold anything
[[nodiscard]] unsigned count_bank_conflicts(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes);

/// Counts the distinct 32-byte sectors of one access to local memory, which is interleaved: word w of lane l lies at
/// byte (w * 32 + l) * 4.
/// \param offsets  by lane, bytes from the start of the lane's own local memory
[[nodiscard]] unsigned count_local_sectors(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes);

}  // namespace emulator::observers
