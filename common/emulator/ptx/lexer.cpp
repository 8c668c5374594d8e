#include "emulator/ptx/lexer.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>

namespace emulator::ptx {
namespace {

enum character_class : std::uint8_t { other = 0, space = 1, digit = 2, name_start = 4, block_mark = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[c] = space;
  for (unsigned char c = '0'; c <= '9'; ++c) classes[c] = digit;
  for (unsigned char c = 'a'; c <= 'z'; ++c) classes[c] = name_start;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) classes[c] = name_start;
  for (unsigned char c : {'_', '$', '%'}) classes[c] = name_start;
  for (unsigned char c : {'\n', '{', '}', '/', '"'}) classes[c] |= block_mark;
  return classes;
}

constexpr auto classes = make_classes();

bool is(char c, unsigned wanted) {
  return (classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

/// Parses a number that consists only of digits. Returns false if there are other characters or no digits, or if the
/// number does not fit into 64 bits.
bool read_digits(std::string_view digits, int base, std::uint64_t& result) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, result, base);
  return error == std::errc() && stop == end;
}

/// Parses `0f` and 8, or `0d` and 16 hexadecimal digits. Returns false if the text is anything else.
bool float_bits(std::string_view word, literal& result) {
  if (word.size() < 2 || word[0] != '0') return false;
  const char mark = static_cast<char>(word[1] | 0x20);
  const std::size_t digits = mark == 'f' ? 8 : mark == 'd' ? 16 : 0;
  if (digits == 0 || word.size() != digits + 2) return false;
  std::uint64_t bits = 0;
  if (!read_digits(word.substr(2), 16, bits)) return false;
  result = {mark == 'f' ? operand::kind::float32 : operand::kind::float64, bits};
  return true;
}

/// Parses an integer of any base. Returns false if the text isn't one or if it does not fit into 64 bits.
bool integer_bits(std::string_view word, std::uint64_t& result) {
  if (word.size() > 1 && (word.back() | 0x20) == 'u') word.remove_suffix(1);
  int base = 10;
  if (word.size() > 1 && word[0] == '0') {
    const char mark = static_cast<char>(word[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    word.remove_prefix(base == 8 ? 1 : 2);
  }
  return read_digits(word, base, result);
}

/// Describes the text at a position, for error messages.
std::string describe(const char* at, const char* end) {
  if (at == end) return "the end of the text";
  const char* stop = at;
  if (is(*at, name_start | digit)) {
    while (stop != end && stop - at < 40 && is(*stop, name_start | digit)) ++stop;
  } else {
    ++stop;
  }
  const auto first = static_cast<unsigned char>(*at);
  if (first < 0x20 || first > 0x7e) return "a byte of value " + std::to_string(first);
  return quote({at, static_cast<std::size_t>(stop - at)});
}

}  // namespace

std::string quote(std::string_view name) {
  std::string result(1, '\'');
  result += name;
  result += '\'';
  return result;
}

void cursor::fail(const std::string& message) const {
  throw parse_error(line_, message);
}

char cursor::peek() {
  for (; at_ != end_; ++at_) {
    if (is(*at_, space)) {
      line_ += *at_ == '\n';
    } else if (*at_ == '/') {
      skip_comment();
      --at_;
    } else {
      return *at_;
    }
  }
  return '\0';
}

void cursor::skip_comment() {
  const char kind = at_ + 1 != end_ ? at_[1] : '\0';
  if (kind == '/') {
    const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = newline ? static_cast<const char*>(newline) : end_;
    return;
  }
  if (kind != '*') fail("unexpected '/'");
  for (at_ += 2; at_ != end_ && at_ + 1 != end_; ++at_) {
    line_ += *at_ == '\n';
    if (at_[0] == '*' && at_[1] == '/') {
      at_ += 2;
      return;
    }
  }
  at_ = end_;
  fail("a comment that begins with /* does not end");
}

bool cursor::take(char wanted) {
  if (peek() != wanted || at_ == end_) return false;
  ++at_;
  return true;
}

bool cursor::take_word(std::string_view word) {
  peek();
  if (static_cast<std::size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word) return false;
  const char* stop = at_ + word.size();
  if (stop != end_ && is(*stop, name_start | digit)) return false;
  at_ = stop;
  return true;
}

void cursor::expect(char wanted, const char* place) {
  if (take(wanted)) return;
  fail(std::string("expected '") + wanted + "' " + place + ", found " + describe(at_, end_));
}

bool cursor::at_identifier() {
  return is(peek(), name_start);
}

bool cursor::at_number() {
  return is(peek(), digit) || here() == '-';
}

std::string_view cursor::identifier() {
  if (!at_identifier()) fail("expected a name, found " + describe(at_, end_));
  const char* begin = at_++;
  while (at_ != end_ && is(*at_, name_start | digit)) ++at_;
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::string_view cursor::modifier() {
  const char* begin = at_;
  while (at_ != end_) {
    if (is(*at_, name_start | digit)) {
      ++at_;
    } else if (*at_ == ':' && at_ + 1 != end_ && at_[1] == ':') {
      at_ += 2;
    } else {
      break;
    }
  }
  if (begin == at_) fail("expected a word after '.', found " + describe(at_, end_));
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

literal cursor::number() {
  const bool negative = take('-');
  if (!is(peek(), digit)) fail("expected a number, found " + describe(at_, end_));
  const char* begin = at_;
  while (at_ != end_ && is(*at_, name_start | digit)) ++at_;
  const std::string_view word(begin, static_cast<std::size_t>(at_ - begin));
  literal result;
  const bool hexadecimal = word.size() > 1 && (word[1] | 0x20) == 'x';
  const bool decimal_point = here() == '.';
  const bool exponent = !hexadecimal && word.find_first_of("eE") != std::string_view::npos;
  if (float_bits(word, result)) {
    const unsigned sign = result.what == operand::kind::float32 ? 31 : 63;
    if (negative) result.bits ^= std::uint64_t{1} << sign;
  } else if (decimal_point || exponent) {
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, end_, value);
    if (error != std::errc()) fail("malformed number " + quote(word));
    at_ = stop;
    if (negative) value = -value;
    result.bits = std::bit_cast<std::uint64_t>(value);
    result.what = operand::kind::float64;
  } else if (!integer_bits(word, result.bits)) {
    fail("malformed number " + quote(word));
  } else if (negative) {
    result.bits = 0 - result.bits;
  }
  return result;
}

std::uint64_t cursor::unsigned_integer() {
  const literal value = number();
  if (value.what != operand::kind::integer) fail("expected an integer, found a floating-point number");
  return value.bits;
}

std::uint32_t cursor::small_integer(const char* meaning) {
  const std::uint64_t value = unsigned_integer();
  if (value > UINT32_MAX) fail(std::string(meaning) + " is out of range");
  return static_cast<std::uint32_t>(value);
}

std::string cursor::quoted() {
  expect('"', "in front of a string");
  std::string result;
  for (;; ++at_) {
    if (at_ == end_ || *at_ == '\n') fail("a string does not end on its line");
    if (*at_ == '"') break;
    if (*at_ != '\\') {
      result += *at_;
      continue;
    }
    if (++at_ == end_) fail("a string does not end");
    if (is_octal(*at_)) {
      int value = 0;
      for (int i = 0; i < 3 && at_ != end_ && is_octal(*at_); ++i) value = value * 8 + (*at_++ - '0');
      --at_;
      result += static_cast<char>(value);
    } else {
      constexpr std::string_view escapes = "ntrabfv", bytes = "\n\t\r\a\b\f\v";
      const std::size_t known = escapes.find(*at_);
      result += known != std::string_view::npos ? bytes[known] : *at_;
    }
  }
  ++at_;
  return result;
}

const char* cursor::skip_block() {
  const std::uint32_t begin_line = line_;
  for (std::size_t depth = 1; at_ != end_;) {
    if (!is(*at_, block_mark)) {
      ++at_;
      continue;
    }
    switch (*at_) {
      case '\n':
        ++line_;
        break;
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return at_++;
        break;
      case '"':
        quoted();
        continue;
      case '/':
        if (at_ + 1 == end_ || (at_[1] != '/' && at_[1] != '*')) break;
        skip_comment();
        continue;
      default:
        break;
    }
    ++at_;
  }
  fail("the text ends inside the block that begins on line " + std::to_string(begin_line));
}

void cursor::skip_line() {
  while (at_ != end_ && *at_ != '\n') ++at_;
}

void cursor::skip_pragma() {
  do {
    (void)quoted();
  } while (take(','));
  expect(';', "after .pragma");
}

}  // namespace emulator::ptx
