#pragma once
/// \file
/// From an instruction's name to the function that carries it out. Each finder returns null for what it does not know.

#include <cstdint>
#include <string>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt {

/// What a finder says about an instruction: its handler and the types of its operands.
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

/// Classes of what the lanes of a warp do together.
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

/// Whose value a lane of a shuffle gets.
struct shuffle_source {
  int from = 0;       ///< Itself, where there is no such lane in its segment.
  bool good = false;  ///< There is one.
};

/// Returns whose value `lane` gets.
/// \param b  by how many lanes, with which mask, or from which lane of the segment (bits 0–4)
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

// What the decoder itself has to compute: `add.u64`, `shr.u64`, `setp.eq.u64`.
void add_u64(warp& w, const op& o);
void shift_right_u64(warp& w, const op& o);
void equal_u64(warp& w, const op& o);

// Handlers of the operations on matrices that need no memory; those that do are `memory_unit::matrix`.
/// `mma`, for all 32 lanes: D = A * B + C. `op::target` says where the registers of A, B and C stand, and, as many
/// behind, those of D.
void run_multiply(warp& w, const op& o);
/// `movmatrix`: rows of 8 elements become columns.
void run_transpose(warp& w, const op& o);

/// A video instruction, or one on packed 16-bit integers, as its handler wants it. Which parts of the operands are
/// meant, and what is done with the result, stands in `op::imm` and `op::reconvergence`.
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

/// The handler of `mov` from a special register (`%tid.x`), or null; `type` receives its type.
[[nodiscard]] handler find_special(const std::string& name, ptx::scalar_type* type);

/// The handler of `mapa` (`maps`) or `getctarank`, for addresses of 64 or 32 bits.
[[nodiscard]] handler find_cluster_address(bool maps, bool wide);

/// The handler of `mov` between registers of `bytes` width.
[[nodiscard]] handler find_move(unsigned bytes);

/// Packs `op::imm` parts into one register or unpacks it; the parts' registers lie in `program::vector_registers`.
[[nodiscard]] handler find_pack(unsigned whole_bytes, unsigned part_bytes);
[[nodiscard]] handler find_unpack(unsigned whole_bytes, unsigned part_bytes);

}  // namespace emulator::simt
