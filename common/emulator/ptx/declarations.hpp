#pragma once
/// \file
/// Declarations of variables at module scope, in parameter lists and in function bodies.

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// The directives before the first name: `.extern .shared .align 16 .b8`.
struct declaration_head {
  state_space space = state_space::generic;  ///< generic if the text names none.
  scalar_type type = scalar_type::none;
  unsigned vector_width = 1;
  std::uint32_t alignment = 0;  ///< 0 if the text gives none.
  bool is_extern = false;
  bool is_managed = false;
};

/// Parses directives up to the first name into `head`, which may already contain some.
/// \throws parse_error  if a directive isn't allowed in a declaration
void parse_head(cursor& text, declaration_head& head);

/// Applies one directive to `head`; its dot and its `word` have been read. Returns false if it isn't a directive of a
/// declaration.
bool apply_directive(cursor& text, std::string_view word, declaration_head& head);

/// Parses name, dimensions and initialiser of one variable.
[[nodiscard]] variable parse_variable(cursor& text, const declaration_head& head);

/// Parses `( .param .u64 a, .param .b8 b[24] )`; the opening parenthesis has been read.
[[nodiscard]] std::vector<variable> parse_parameters(cursor& text);

/// Parses the initialiser of a variable; the equals sign has been read. `dimensions` are those in the text; the first
/// is 0 if the text leaves it open.
void parse_initializer(cursor& text, variable& target, std::vector<std::uint64_t> dimensions);

/// Returns the variable's size. Fails if it is larger than the memory of any device.
std::uint64_t checked_size(const cursor& text, const variable& target);

}  // namespace emulator::ptx
