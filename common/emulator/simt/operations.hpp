#pragma once
/// \file
/// Finds the function that executes an instruction by the instruction's name. Each finder returns null if it doesn't
/// know the instruction.

#include <cstdint>
#include <string>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt {

/// The result of a finder for an instruction: its handler and the types of its operands.
struct operation {
  handler run = nullptr;
  ptx::scalar_type dst = ptx::scalar_type::none;
  ptx::scalar_type a = ptx::scalar_type::none;  ///< none: the instruction has no such source.
  ptx::scalar_type b = ptx::scalar_type::none;
  ptx::scalar_type c = ptx::scalar_type::none;
  std::int32_t imm = 0;
  std::uint32_t classes = 0;  ///< `observers::instruction_class`.
  explicit operator bool() const { return run != nullptr; }
};

/// Classes of the operations that the lanes of a warp execute together.
inline constexpr std::uint32_t collective_classes =
    observers::class_shuffle | observers::class_warp_reduce | observers::class_vote;

[[nodiscard]] operation find_integer(const ptx::instruction& i);
[[nodiscard]] operation find_bits(const ptx::instruction& i);
[[nodiscard]] operation find_floating(const ptx::instruction& i);
[[nodiscard]] operation find_compare(const ptx::instruction& i);
[[nodiscard]] operation find_conversion(const ptx::instruction& i);
[[nodiscard]] operation find_half(const ptx::instruction& i);
[[nodiscard]] operation find_collective(const ptx::instruction& i);

enum shuffle_mode : std::uint32_t { shuffle_up, shuffle_down, shuffle_butterfly, shuffle_index };

/// The lane whose value a lane receives in a shuffle.
struct shuffle_source {
  int from = 0;       ///< The lane itself if the source lane isn't in its segment.
  bool good = false;  ///< The source lane is in the segment.
};

/// Returns the lane whose value `lane` receives.
/// \param b  offset, mask, or lane of the segment (bits 0–4)
/// \param c  packs the segment's mask (bits 8–12) and its clamp (bits 0–4)
[[nodiscard]] constexpr shuffle_source source_of_shuffle(shuffle_mode mode, int lane, std::uint32_t b,
                                                         std::uint32_t c) {
  const int amount = static_cast<int>(b & 31u), clamp = static_cast<int>(c & 31u);
  const int segment = static_cast<int>(c >> 8 & 31u);
  const int first = lane & segment, last = first | (clamp & ~segment);
  const int from = mode == shuffle_up          ? lane - amount
                   : mode == shuffle_down      ? lane + amount
                   : mode == shuffle_butterfly ? lane ^ amount
                                               : first | (amount & ~segment);
  const bool good = mode == shuffle_up ? from >= last : from <= last;
  return {good ? from : lane, good};
}

// Operations that the decoder emits itself: `add.u64`, `shr.u64`, `setp.eq.u64`.
void add_u64(warp& w, const op& o);
void shift_right_u64(warp& w, const op& o);
void equal_u64(warp& w, const op& o);

// Handlers of matrix operations that don't access memory; `memory_unit::matrix` executes the others. This one executes
// `mma` for all 32 lanes: D = A * B + C. `op::target` is the index of the registers of A, B and C. The registers of D
// follow, padded to the same number of slots.
void run_multiply(warp& w, const op& o);
/// `movmatrix`: rows of 8 elements become columns.
void run_transpose(warp& w, const op& o);

/// A video instruction, or one on packed 16-bit integers, in the form that its handler needs. `op::imm` and
/// `op::reconvergence` encode which parts of the operands are used and what happens to the result.
struct video_form {
  handler run = nullptr;
  std::int32_t imm = 0;
  std::uint32_t more = 0;
  unsigned sources = 2;
  explicit operator bool() const { return run != nullptr; }
};

/// Returns the form of `i`, or an empty one if the instruction isn't in this family.
/// \throws unsupported  if it is in this family, but in a form that isn't in the manual
[[nodiscard]] video_form find_video(const ptx::instruction& i);

/// Returns the handler of `mov` from a special register (`%tid.x`), or null; `type` receives its type.
[[nodiscard]] handler find_special(const std::string& name, ptx::scalar_type* type);

/// Returns the handler of `mapa` (`maps`) or `getctarank`, for addresses of 64 or 32 bits.
[[nodiscard]] handler find_cluster_address(bool maps, bool wide);

/// Returns the handler of `mov` between registers of `bytes` width.
[[nodiscard]] handler find_move(unsigned bytes);

/// Return the handlers that pack `op::imm` parts into one register and unpack a register into its parts. The registers
/// of the parts are in `program::vector_registers`.
[[nodiscard]] handler find_pack(unsigned whole_bytes, unsigned part_bytes);
[[nodiscard]] handler find_unpack(unsigned whole_bytes, unsigned part_bytes);

}  // namespace emulator::simt
