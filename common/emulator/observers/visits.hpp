#pragma once
/// \file
/// Which lanes have been at an access to shared memory, and whether some have been there again: for the text of races.

#include <cstdint>

#include "emulator/observers/activity.hpp"

namespace emulator::observers {

/// Which lanes of a warp have been at an access: since any barrier, and since one of the block.
struct visit {
  std::uint32_t stamp = 0, floor = 0;  ///< 0: none has been there.
  std::uint32_t mask = 0, mask_in_block = 0;
};

/// Notes that the lanes `mask` of a warp, which has been at an access as `at` says, are there. \param here  its counts
inline void note_visit(access_activity& here, visit& at, std::uint32_t warp, std::uint32_t mask, std::uint32_t stamp,
                       std::uint32_t floor) {
  const std::uint32_t known = at.stamp == stamp ? at.mask : 0;
  const std::uint32_t known_in_block = at.floor == floor ? at.mask_in_block : 0;
  if (at.floor == 0) here.warps |= 1u << warp % 32;
  if ((known_in_block & mask) != 0) {
    here.repeated_in_block = true;
    here.repeated |= (known & mask) != 0;
  }
  at = {stamp, floor, known | mask, known_in_block | mask};
}

}  // namespace emulator::observers
