#pragma once
/// \file
/// Disassemblies for tests, as `nvdisasm -c -hex -gi` prints them.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "machine_code/sass/parse.hpp"

namespace sass_test {

/// A line of a test's function: its text, and the scheduling information.
struct line {
  std::string words;  ///< "@P0 BRA `(.L_x_0)"; ".L_x_0:" is a label.
  unsigned stall = 1;
  int write_barrier = 7;  ///< 7: none.
  int read_barrier = 7;
  unsigned wait_mask = 0;
};

/// Returns the guard in its encoding: bits 12 to 15 of the low word.
inline std::uint64_t guard_bits(const std::string& words) {
  if (words[0] != '@') return 0x7000;
  const bool negated = words[1] == '!';
  return (negated ? 0x8000u : 0u) | static_cast<std::uint64_t>(words[negated ? 3 : 2] - '0') << 12;
}

/// Returns the disassembly of one function.
inline std::string function_text(const std::string& name, const std::vector<line>& lines) {
  std::string text = "\t.target\tsm_90\n\n\t.section\t.text." + name + ",\"ax\",@progbits\n" + name + ":\n";
  unsigned address = 0;
  for (const line& one : lines) {
    if (one.words[0] == '.') {
      text += one.words + "\n";
      continue;
    }
    if (one.words[0] == '/') {
      text += "\t" + one.words + "\n";
      continue;
    }
    const std::uint64_t high = std::uint64_t{one.stall} << 41 | std::uint64_t{1} << 45 |
                               static_cast<std::uint64_t>(one.write_barrier) << 46 |
                               static_cast<std::uint64_t>(one.read_barrier) << 49 | std::uint64_t{one.wait_mask} << 52;
    text += fmt::format("        /*{:04x}*/    {} ;    /* {:#018x} */\n", address, one.words, guard_bits(one.words));
    text += fmt::format("                              /* {:#018x} */\n", high);
    address += 16;
  }
  return text;
}

/// Returns the function that consists of these lines.
inline sass::function make_function(const std::vector<line>& lines) {
  return sass::parse(function_text("f", lines)).at(0);
}

}  // namespace sass_test
