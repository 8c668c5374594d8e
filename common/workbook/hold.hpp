#pragma once
/// \file
/// Keeps the GPU from beginning until the host has queued all that it is to do.

#include <cstdint>

namespace workbook {

/// Holds the legacy default stream back by a kernel that waits for the host's word, at most `longest_us`: a run that
/// waits for the GPU itself goes on after that.
class held_stream {
 public:
  static constexpr std::uint64_t longest_us = 2000;

  /// \throws device_error
  held_stream();
  ~held_stream();
  held_stream(const held_stream&) = delete;
  held_stream& operator=(const held_stream&) = delete;

  /// What is queued from here on begins after the next `release`.
  void hold();
  void release();

 private:
  volatile std::uint32_t* released_ = nullptr;  ///< The last ticket that may pass; in the host's memory.
  std::uint32_t ticket_ = 0;
};

}  // namespace workbook
