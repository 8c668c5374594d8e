#pragma once
/// \file
/// One instruction of machine code, and what kind it is.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sass/encoding.hpp"

namespace sass {

/// What an instruction is for. Each has one kind; those of the uniform datapath count as their like. The loads and
/// stores that have a width come first.
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
  std::string_view name;        ///< For people and for JSON, as "global load".
  std::string_view short_name;  ///< For the head of a column: the usual opcode where there is one, as "LDG".
  std::string_view mark;        ///< Beside an instruction in a listing; empty: none, or not for all of this kind.
  /// Without modifiers, and without the U of the uniform datapath where the rest stands here. A blank before and after
  /// each.
  std::string_view opcodes;
};

[[nodiscard]] const kind_facts& facts_of(kind which);

/// Tells the kind from an opcode with its modifiers, as "LDG.E.128".
[[nodiscard]] kind kind_of(std::string_view opcode);

/// Where an instruction comes from; line 0 is unknown.
struct source_line {
  std::string file;
  unsigned line = 0;
};

struct instruction {
  std::uint64_t address = 0;  ///< Bytes from the function's begin.
  word encoding;
  control scheduling;
  std::string guard;                    ///< "@!P0"; empty where it always runs.
  std::string opcode;                   ///< With its modifiers.
  std::string operands;                 ///< Labels are addresses.
  std::optional<std::uint64_t> target;  ///< Of a branch to a known place in this function.
  source_line source;
  kind what = kind::other;

  /// Bits that a load or store moves for each thread; 0 for everything else.
  [[nodiscard]] unsigned width_bits() const;
  /// A load or store of more than 4 bytes per thread.
  [[nodiscard]] bool is_wide() const { return width_bits() > 32; }
  /// The opcode without modifiers.
  [[nodiscard]] std::string_view base() const;
  /// It goes on somewhere else for every thread: a branch without guard or condition, a return, the end.
  [[nodiscard]] bool never_falls_through() const;
};

/// A function of machine code. A kernel's own, with the helpers that the compiler put behind it.
struct function {
  std::string name;          ///< As the linker knows it.
  std::string architecture;  ///< "sm_90".
  unsigned registers = 0;    ///< Per thread; 0 where the disassembler does not say.
  std::vector<instruction> code;

  /// The instructions that can run: without the padding at the end.
  [[nodiscard]] std::size_t size() const;
};

/// Returns a function's name as C++ writes it, without result and parameters: "reduce<128u, int>".
[[nodiscard]] std::string shown_name(const std::string& linker_name);

}  // namespace sass
