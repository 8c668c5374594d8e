#include "machine_code/sass/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "machine_code/sass/counts.hpp"
#include "machine_code/sass/listing.hpp"

namespace sass {
namespace {

constexpr std::size_t around = 3;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string shape_of(const instruction& i) {
  std::string result = i.guard.empty() ? "" : "@";
  result += i.opcode + ' ';
  const std::string& text = i.operands;
  if (i.target) return result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool begins = k == 0 || !std::isalnum(static_cast<unsigned char>(text[k - 1]));
    std::size_t name = begins && text[k] == 'U' ? k + 1 : k;
    const bool is_register = begins && name + 1 < text.size() &&
                             (text[name] == 'R' || text[name] == 'P' || text[name] == 'B') && is_digit(text[name + 1]);
    if (!is_register) {
      result += text[k];
      continue;
    }
    result += text.substr(k, name + 1 - k);
    k = name;
    while (k + 1 < text.size() && is_digit(text[k + 1])) ++k;
  }
  // The reuse flag of an operand only concerns the scheduler, so it is removed.
  constexpr std::string_view reuse = ".reuse";
  for (std::size_t at = result.find(reuse); at != std::string::npos; at = result.find(reuse))
    result.erase(at, reuse.size());
  return result;
}

std::vector<step> align(const function& before, const function& after) {
  const std::size_t rows = before.size(), columns = after.size();
  std::vector<std::string> left, right;
  for (std::size_t i = 0; i < rows; ++i) left.push_back(shape_of(before.code[i]));
  for (std::size_t k = 0; k < columns; ++k) right.push_back(shape_of(after.code[k]));
  // The length of the longest common subsequence of the remaining instructions, beginning at i and k.
  std::vector<std::uint32_t> longest((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t k) -> std::uint32_t& { return longest[i * (columns + 1) + k]; };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t k = columns; k-- > 0;) {
      at(i, k) = left[i] == right[k] ? at(i + 1, k + 1) + 1 : std::max(at(i + 1, k), at(i, k + 1));
    }
  }
  std::vector<step> steps;
  std::size_t i = 0, k = 0;
  while (i < rows || k < columns) {
    if (i < rows && k < columns && left[i] == right[k]) {
      steps.push_back({change::none, &before.code[i++], &after.code[k++]});
    } else if (k == columns || (i < rows && at(i + 1, k) >= at(i, k + 1))) {
      steps.push_back({change::gone, &before.code[i++], nullptr});
    } else {
      steps.push_back({change::came, nullptr, &after.code[k++]});
    }
  }
  return steps;
}

std::vector<std::string> difference(const function& before, const function& after, std::size_t width) {
  const std::vector<step> steps = align(before, after);
  std::vector<bool> shown(steps.size(), false);
  std::size_t gone = 0, came = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].what == change::none) continue;
    ++(steps[s].what == change::gone ? gone : came);
    const std::size_t end = std::min(steps.size(), s + around + 1);
    for (std::size_t k = s < around ? 0 : s - around; k < end; ++k) shown[k] = true;
  }
  std::vector<std::string> lines = table(
      "", {{"- " + shown_name(before.name), count(before)}, {"+ " + shown_name(after.name), count(after)}}, width);
  lines.emplace_back();
  lines.push_back(fmt::format("{} instructions gone, {} came, {} stayed but for their registers", gone, came,
                              steps.size() - gone - came));
  lines.emplace_back();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!shown[s]) {
      if (s == 0 || shown[s - 1]) lines.emplace_back("  ...");
      continue;
    }
    const instruction& one = steps[s].to != nullptr ? *steps[s].to : *steps[s].from;
    const std::string mark(mark_of(one));
    lines.push_back(fmt::format("{} {}{}", static_cast<char>(steps[s].what), instruction_text(one),
                                mark.empty() ? "" : "  " + mark));
  }
  return lines;
}

}  // namespace sass
