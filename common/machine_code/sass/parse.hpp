#pragma once
/// \file
/// Parses the output of `nvdisasm -c -hex -gi` into functions made of instructions.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "machine_code/sass/instruction.hpp"

namespace sass {

/// Thrown if the text is not a disassembly, or if it is damaged. The message contains the line.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses all functions. Line information and the number of registers are used if they are present.
/// \return the functions in the order of the text
/// \throws error  if there is no function; if an instruction has no encoding (the option -hex is missing), lacks the
/// second word of its encoding, is outside a function, or does not directly follow the previous instruction; or if a
/// branch's label is not defined
[[nodiscard]] std::vector<function> parse(std::string_view text);

}  // namespace sass
