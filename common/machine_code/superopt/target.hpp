#pragma once
/// \file
/// The target of a search: the program to improve, the registers of its inputs, and the results that count.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine_code/superopt/instruction.hpp"

namespace superopt {

/// Some lanes of a register. Bit l of the mask is lane l.
struct place {
  std::uint8_t reg = 0;
  std::uint32_t lanes = 0xffffffffu;
  friend bool operator==(const place&, const place&) = default;
};

struct target {
  std::string name;
  program code;
  std::vector<place> inputs;   ///< The registers that are defined at the beginning, in addition to rz.
  std::vector<place> outputs;  ///< The registers in which a candidate must leave the same results.
};

/// Thrown for an invalid target, cost table or option. The message contains the position and a valid alternative.
class bad_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses a target: lines of the form `input rN [lanes A-B,C]` and `output rN [lanes …]`, then instructions as
/// `to_text` prints them. `#` and `;` begin comments. `name` identifies the target in error messages.
/// \throws bad_input  if an opcode, register or immediate is unknown, if there is no output, or if undefined lanes are
/// read
[[nodiscard]] target parse_target(const std::string& text, const std::string& name);

/// Reads a target from a file or, if there is no such file, the project's own target with this name.
/// \throws bad_input
[[nodiscard]] target load_target(const std::string& name_or_file);

/// Returns the names of the project's own targets.
[[nodiscard]] std::vector<std::string> known_targets();

/// Parses one instruction. \throws bad_input
[[nodiscard]] instruction parse_instruction(const std::string& line);
/// Parses instructions only, one per line. \throws bad_input
[[nodiscard]] program parse_program(const std::string& text);

/// Returns the instruction as text, such as "IADD3 r5, r0, r7, r2".
[[nodiscard]] std::string to_text(const instruction& i);
/// Returns the program as text, with one instruction per line.
[[nodiscard]] std::string to_text(const program& p);
/// Returns the lanes as text, such as "0-15" or "0,4-7".
[[nodiscard]] std::string lanes_text(std::uint32_t lanes);

}  // namespace superopt
