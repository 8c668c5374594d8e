#pragma once
/// \file
/// Pools of memory, for calls that free what came from one.

#include <cstdint>

namespace emulator::runtime {

/// The allocation that begins at `address` goes: its pool has that much less in use. Nothing where it is of no pool.
void note_freed_of_pool(std::uintptr_t address);

}  // namespace emulator::runtime
