#pragma once
/// \file
/// Changes that leave most of an input as it was: to bytes, and to words and lines of a text.

#include <cstdint>
#include <random>
#include <string>

namespace fuzz {

using generator = std::mt19937;

/// Flips a bit, sets a byte to a likely value, copies or removes a range, or sets a number of 1 to 8 bytes to a limit.
void change_bytes(std::string& input, generator& random);

/// Replaces one word by a different one, sets a number to a limit, copies, moves or removes a line, or ends after a
/// line.
void change_text(std::string& input, generator& random);

/// Returns true if `input` is text rather than binary data.
[[nodiscard]] bool is_text(const std::string& input);

/// Makes one to four changes of the kind that suits `input`. One in eight changes to a text is to its bytes.
void change(std::string& input, generator& random);

}  // namespace fuzz
