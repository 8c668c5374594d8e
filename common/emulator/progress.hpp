#pragma once
/// \file
/// What blocks may expect of each other.

#include <cstdint>

namespace emulator {

/// Sets how many blocks of an ordinary grid run at once at most, on all launches from here on; 0: as many as the device
/// has room for. With 1, a block that waits for one with a larger number is a standstill: nothing that CUDA promises
/// says that it has started. Returns what was set before.
std::uint64_t limit_blocks_at_once(std::uint64_t most);

}  // namespace emulator
