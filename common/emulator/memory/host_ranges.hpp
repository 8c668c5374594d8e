#pragma once
/// \file
/// Access rights of the host program to its memory, according to the operating system.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace emulator::memory {

/// Returns the first of the `size_bytes` bytes from `address` that this process cannot read or, with `writing`, cannot
/// write. Returns nothing if it can access all of them, which usually takes one system call.
[[nodiscard]] std::optional<std::uintptr_t> first_unusable_byte(std::uintptr_t address, std::size_t size_bytes,
                                                                bool writing);

}  // namespace emulator::memory
