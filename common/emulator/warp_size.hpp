#pragma once
/// \file
/// How many lanes a warp has. In one place, for all rooms of the emulator.

namespace emulator {

inline constexpr unsigned warp_size = 32;

}  // namespace emulator
