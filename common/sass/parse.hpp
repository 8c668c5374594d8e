#pragma once
/// \file
/// The text of `nvdisasm -c -hex -gi` as functions made of instructions.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sass/instruction.hpp"

namespace sass {

/// Text that is no disassembly, or a damaged one. The message names the line.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads all functions. Line information and the number of registers are taken where they stand there.
/// \return in the order of the text
/// \throws error  where an instruction has no encoding (the option -hex), lacks its second word, or stands in no
/// function or not behind the one before it; where a branch's label is nowhere; where there is no function
[[nodiscard]] std::vector<function> parse(std::string_view text);

}  // namespace sass
