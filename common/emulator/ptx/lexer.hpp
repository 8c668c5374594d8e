#pragma once
/// \file
/// Reads PTX text token by token, without copies: what every parser of this folder stands on.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// A number of the text: `what` is integer, float32 or float64, `bits` its bits.
struct literal {
  operand::kind what = operand::kind::integer;
  std::uint64_t bits = 0;
};

/// Returns `name` between quotes, for messages.
[[nodiscard]] std::string quote(std::string_view name);

/// A place in the text. White space and comments are skipped in front of every token. All members throw parse_error
/// with the line where the text ends too early or holds something else than asked for.
class cursor {
 public:
  /// \param text  stays alive as long as the cursor and the views it returns
  /// \param line  number of the line that `text` begins on
  cursor(std::string_view text, std::uint32_t line) : at_(text.data()), end_(text.data() + text.size()), line_(line) {}

  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] const char* position() const { return at_; }

  /// Goes to the next token and returns its first character, or '\0' at the end of the text.
  char peek();
  /// Returns the character right here, white space included; '\0' at the end.
  [[nodiscard]] char here() const { return at_ != end_ ? *at_ : '\0'; }
  [[nodiscard]] bool at_end() { return peek() == '\0' && at_ == end_; }

  /// Steps over `wanted` if it is the next token.
  bool take(char wanted);
  /// Steps over `word` if it is the next identifier.
  bool take_word(std::string_view word);
  /// Steps over `wanted`; `place` says in the error where it is missing: "after a variable".
  void expect(char wanted, const char* place);
  /// Steps over one character without looking at it.
  void step() { ++at_; }

  /// Says whether an identifier starts here or after white space.
  [[nodiscard]] bool at_identifier();
  [[nodiscard]] bool at_number();
  /// Reads a name: letters, digits, `_`, `$` and `%`.
  std::string_view identifier();
  /// Reads what stands behind a dot, which has been stepped over: "global", "v2", "shared::cta", "16x256b".
  std::string_view modifier();
  /// Reads a number, with a minus sign if there is one.
  literal number();
  /// Reads an integer without sign.
  std::uint64_t unsigned_integer();
  /// Reads an integer that has to fit 32 bits.
  std::uint32_t small_integer(const char* meaning);
  /// Reads `"…"` and returns the bytes, escapes replaced.
  std::string quoted();

  /// Steps over a block, whose opening brace has been read, and its closing brace.
  /// \return where the closing brace stands
  const char* skip_block();
  void skip_line();
  /// Steps over what stands behind `.pragma`.
  void skip_pragma();

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_comment();

  const char* at_;
  const char* end_;
  std::uint32_t line_;
};

}  // namespace emulator::ptx
