#include "workbook/element_places.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace workbook {
namespace {

/// The most elements that are told one by one.
constexpr std::size_t most_listed = 4;

std::vector<std::size_t> places_of(const element_set& chosen) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) places.push_back(i);
  return places;
}

std::string ordinal(std::size_t n) {
  if (n == 2) return "second";
  const std::size_t tens = n % 100;
  const char* ending = tens >= 11 && tens <= 13 ? "th"
                       : n % 10 == 1            ? "st"
                       : n % 10 == 2            ? "nd"
                       : n % 10 == 3            ? "rd"
                                                : "th";
  return fmt::format("{}{}", n, ending);
}

/// The set where it repeats at least twice and is one run in each period; empty else.
std::string words_for_period(const element_set& chosen, const std::vector<std::size_t>& places,
                             const std::string& noun) {
  for (std::size_t period = 2; 2 * period <= chosen.size(); ++period) {
    if (!repeats(chosen, period)) continue;
    const auto in_period = static_cast<std::size_t>(
        std::count(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(period), true));
    const std::size_t first = places.front();
    if (places[in_period - 1] - first != in_period - 1) return {};
    if (in_period > 1) return fmt::format("{}s {} to {} of every {}", noun, first, places[in_period - 1], period);
    return first == 0 ? fmt::format("every {} {}", ordinal(period), noun)
                      : fmt::format("every {} {}, from {} {} on", ordinal(period), noun, noun, first);
  }
  return {};
}

/// A few stretches, one after the other; empty where there are more, or single elements alone.
std::string words_for_runs(const std::vector<std::size_t>& places, const std::string& noun) {
  std::vector<std::string> runs;
  bool stretches = false;
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
    runs.push_back(end - begin == 1 ? fmt::format("{}", places[begin])
                                    : fmt::format("{} to {}", places[begin], places[end - 1]));
    stretches = stretches || end - begin > 2;
    if (runs.size() > most_listed - 1) return {};
    begin = end;
  }
  if (!stretches || runs.size() < 2) return {};
  const std::string last = runs.back();
  runs.pop_back();
  return fmt::format("{}s {} and {}", noun, fmt::join(runs, ", "), last);
}

}  // namespace

std::string words_for(const element_set& chosen, const std::string& noun) {
  const std::vector<std::size_t> places = places_of(chosen);
  if (places.empty()) return "no " + noun;
  if (places.size() == chosen.size()) return chosen.size() == 1 ? noun + " 0" : fmt::format("all {}s", noun);
  if (places.size() == 1) return fmt::format("{} {}", noun, places.front());
  if (places.size() == 2) return fmt::format("{}s {} and {}", noun, places[0], places[1]);
  if (places.back() - places.front() == places.size() - 1)
    return fmt::format("{}s {} to {}", noun, places.front(), places.back());
  if (const std::string periodic = words_for_period(chosen, places, noun); !periodic.empty()) return periodic;
  if (const std::string runs = words_for_runs(places, noun); !runs.empty()) return runs;
  const std::vector<std::size_t> first(
      places.begin(), places.begin() + static_cast<std::ptrdiff_t>(std::min(most_listed, places.size()) - 1));
  if (places.size() <= most_listed) return fmt::format("{}s {} and {}", noun, fmt::join(first, ", "), places.back());
  return fmt::format("{}s {} and {} more", noun, fmt::join(first, ", "), places.size() - first.size());
}

bool repeats(const element_set& chosen, std::size_t period) {
  const auto second = chosen.begin() + static_cast<std::ptrdiff_t>(std::min(period, chosen.size()));
  return std::equal(second, chosen.end(), chosen.begin());
}

bool is_plural(const std::string& words, const std::string& noun) {
  return !words.starts_with(noun + " ") && !words.starts_with("every") && !words.starts_with("no ");
}

std::optional<std::vector<unsigned>> strides_of(const element_set& lost, unsigned block_size, unsigned per_vector) {
  const std::size_t group = std::size_t{block_size} * per_vector;
  if (lost.size() < group || block_size < 2) return {};
  const auto thread_of = [&](std::size_t element) { return element / per_vector % block_size; };
  // The bits of which each alone loses the element.
  unsigned bits = 0;
  for (unsigned bit = 1; bit < block_size; bit *= 2)
    if (lost[std::size_t{bit} * per_vector]) bits |= bit;
  if (bits == 0) return {};
  for (std::size_t i = 0; i < lost.size(); ++i)
    if (lost[i] != ((thread_of(i) & bits) != 0)) return {};
  std::vector<unsigned> strides;
  for (unsigned bit = block_size / 2; bit != 0; bit /= 2)
    if ((bits & bit) != 0) strides.push_back(bit);
  return strides;
}

}  // namespace workbook
