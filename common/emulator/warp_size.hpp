#pragma once
/// \file
/// The number of lanes of a warp, for all parts of the emulator.

namespace emulator {

inline constexpr unsigned warp_size = 32;

}  // namespace emulator
