#pragma once
/// \file
/// The CUDA calls that an exercise's host code may make, carried out by the judge on the emulated device.

#include <cstddef>

#include "emulator/device_code.hpp"
#include "judge/protocol.hpp"

namespace judge {

/// Carries out calls with the kernels of `code`. Memory is named by address and never read for the other side: what
/// stands in it, the input above all, stays unknown to the host process.
class served_calls {
 public:
  explicit served_calls(emulator::device_code& code) : code_(code) {}
  /// Carries out the call in `p`, and puts its answer there. \return  false where it is none
  [[nodiscard]] bool answer(packet& p);

 private:
  [[nodiscard]] bool carry_out(const packet& p, packet& to);
  void launch(const packet& p, packet& to);
  [[nodiscard]] const void* kernel_named(const packet& p, std::size_t length);

  emulator::device_code& code_;
  std::size_t allocated_ = 0;
};

}  // namespace judge
