#pragma once
/// \file
/// Buffers that detect when a kernel writes outside of them.

#include <cstddef>

#include "reductions/buffer.hpp"

namespace workbook {

/// The byte that fills an output before a kernel runs. With all bits set, an element is a NaN in both floating-point
/// types, and as an integer it is unlikely to be a result.
inline constexpr unsigned char poison = 0xff;

/// Returns true if kernels run on a GPU.
[[nodiscard]] bool on_gpu();

/// A buffer of elements. On a GPU, it is surrounded by guard words; the emulator checks bounds itself.
class guarded {
 public:
  guarded() = default;
  /// \throws device_error
  explicit guarded(std::size_t size_bytes);
  [[nodiscard]] void* data() const { return bytes_.data() == nullptr ? nullptr : bytes_.data() + guard_; }
  [[nodiscard]] std::size_t size_bytes() const { return payload_; }
  /// Releases ownership without freeing the memory, for use after a reset of the device.
  void forget() { bytes_.forget(); }
  /// Returns true if the guard words are unchanged. Synchronises.
  [[nodiscard]] bool intact() const;
  /// Fills the buffer with `poison`.
  void poison_outputs() const { check(cudaMemset(data(), poison, payload_)); }

 private:
  std::size_t guard_ = 0;
  std::size_t payload_ = 0;
  device_bytes bytes_;
};

}  // namespace workbook
