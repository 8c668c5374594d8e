#pragma once
/// \file
/// The quickest way to tell of what most accesses to shared memory are: words in a row.

#include <cstddef>
#include <cstdint>

#include "emulator/observers/activity.hpp"
#include "emulator/observers/race_notes.hpp"
#include "emulator/observers/written_bits.hpp"

namespace emulator::observers {

/// Words of shared memory that the lanes of a warp load or store, each lane the one behind the lane before.
struct words_in_row {
  std::uint64_t begin = 0;  ///< The lowest active lane's.
  std::uint32_t pc = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;   ///< Active lanes; not 0.
  std::uint32_t first = 0;  ///< The lowest of them.
  std::uint32_t span = 0;   ///< From that lane to the highest active one, both included.
  bool gapless = false;     ///< All these are active.
};

/// Which lanes of a warp have been at an access: since any barrier, and since one of the block.
struct visit {
  std::uint32_t stamp = 0, floor = 0;  ///< 0: none has been there.
  std::uint32_t mask = 0, mask_in_block = 0;
};

/// Notes that the lanes `mask` of a warp, which has been at an access as `at` says, are there. \param here  its counts
[[maybe_unused]] static inline void note_visit(access_activity& here, visit& at, std::uint32_t warp, std::uint32_t mask,
                                               std::uint32_t stamp, std::uint32_t floor) {
  const std::uint32_t known = at.stamp == stamp ? at.mask : 0;
  const std::uint32_t known_in_block = at.floor == floor ? at.mask_in_block : 0;
  if (at.floor == 0) here.warps |= 1u << warp % 32;
  if ((known_in_block & mask) != 0) {
    here.repeated_in_block = true;
    here.repeated |= (known & mask) != 0;
  }
  at = {stamp, floor, known | mask, known_in_block | mask};
}

/// Where an observer keeps what rows change: addresses of its own members and of what they hold.
struct shared_watch {
  access_activity* accesses = nullptr;
  const std::uint32_t* slots = nullptr;  ///< By program counter.
  std::uint64_t counts = 0;              ///< What an access adds to its count: 1 or 0.
  written_bytes* written = nullptr;      ///< initcheck; null: not watched.

  // racecheck; `rows` is null where it is off.
  noted_rows* rows = nullptr;
  visit* visits = nullptr;  ///< By access slot and warp.
  const std::uint32_t* stamps = nullptr;
  const std::uint8_t* same_stamps = nullptr;
  const std::uint32_t* block_floor = nullptr;
  const std::uint32_t* warp_floors = nullptr;
  const std::uint32_t* newest_atomic = nullptr;
  const std::size_t* words_in_flight = nullptr;
  const bool* any_split = nullptr;

  /// Cells in front of the words, so that lanes of a row which are not active may lie outside the memory.
  static constexpr std::uint32_t padding = 128;
};

/// Tells of an access if there is nothing to find and nothing but counts and notes to change. Returns false, and has
/// done nothing, where another way has to be taken.
///
/// It leaves the vector registers 16 to 31 and the mask registers of AVX-512 alone: it is compiled for a processor
/// without them, and calls nothing.
template <bool Loads>
[[nodiscard]] bool tell_shared_row(const shared_watch& watch, const words_in_row& row);
extern template bool tell_shared_row<false>(const shared_watch&, const words_in_row&);
extern template bool tell_shared_row<true>(const shared_watch&, const words_in_row&);

}  // namespace emulator::observers
