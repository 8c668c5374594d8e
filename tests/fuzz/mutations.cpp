#include "fuzz/mutations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/target.hpp"

namespace fuzz {
namespace {

std::size_t below(std::size_t end, generator& random) {
  return end == 0 ? 0 : random() % end;
}

struct piece {
  std::size_t begin = 0, size = 0;
};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Returns the words in the line around a random place. Every character that is neither part of a word nor a blank
/// counts as a word.
std::vector<piece> words_near(const std::string& text, generator& random) {
  const std::size_t at = below(text.size(), random);
  const std::size_t newline = text.rfind('\n', at);
  std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::vector<piece> result;
  while (begin < end) {
    piece p{begin, 1};
    if (in_word(text[begin])) {
      while (p.begin + p.size < end && in_word(text[p.begin + p.size])) ++p.size;
    }
    begin += p.size;
    if (std::isspace(static_cast<unsigned char>(text[p.begin])) == 0) result.push_back(p);
  }
  return result;
}

/// Returns the line around a random place, including its newline.
piece line_near(const std::string& text, generator& random) {
  const std::size_t at = below(text.size(), random);
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t newline = text.find('\n', at);
  const std::size_t end = newline == std::string::npos ? text.size() : newline + 1;
  return {begin, end - begin};
}

constexpr std::array<const char*, 18> limits = {"0",
                                                "1",
                                                "-1",
                                                "2",
                                                "31",
                                                "32",
                                                "33",
                                                "255",
                                                "65536",
                                                "2147483647",
                                                "-2147483648",
                                                "4294967295",
                                                "4294967296",
                                                "17592186044416",
                                                "9223372036854775807",
                                                "18446744073709551615",
                                                "0f7fc00000",
                                                "0d7FF0000000000000"};

void replace_word(std::string& text, generator& random) {
  const auto targets = words_near(text, random);
  const auto sources = words_near(text, random);
  if (targets.empty() || sources.empty()) return;
  const piece to = targets[below(targets.size(), random)];
  const piece from = sources[below(sources.size(), random)];
  text.replace(to.begin, to.size, text.substr(from.begin, from.size));
}

void replace_number(std::string& text, generator& random) {
  auto words = words_near(text, random);
  std::erase_if(words, [&](const piece& p) { return std::isdigit(static_cast<unsigned char>(text[p.begin])) == 0; });
  if (words.empty()) return;
  const piece to = words[below(words.size(), random)];
  text.replace(to.begin, to.size, limits[below(limits.size(), random)]);
}

void change_line(std::string& text, generator& random) {
  const piece line = line_near(text, random);
  const std::string words = text.substr(line.begin, line.size);
  switch (random() % 4) {
    case 0:
      text.erase(line.begin, line.size);
      break;
    case 1:
      text.insert(line.begin, words);
      break;
    case 2: {
      const std::size_t to = line_near(text, random).begin;
      text.insert(to, words);
      break;
    }
    default:
      if (random() % 8 == 0) text.resize(line.begin);
      break;
  }
}

void remove_word(std::string& text, generator& random) {
  const auto words = words_near(text, random);
  if (words.empty()) return;
  const piece p = words[below(words.size(), random)];
  text.erase(p.begin, p.size);
}

}  // namespace

bool is_text(const std::string& input) {
  const std::size_t looked_at = std::min<std::size_t>(input.size(), 64);
  return std::none_of(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(looked_at),
                      [](char c) { return static_cast<unsigned char>(c) < 9 || static_cast<unsigned char>(c) > 126; });
}

void change_bytes(std::string& input, generator& random) {
  if (input.empty()) input.push_back('\0');
  const std::size_t at = below(input.size(), random);
  switch (random() % 5) {
    case 0:
      input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
      break;
    case 1: {
      constexpr std::string_view likely("\x00\x01\x7f\x80\xff{};,.%", 11);
      input[at] = likely[below(likely.size(), random)];
      break;
    }
    case 2: {
      const std::uint64_t value = std::array<std::uint64_t, 6>{
          0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 31, ~std::uint64_t{0} >> 1, input.size()}[random() % 6];
      const std::size_t bytes = std::min(std::size_t{1} << random() % 4, input.size() - at);
      std::memcpy(input.data() + at, &value, bytes);
      break;
    }
    case 3:
      input.erase(at, 1 + below(std::min<std::size_t>(64, input.size()), random));
      break;
    default: {
      const std::string copied = input.substr(at, 1 + below(64, random));
      input.insert(below(input.size(), random), copied);
      break;
    }
  }
}

void change_text(std::string& input, generator& random) {
  switch (random() % 8) {
    case 0:
    case 1:
    case 2:
      return replace_word(input, random);
    case 3:
    case 4:
      return replace_number(input, random);
    case 5:
      return remove_word(input, random);
    default:
      return change_line(input, random);
  }
}

void change(std::string& input, generator& random) {
  const bool text = is_text(input);
  const unsigned count = 1 + random() % 4;
  for (unsigned k = 0; k < count; ++k) {
    if (text && random() % 8 != 0)
      change_text(input, random);
    else
      change_bytes(input, random);
  }
}

}  // namespace fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity,
                                               unsigned seed) {
  std::string input(reinterpret_cast<const char*>(data), size);
  fuzz::generator random(seed);
  fuzz::change(input, random);
  const std::size_t changed = std::min(input.size(), capacity);
  std::memcpy(data, input.data(), changed);
  return changed;
}
