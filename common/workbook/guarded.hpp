#pragma once
/// \file
/// Buffers that notice when a kernel writes beside them.

#include <cstddef>

#include "device/buffer.hpp"

namespace workbook {

/// What an output holds before a kernel runs: a NaN in both floating-point types, and no result that comes by chance.
inline constexpr unsigned char poison = 0xff;

/// Says whether kernels go to a GPU.
[[nodiscard]] bool on_gpu();

/// A buffer of elements. On a GPU guard words stand on both sides; the emulator watches its borders by itself.
class guarded {
 public:
  guarded() = default;
  /// \throws device_error
  explicit guarded(std::size_t size_bytes);
  [[nodiscard]] void* data() const { return bytes_.data() == nullptr ? nullptr : bytes_.data() + guard_; }
  [[nodiscard]] std::size_t size_bytes() const { return payload_; }
  /// Lets go without freeing, after a reset of the device.
  void forget() { bytes_.forget(); }
  /// Says whether the guard words are as they were. Synchronises.
  [[nodiscard]] bool intact() const;
  /// Fills the buffer with `poison`.
  void spoil() const { check(cudaMemset(data(), poison, payload_)); }

 private:
  std::size_t guard_ = 0;
  std::size_t payload_ = 0;
  device_bytes bytes_;
};

}  // namespace workbook
