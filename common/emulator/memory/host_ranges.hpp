#pragma once
/// \file
/// What the host's own program may touch, as the operating system knows it.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace emulator::memory {

/// Returns the first of `size_bytes` bytes from `address` that this process may not read, or, with `writing`, not
/// write; nothing where it may touch them all. One system call where the answer is yes.
[[nodiscard]] std::optional<std::uintptr_t> first_unusable_byte(std::uintptr_t address, std::size_t size_bytes,
                                                                bool writing);

}  // namespace emulator::memory
