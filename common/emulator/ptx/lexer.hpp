#pragma once
/// \file
/// Splits PTX text into tokens, without copying it. All parsers in this folder use it.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// A number in the text: `what` is integer, float32 or float64, `bits` are its bits.
struct literal {
  operand::kind what = operand::kind::integer;
  std::uint64_t bits = 0;
};

/// Returns `name` between quotes, for messages.
[[nodiscard]] std::string quote(std::string_view name);

/// A position in the text. White space and comments before a token are skipped. If the text ends too early or contains
/// something unexpected, all members throw parse_error with the line.
class cursor {
 public:
  /// \param text  must outlive the cursor and the views that it returns
  /// \param line  line number of the start of `text`
  cursor(std::string_view text, std::uint32_t line) : at_(text.data()), end_(text.data() + text.size()), line_(line) {}

  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] const char* position() const { return at_; }

  /// Advances to the next token and returns its first character, or '\0' at the end of the text.
  char peek();
  /// Returns the current character, even if it is white space; '\0' at the end.
  [[nodiscard]] char here() const { return at_ != end_ ? *at_ : '\0'; }
  [[nodiscard]] bool at_end() { return peek() == '\0' && at_ == end_; }

  /// Skips `wanted` and returns true if it is the next token.
  bool take(char wanted);
  /// Skips `word` and returns true if it is the next identifier.
  bool take_word(std::string_view word);
  /// Skips `wanted`. If it is missing, `place` describes where in the error message: "after a variable".
  void expect(char wanted, const char* place);
  /// Skips one character without looking at it.
  void step() { ++at_; }

  /// Returns true if an identifier begins here or after white space.
  [[nodiscard]] bool at_identifier();
  [[nodiscard]] bool at_number();
  /// Parses a name: letters, digits, `_`, `$` and `%`.
  std::string_view identifier();
  /// Parses the word after a dot that has been skipped: "global", "v2", "shared::cta", "16x256b".
  std::string_view modifier();
  /// Parses a number, with its minus sign if there is one.
  literal number();
  /// Parses an unsigned integer.
  std::uint64_t unsigned_integer();
  /// Parses an integer that has to fit into 32 bits.
  std::uint32_t small_integer(const char* meaning);
  /// Parses `"…"` and returns the bytes, with escapes replaced.
  std::string quoted();

  /// Skips a block, whose opening brace has been read, including its closing brace.
  /// \return the position of the closing brace
  const char* skip_block();
  void skip_line();
  /// Skips the text after `.pragma`.
  void skip_pragma();

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_comment();

  const char* at_;
  const char* end_;
  std::uint32_t line_;
};

}  // namespace emulator::ptx
