#pragma once
/// \file
/// What the GPU can do at most, measured on the spot: no kernel that reads from memory is faster.

#include <cstddef>
#include <cstdint>

namespace workbook {

/// Medians of several runs on arrays that L2 cannot hold.
struct ceilings {
  double read_gb_per_s = 0;   ///< Every byte of an array read once, and nothing kept.
  double copy_gb_per_s = 0;   ///< One array copied to another: bytes read plus bytes written.
  double launch_us = 0;       ///< From event to event around a kernel that does nothing, queued behind work …
  double idle_launch_us = 0;  ///< … and on an idle GPU, which has to wake up first.
  std::size_t array_bytes = 0;
};

/// Measures the selected device; on the emulator, which has no time, all figures are 0.
/// \throws device_error
[[nodiscard]] ceilings measure_ceilings();

/// Reads the `n` vectors of 16 bytes at `in` (device, aligned to 16 bytes) and writes one word to `*sink` only where
/// all bits of their exclusive or are set, so that no load can be left out. Does not synchronise.
void read_everything(const void* in, std::size_t n, std::uint32_t* sink);

/// Copies `n` vectors of 16 bytes from `in` to `out` (device, aligned to 16 bytes, disjoint). Does not synchronise.
void copy_everything(const void* in, void* out, std::size_t n);

}  // namespace workbook
