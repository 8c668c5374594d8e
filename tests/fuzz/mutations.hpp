#pragma once
/// \file
/// Changes a small part of an input: some bytes or, if it is text, some words or lines.

#include <cstdint>
#include <random>
#include <string>

namespace fuzz {

using generator = std::mt19937;

/// Flips a bit, sets a byte to a likely value, copies or removes a range, or sets an integer of 1 to 8 bytes to a
/// limit.
void change_bytes(std::string& input, generator& random);

/// Replaces or removes a word, sets a number to a limit, copies, moves or removes a line, or cuts the text off before a
/// line.
void change_text(std::string& input, generator& random);

/// Returns true if `input` is text rather than binary data.
[[nodiscard]] bool is_text(const std::string& input);

/// Makes one to four changes that suit the kind of `input`. One in eight changes to a text affects its bytes instead.
void change(std::string& input, generator& random);

}  // namespace fuzz
