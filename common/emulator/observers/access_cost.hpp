#pragma once
/// \file
/// What one warp access costs the memory system, from its addresses alone; and a costly one, told so that a person sees
/// why it is: who met where, how far apart the lanes are.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/emulator.hpp"
#include "emulator/observers/access_shape.hpp"

namespace emulator::observers {

/// Memory comes in sectors of 32 bytes, four of which are a line of the cache: powers of two.
inline constexpr unsigned sector_shift = 5, line_shift = 7;

/// The addresses of one warp access.
class lane_addresses {
  access_shape computed_;

 public:
  const std::uint64_t* by_lane = nullptr;  ///< 32 of them; lanes outside `mask` may hold anything.
  std::uint32_t mask = 0;                  ///< Active lanes; not 0.
  unsigned bytes = 4;                      ///< Each lane's: a power of two up to 32, of which addresses are multiples.
  const access_shape& shape;               ///< `shape_of` the above.

  lane_addresses(const std::uint64_t* addresses, std::uint32_t lanes, unsigned bytes_per_lane)
      : computed_(shape_of(addresses, lanes, bytes_per_lane)),
        by_lane(addresses),
        mask(lanes),
        bytes(bytes_per_lane),
        shape(computed_) {}
  /// \param known  the shape; must outlive this. It is not copied, which would have to wait until all of it is written
  lane_addresses(const memory_event& event, const access_shape& known)
      : by_lane(event.addresses), mask(event.mask), bytes(event.bytes_per_lane), shape(known) {}
  lane_addresses(const lane_addresses&) = delete;
  lane_addresses& operator=(const lane_addresses&) = delete;
};

/// Counts the distinct 32-byte sectors that the active lanes touch.
[[nodiscard]] unsigned count_sectors(const lane_addresses& a);

/// Counts the distinct lines of 128 bytes of them: the cache looks up one per cycle.
[[nodiscard]] unsigned count_lines(const lane_addresses& a);

/// Counts the sectors that an atomic brings to L2: each distinct one as often as lanes meet in its most wanted word,
/// for a word is changed once per turn. Read from an H200's counters (tests/hardware).
[[nodiscard]] unsigned count_atomic_sectors(const lane_addresses& a);

/// Counts the bank conflicts of one access to shared memory: 32 banks, 4 bytes wide.
///
/// Up to 4 bytes per lane, the warp is served at once: it takes as many passes (wavefronts) as there are distinct
/// 4-byte words in the busiest bank, and all but the first are conflicts. With 8 bytes per lane the two half-warps are
/// served one after the other, with 16 the four quarter-warps, each by the same rule; a part without an active lane
/// costs nothing. Lanes that touch the same word share it. Addresses are offsets in shared memory.
[[nodiscard]] unsigned count_bank_conflicts(const lane_addresses& a);

/// Returns the same, and looks at the addresses only if the shape leaves the possibility of a conflict.
[[nodiscard]] inline unsigned bank_conflicts_of(const memory_event& event, const access_shape& shape) {
  const bool possible = shape.what == access_shape::pattern::scattered && shape.high - shape.low >= warp_size * 4 - 4;
  return possible ? count_bank_conflicts(lane_addresses(event, shape)) : 0;
}

/// Counts the distinct 32-byte sectors of one access to local memory, which is interleaved: word w of lane l lies at
/// byte (w * 32 + l) * 4. Addresses are offsets in each lane's own local memory.
[[nodiscard]] unsigned count_local_sectors(const lane_addresses& a);

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
