#pragma once
/// \file
/// Parses the output of `nvdisasm -c -hex -gi` into functions made of instructions.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "machine_code/sass/instruction.hpp"

namespace sass {

/// The text is not a disassembly, or it is damaged. The message gives the line.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses all functions. Line information and the number of registers are used if they are present.
/// \return in the order of the text
/// \throws error  if there is no function; if an instruction has no encoding (the option -hex), lacks its second word,
/// is outside a function or does not directly follow the previous one; or if a branch's label is not defined
[[nodiscard]] std::vector<function> parse(std::string_view text);

}  // namespace sass
