#include "workbook/wrong_outputs.hpp"

#include <cctype>

#include <fmt/format.h>

namespace workbook {
namespace {

/// Returns the pattern of the first block, if there are at least two blocks and the set has the same part of each.
std::optional<element_set> part_of_every_block(const element_set& chosen, std::size_t per_block) {
  if (per_block < 2 || chosen.size() <= per_block || !repeats(chosen, per_block)) return {};
  const element_set first(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(per_block));
  if (all(first)) return {};
  return first;
}

bool is_all_from(const element_set& chosen, std::size_t first) {
  return all(element_set(chosen.begin() + static_cast<std::ptrdiff_t>(first), chosen.end()));
}

}  // namespace

std::string shown(double x, double other) {
  if (std::isnan(x)) return "nothing";
  if (std::isinf(x)) return "no number";
  if (x == std::floor(x) && std::fabs(x) < 1e15) return fmt::format("{:.0f}", x);
  const std::string brief = fmt::format("{:g}", x);
  return brief != fmt::format("{:g}", other) ? brief : fmt::format("{:.17g}", x);
}

std::string capital(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

element_set chosen_of(std::size_t n, const std::function<bool(std::size_t)>& holds) {
  element_set chosen(n);
  for (std::size_t i = 0; i < n; ++i) chosen[i] = holds(i);
  return chosen;
}
bool any(const element_set& s) {
  return std::find(s.begin(), s.end(), true) != s.end();
}
bool all(const element_set& s) {
  return std::find(s.begin(), s.end(), false) == s.end();
}
std::size_t first_of(const element_set& s) {
  return static_cast<std::size_t>(std::find(s.begin(), s.end(), true) - s.begin());
}

std::string as_subject(const std::string& text, const element_set& set) {
  return capital(text) + (ends_in_clause(set) ? "," : "");
}

outputs_text text_for_outputs(const element_set& chosen, std::size_t per_block) {
  const std::size_t n = chosen.size();
  if (!any(chosen) || all(chosen)) return {words_for(chosen, "output"), is_plural(chosen)};
  if (const auto part = part_of_every_block(chosen, per_block); part && form_of(*part) != places_form::every_nth) {
    const bool several = is_plural(*part);
    return {fmt::format("the output{} of {} of every block", several ? "s" : "", words_for(*part, "thread")), several};
  }
  const std::size_t first = first_of(chosen);
  if (per_block > 1 && first != 0 && first % per_block == 0 && is_all_from(chosen, first)) {
    if (n - first < per_block)
      return {fmt::format("all outputs after the last whole block, from output {} on,", first)};
    return {fmt::format("all outputs but those of {}", first == per_block
                                                           ? "the first block"
                                                           : fmt::format("the first {} blocks", first / per_block))};
  }
  return {words_within(chosen, "output"), is_plural(chosen), ends_in_clause(chosen)};
}

std::optional<explanation> explain_outputs(const std::vector<double>& got, const std::vector<double>& wanted,
                                           std::size_t per_block, const std::string& array) {
  const std::size_t n = wanted.size();
  const auto is_wrong = [&](std::size_t i) { return got[i] != wanted[i]; };  // NaN, too
  const element_set wrong = chosen_of(n, is_wrong);
  if (got.size() != n || !any(wrong)) return {};
  const element_set unwritten = chosen_of(n, [&](std::size_t i) { return is_wrong(i) && std::isnan(got[i]); });
  const bool silent = any(unwritten) && unwritten == wrong;
  const outputs_text outputs = n == 1 ? outputs_text{"the output", false} : text_for_outputs(wrong, per_block);
  const std::size_t first = first_of(wrong);
  const std::string one = fmt::format("{}[{}]", array, first);
  explanation e;
  e.cause = fmt::format("{}{} {} ", capital(outputs.text), outputs.ends_in_clause ? "," : "",
                        outputs.is_plural ? "are" : "is");
  e.cause += silent ? fmt::format("never written: {} stays as it was, and should be {}.", one, shown(wanted[first]))
                    : fmt::format("wrong: {} is {}, not {}.", one, shown(got[first], wanted[first]),
                                  shown(wanted[first], got[first]));
  if (!silent && any(unwritten))
    e.cause += fmt::format(" {} {} never written.", as_subject(words_within(unwritten, "output"), unwritten),
                           is_plural(unwritten) ? "are" : "is");
  // If the value belongs to a different output, it shows how the index is wrong.
  const auto home = std::find(wanted.begin(), wanted.end(), got[first]);
  if (!silent && home != wanted.end() && std::find(home + 1, wanted.end(), got[first]) == wanted.end())
    e.example =
        fmt::format("{} is what {}[{}] should be.", shown(got[first], wanted[first]), array, home - wanted.begin());
  return e;
}

std::optional<element_set> places_not_right(std::size_t n,
                                            const std::function<bool(std::size_t, std::size_t)>& is_right,
                                            processor_clock::time_point until) {
  element_set odd(n);
  const std::function<bool(std::size_t, std::size_t)> look = [&](std::size_t begin, std::size_t end) {
    if (begin == end) return true;
    if (processor_clock::now() > until) return false;
    if (is_right(begin, end)) return true;
    if (end - begin == 1) {
      odd[begin] = true;
      return true;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    return look(begin, middle) && look(middle, end);
  };
  if (!look(0, n)) return {};
  return odd;
}

}  // namespace workbook
