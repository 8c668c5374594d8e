#pragma once
/// \file
/// What atomics do to memory, address checks behind them.

#include <cstddef>
#include <cstdint>

#include "emulator/simt/warp.hpp"

namespace emulator::simt {

/// Returns the bytes at `address` in a state space that begins at `base`: 0 for global memory, whose addresses are the
/// host's.
[[nodiscard]] inline std::byte* bytes_at(std::uintptr_t base, std::uint64_t address) {
  return reinterpret_cast<std::byte*>(base + address);
}

/// Carries out the atomic `o` for the lanes in `mask`, one after the other; each is atomic on the host, too.
/// \param base  the block's shared memory; 0 for global memory, where sums of floats flush subnormal numbers
void atomic_lanes(warp& w, const op& o, std::uintptr_t base, const std::uint64_t* address, std::uint32_t mask);

}  // namespace emulator::simt
