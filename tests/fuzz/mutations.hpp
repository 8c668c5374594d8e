#pragma once
/// \file
/// Changes to an input that keep most of it as it was: to bytes, and to the words and lines of a text.

#include <cstdint>
#include <random>
#include <string>

namespace fuzz {

using generator = std::mt19937;

/// Flips a bit, sets a byte to a likely one, copies or removes a stretch, sets a number of 1 to 8 bytes to a limit.
void change_bytes(std::string& input, generator& random);

/// Puts one word of the text in another's place, a number to a limit, or copies, moves, removes or ends at a line.
void change_text(std::string& input, generator& random);

/// Says whether `input` is text for people rather than bytes for machines.
[[nodiscard]] bool is_text(const std::string& input);

/// Makes one to four changes of the kind that suits `input`; of a text one in eight is to bytes.
void change(std::string& input, generator& random);

}  // namespace fuzz
