#pragma once
/// \file
/// What is to be improved: a program, where its inputs stand, and which of its results count.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "superopt/instruction.hpp"

namespace superopt {

/// A register, in some lanes: bit l of the mask is lane l.
struct place {
  std::uint8_t reg = 0;
  std::uint32_t lanes = 0xffffffffu;
  friend bool operator==(const place&, const place&) = default;
};

struct target {
  std::string name;
  program code;
  std::vector<place> inputs;   ///< Defined when the program begins. Nothing else is, but rz.
  std::vector<place> outputs;  ///< What a candidate must leave as the program does.
};

/// Something in a target, a cost table or an option that cannot be used. The message says where and what would do.
class bad_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a target: lines `input rN [lanes A-B,C]`, `output rN [lanes …]`, then instructions as `to_text` prints them;
/// `#` and `;` begin comments. `name` is what errors call it.
/// \throws bad_input  unknown opcode, register or immediate; no output; reads of lanes that are not defined
[[nodiscard]] target parse_target(const std::string& text, const std::string& name);

/// Reads a file, or, where there is none of this name, the target of the project's own that is called so.
/// \throws bad_input
[[nodiscard]] target load_target(const std::string& name_or_file);

/// The names of the project's own targets.
[[nodiscard]] std::vector<std::string> known_targets();

/// Parses one instruction. \throws bad_input
[[nodiscard]] instruction parse_instruction(const std::string& line);
/// Parses instructions only, one per line. \throws bad_input
[[nodiscard]] program parse_program(const std::string& text);

/// "IADD3 r5, r0, r7, r2"
[[nodiscard]] std::string to_text(const instruction& i);
/// One instruction a line.
[[nodiscard]] std::string to_text(const program& p);
/// "0-15" or "0,4-7"
[[nodiscard]] std::string lanes_text(std::uint32_t lanes);

}  // namespace superopt
