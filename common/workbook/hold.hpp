#pragma once
/// \file
/// Delays the GPU until the host has queued all of its work.

#include <cstdint>

namespace workbook {

/// Blocks the legacy default stream with a kernel that waits for a signal from the host, but for at most `longest_us`.
/// So a run that itself waits for the GPU continues after that time.
class held_stream {
 public:
  static constexpr std::uint64_t longest_us = 2000;

  /// \throws device_error
  held_stream();
  ~held_stream();
  held_stream(const held_stream&) = delete;
  held_stream& operator=(const held_stream&) = delete;

  /// Work that is queued after this call begins after the next `release`.
  void hold();
  void release();

 private:
  volatile std::uint32_t* released_ = nullptr;  ///< The last ticket that may pass, in host memory.
  std::uint32_t ticket_ = 0;
};

}  // namespace workbook
