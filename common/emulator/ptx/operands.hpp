#pragma once
/// \file
/// Operands of instructions.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptx/scope.hpp"

namespace emulator::ptx {

/// Parses operands and resolves their names.
class operand_reader {
 public:
  /// The references must outlive this object.
  operand_reader(cursor& text, const register_scopes& registers, const scoped_map<std::string>& variables)
      : text_(text), registers_(registers), variables_(variables) {}

  /// Parses one operand up to the comma or semicolon that follows it.
  [[nodiscard]] operand read() { return read(0); }

 private:
  operand read(unsigned depth);
  operand read_single(unsigned depth);
  operand read_name(std::string_view name);
  operand read_register(std::string_view name, register_place place);
  operand read_special(std::string_view name);
  operand read_address(unsigned depth);
  operand read_elements(operand::kind what, char closing, unsigned depth);
  std::int64_t read_offset();

  cursor& text_;
  const register_scopes& registers_;
  const scoped_map<std::string>& variables_;
};

}  // namespace emulator::ptx
