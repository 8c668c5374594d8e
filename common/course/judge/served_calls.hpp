#pragma once
/// \file
/// Executes the CUDA calls of an exercise's host code on the judge's emulated device.

#include <cstddef>

#include "course/judge/protocol.hpp"
#include "emulator/device_code.hpp"

namespace judge {

/// Executes calls with the kernels of `code`. The host process refers to memory by address. It cannot learn the input,
/// because the judge never sends it the contents of device memory.
class served_calls {
 public:
  explicit served_calls(emulator::device_code& code) : code_(code) {}
  /// Executes the call in `p` and replaces it with the answer. \return  false if it isn't a valid call
  [[nodiscard]] bool answer(packet& p);

 private:
  [[nodiscard]] bool carry_out(const packet& p, packet& to);
  void launch(const packet& p, packet& to);
  [[nodiscard]] const void* kernel_named(const packet& p, std::size_t length);

  emulator::device_code& code_;
  std::size_t allocated_ = 0;
};

}  // namespace judge
