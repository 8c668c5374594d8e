#pragma once
/// \file
/// Which bytes of device memory have been written, for copies.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulator::memory {

/// Neighbouring bytes, from an address on.
struct byte_run {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;
};

/// Returns the runs of bytes in a range of one live allocation that nothing has written, the first `most` of them.
/// Empty where nobody watched.
[[nodiscard]] std::vector<byte_run> unwritten_runs(std::uintptr_t address, std::uint64_t size_bytes, std::size_t most);

/// What has been written of `from` counts as written of `to`, and the rest as not written. Both are device memory; they
/// may overlap. Memory that the host may write too counts as written throughout.
void copy_written(std::uintptr_t to, std::uintptr_t from, std::uint64_t size_bytes);

}  // namespace emulator::memory
