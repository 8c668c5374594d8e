#pragma once
/// \file
/// One instruction of machine code, and its kind.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine_code/sass/encoding.hpp"

namespace sass {

/// The purpose of an instruction. Each opcode has exactly one kind, and instructions of the uniform datapath have the
/// kind of their ordinary counterparts. The loads and stores that have a width are listed first.
enum class kind : std::uint8_t {
  global_load,
  global_store,
  shared_load,
  shared_store,
  local_load,
  local_store,
  constant_load,
  atomic,
  bulk_copy,
  shuffle,
  warp_reduction,
  vote,
  block_barrier,
  fence,
  branch,
  convergence,
  matrix,
  floating_point,
  integer,
  conversion,
  move,
  no_operation,
  other,
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(kind::other) + 1;

struct kind_facts {
  std::string_view name;        ///< For people and for JSON, such as "global load".
  std::string_view short_name;  ///< For the heading of a column: the usual opcode if there is one, such as "LDG".
  std::string_view mark;        ///< Shown next to an instruction in a listing; empty if the kind has no mark.
  /// Opcodes without modifiers, with a blank before and after each. For an opcode of the uniform datapath, the list may
  /// have only its ordinary counterpart, without the U.
  std::string_view opcodes;
};

[[nodiscard]] const kind_facts& facts_of(kind which);

/// Returns the kind of an opcode with its modifiers, such as "LDG.E.128".
[[nodiscard]] kind kind_of(std::string_view opcode);

/// The source line of an instruction; line 0 means unknown.
struct source_line {
  std::string file;
  unsigned line = 0;
};

struct instruction {
  std::uint64_t address = 0;  ///< Bytes from the beginning of the function.
  word encoding;
  control scheduling;
  std::string guard;                    ///< "@!P0"; empty if it always runs.
  std::string opcode;                   ///< With its modifiers.
  std::string operands;                 ///< Labels are replaced by addresses.
  std::optional<std::uint64_t> target;  ///< Address of a branch target in this function, if known.
  source_line source;
  kind what = kind::other;

  /// Returns the bits that a load or store moves for each thread; 0 for all other instructions.
  [[nodiscard]] unsigned width_bits() const;
  /// Returns true for a load or store of more than 4 bytes per thread.
  [[nodiscard]] bool is_wide() const { return width_bits() > 32; }
  /// Returns the opcode without modifiers.
  [[nodiscard]] std::string_view base() const;
  /// Returns true if no thread continues with the next instruction: a branch without guard or condition, a return, or
  /// the exit.
  [[nodiscard]] bool never_falls_through() const;
};

/// A function of machine code. A kernel includes the helpers that the compiler put after it.
struct function {
  std::string name;          ///< The linker's name.
  std::string architecture;  ///< "sm_90".
  unsigned registers = 0;    ///< Per thread; 0 if the disassembler does not report it.
  std::vector<instruction> code;

  /// Returns the number of instructions that can run, without the padding at the end.
  [[nodiscard]] std::size_t size() const;
};

/// Returns a function's name in C++ syntax, without result type and parameters: "reduce<128u, int>".
[[nodiscard]] std::string shown_name(const std::string& linker_name);

}  // namespace sass
