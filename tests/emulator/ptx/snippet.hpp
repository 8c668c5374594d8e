#pragma once
/// \file
/// Short PTX texts for tests.

#include <string>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx::test {

/// Returns a module's text with `declarations` at module scope.
inline std::string module_text(const std::string& declarations) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + declarations;
}

/// Returns a module's text with one kernel `k`, whose body begins on line 6.
inline std::string kernel_text(const std::string& body) {
  return module_text(".visible .entry k(.param .u64 k_param_0)\n{\n" + body + "\n}\n");
}

/// Parses one kernel that has `body`. The usual registers are declared before it, in the body's first line.
inline function kernel(const std::string& body) {
  const module m = parse_module(kernel_text(
      ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %fd<4>;\n" + body));
  function f = m.functions.at(m.function_index.at("k"));
  parse_body(m, f);
  return f;
}

/// Parses one instruction.
inline instruction single(const std::string& text) {
  return kernel(text).instructions.at(0);
}

/// Returns the name of the register operand `o`.
inline std::string register_name(const function& f, const operand& o) {
  return f.registers.at(o.index).name;
}

}  // namespace emulator::ptx::test
