#pragma once
/// \file
/// The cost of one warp access in the memory system, computed from its addresses alone, and descriptions of costly
/// accesses: which lanes conflict in which bank, and how far apart the lanes' addresses are.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/emulator.hpp"
#include "emulator/observers/access_shape.hpp"

namespace emulator::observers {

/// The hardware accesses memory in sectors of 32 bytes; four of them are a cache line. Both sizes are powers of two.
inline constexpr unsigned sector_shift = 5, line_shift = 7;

/// The addresses of one warp access.
class lane_addresses {
  access_shape computed_;

 public:
  const std::uint64_t* by_lane = nullptr;  ///< 32 addresses; those of lanes outside `mask` may have any value.
  std::uint32_t mask = 0;                  ///< Active lanes; not 0.
  unsigned bytes = 4;                      ///< Per lane: a power of two up to 32. Addresses are multiples of it.
  const access_shape& shape;               ///< `shape_of` these addresses.

  lane_addresses(const std::uint64_t* addresses, std::uint32_t lanes, unsigned bytes_per_lane)
      : computed_(shape_of(addresses, lanes, bytes_per_lane)),
        by_lane(addresses),
        mask(lanes),
        bytes(bytes_per_lane),
        shape(computed_) {}
  /// \param known  the shape; must outlive this object. It isn't copied, because a copy would have to wait until all of
  /// it has been written
  lane_addresses(const memory_event& event, const access_shape& known)
      : by_lane(event.addresses), mask(event.mask), bytes(event.bytes_per_lane), shape(known) {}
  lane_addresses(const lane_addresses&) = delete;
  lane_addresses& operator=(const lane_addresses&) = delete;
};

/// Returns the number of distinct 32-byte sectors that the active lanes touch.
[[nodiscard]] unsigned count_sectors(const lane_addresses& a);

/// Returns the number of distinct 128-byte lines that the active lanes touch. The cache looks up one line per cycle.
[[nodiscard]] unsigned count_lines(const lane_addresses& a);

/// Returns the number of sectors that an atomic sends to L2. Each distinct sector counts once for every lane that uses
/// its most contended word, because L2 updates a word once per pass. Derived from an H200's counters
/// (tests/kernels/hardware_comparison).
[[nodiscard]] unsigned count_atomic_sectors(const lane_addresses& a);

/// Returns the number of bank conflicts of one access to shared memory, which has 32 banks, 4 bytes wide.
///
/// With up to 4 bytes per lane, the whole warp is served at once. The number of passes (wavefronts) is the number of
/// distinct 4-byte words in the busiest bank, and all passes but the first are conflicts. With 8 bytes per lane, the
/// two half-warps are served one after the other, with 16 bytes the four quarter-warps, each by the same rule. A part
/// without an active lane costs nothing, and lanes that access the same word share it. Addresses are offsets in shared
/// memory.
[[nodiscard]] unsigned count_bank_conflicts(const lane_addresses& a);

/// Returns the same, but looks at the addresses only if the shape allows a conflict.
[[nodiscard]] inline unsigned bank_conflicts_of(const memory_event& event, const access_shape& shape) {
  const bool possible = shape.what == access_shape::pattern::scattered && shape.high - shape.low >= warp_size * 4 - 4;
  return possible ? count_bank_conflicts(lane_addresses(event, shape)) : 0;
}

/// Returns the number of distinct 32-byte sectors of one access to local memory. Local memory is interleaved: word w of
/// lane l is at byte (w * 32 + l) * 4. Addresses are offsets in each lane's own local memory.
[[nodiscard]] unsigned count_local_sectors(const lane_addresses& a);

/// Returns the number of sectors that the bytes of the lanes in `mask` would fill if they were contiguous and aligned
/// to a sector. This is the ideal for a request of `sectors` sectors. Lanes that share words may need fewer; then the
/// result is `sectors`.
/// \param bytes  of each lane
[[nodiscard]] inline unsigned ideal_sectors(std::uint32_t mask, unsigned bytes, unsigned sectors) {
  return std::min(sectors, (static_cast<unsigned>(std::popcount(mask)) * bytes + 31) / 32);
}

/// Describes an access to shared memory by the rules of `count_bank_conflicts`. `degree` is 0 if it has no conflict,
/// and `block` is always 0. It is only called for an access that is worse than all accesses before it, because it is
/// much slower than counting.
/// \param offsets  by lane, bytes from the start of shared memory; those of lanes outside `mask` may have any value
/// \param mask     not 0
/// \param bytes    of each lane, a power of two up to 16
[[nodiscard]] conflict_example explain_conflict(const std::uint64_t* offsets, std::uint32_t mask, unsigned bytes);

/// Describes an access to global memory. `sectors` is 0 if the access needs no more sectors than the ideal. Parameters
/// as above, but with device addresses.
[[nodiscard]] request_example explain_request(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes);

}  // namespace emulator::observers
