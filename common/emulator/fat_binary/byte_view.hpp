#pragma once
/// \file
/// Reads numbers and slices from bytes that may be damaged. Every access is checked.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace fat_binary {

/// The error for a container that is damaged, or that contains nothing the emulator can use. The message states what to
/// do.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using byte_span = std::span<const std::byte>;

/// Returns the number of type `Number` at `offset`, which is little-endian as on every machine that CUDA supports.
/// \throws error  if `bytes` ends before it; `what` is the name of `bytes` in the message
template <class Number>
[[nodiscard]] Number load(byte_span bytes, std::uint64_t offset, const char* what) {
  static_assert(std::is_trivially_copyable_v<Number>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) {
    throw error(std::string("damaged ") + what + ": it ends too early");
  }
  Number result;
  std::memcpy(&result, bytes.data() + offset, sizeof result);
  return result;
}

/// Returns `size` bytes from `offset`.
/// \throws error  if `bytes` ends before them
[[nodiscard]] inline byte_span slice(byte_span bytes, std::uint64_t offset, std::uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    throw error(std::string("damaged ") + what + ": a piece of it is outside");
  }
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

}  // namespace fat_binary
