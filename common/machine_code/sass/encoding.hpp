#pragma once
/// \file
/// The control field of a 128-bit instruction, in which the compiler tells the scheduler what to do.
///
/// Since Volta (sm_70), an instruction has 128 bits, and bits 105 to 125 are for the scheduler:
///
///     125     122 121      116 115   113 112   110  109  108   105
///     | reuse    | wait mask  | read    | write   | yield | stall |
///
/// Source: Jia, Maggioni, Staiger, Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking",
/// 2018, section 2.1. Older architectures have a separate word with the control fields of three instructions.

#include <cstdint>
#include <optional>
#include <string>

namespace sass {

/// An instruction in memory: two words of 64 bits, the lower address first.
struct word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// The decoded control field.
struct control {
  unsigned stall = 0;                     ///< Cycles, 0 to 15, before the warp's next instruction may issue.
  bool yield = false;                     ///< The hint's bit, shown as Y if it is set.
  std::optional<unsigned> write_barrier;  ///< The barrier, 0 to 5, that is set until the result is written.
  std::optional<unsigned> read_barrier;   ///< The barrier, 0 to 5, that is set until the operands are read.
  unsigned wait_mask = 0;                 ///< Bit b: wait until barrier b is cleared. 6 bits.
  unsigned reuse = 0;                     ///< Bit k: keep source operand k in the operand cache. 4 bits.
};

/// Decodes the control field. If a barrier's field is 6 or 7, there is no barrier.
[[nodiscard]] control decode_control(word encoding);

/// Decodes the guard predicate (bits 12 to 14, negated by bit 15), for example "", "@P0" or "@!P3". An instruction with
/// the guard "@!PT" never runs.
[[nodiscard]] std::string decode_guard(word encoding);

/// Returns `wait mask:read barrier:write barrier:yield:stall`, such as `04:-:2:Y:15`, in at most 11 columns.
[[nodiscard]] std::string to_text(const control& field);

/// How well the layout above is known for an architecture.
enum class layout { older, known, expected };

/// Returns `older` before sm_70, `known` up to sm_90, and `expected` after that. The `expected` layout is undocumented,
/// but the checks of this library pass for code that nvcc 13.0 generates for sm_100 and sm_120.
[[nodiscard]] layout layout_of(unsigned architecture);

/// Returns 90 for "sm_90" or "sm_90a"; nothing for anything else.
[[nodiscard]] std::optional<unsigned> architecture_number(const std::string& name);

}  // namespace sass
