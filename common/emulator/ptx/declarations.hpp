#pragma once
/// \file
/// Declarations of variables, as they stand at module scope, in parameter lists and in bodies.

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// What stands in front of the first name: `.extern .shared .align 16 .b8`.
struct declaration_head {
  state_space space = state_space::generic;  ///< generic where the text names none.
  scalar_type type = scalar_type::none;
  unsigned vector_width = 1;
  std::uint32_t alignment = 0;  ///< 0 where the text gives none.
  bool is_extern = false;
  bool is_managed = false;
};

/// Reads directives up to the first name into `head`, which may hold some already.
/// \throws parse_error  where a directive does not belong into a declaration
void parse_head(cursor& text, declaration_head& head);

/// Applies one directive, its dot and its `word` read already, to `head`. Returns false where it is none of a
/// declaration.
bool apply_directive(cursor& text, std::string_view word, declaration_head& head);

/// Reads name, dimensions and initialiser of one variable.
[[nodiscard]] variable parse_variable(cursor& text, const declaration_head& head);

/// Reads `( .param .u64 a, .param .b8 b[24] )`; the opening parenthesis has been read.
[[nodiscard]] std::vector<variable> parse_parameters(cursor& text);

/// Reads `= …` behind a variable; the equals sign has been read. `dimensions` are those of the text, the first one 0
/// where it is left open.
void parse_initializer(cursor& text, variable& target, std::vector<std::uint64_t> dimensions);

/// Returns the variable's size; fails where it is beyond what any device has.
std::uint64_t checked_size(const cursor& text, const variable& target);

}  // namespace emulator::ptx
