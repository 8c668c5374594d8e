#pragma once
/// \file
/// Packed 16-bit integers (`max.s16x2`) and video instructions, scalar and on the parts of a register (PTX ISA, "Video
/// Instructions"): nvcc leaves some of them in the PTX of its `__v…` functions, and people write them as assembly.

#include <cstdint>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt {

/// An instruction of this family as its handler wants it. Which parts of the operands are meant, and what is done with
/// the result, stands in `op::imm` and `op::reconvergence`.
struct video_form {
  handler run = nullptr;
  std::int32_t imm = 0;
  std::uint32_t more = 0;
  unsigned sources = 2;
  explicit operator bool() const { return run != nullptr; }
};

/// Returns the form of `i`, or none where the instruction is not of this family.
/// \throws unsupported  where it is, in a form that the manual does not have
[[nodiscard]] video_form find_video(const ptx::instruction& i);

}  // namespace emulator::simt
