#include "workbook/element_places.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace workbook {
namespace {

/// The largest number of elements that are listed one by one.
constexpr std::size_t max_listed = 4;

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

/// A set that consists of at least two periods, with one run of positions in each.
struct periodic {
  std::size_t period = 0, first = 0, last = 0;  ///< The first and the last position of the run in the first period.
};

std::optional<periodic> period_of(const element_set& chosen, const std::vector<std::size_t>& places) {
  for (std::size_t period = 2; 2 * period <= chosen.size(); ++period) {
    if (!repeats(chosen, period)) continue;
    const auto in_period = static_cast<std::size_t>(
        std::count(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(period), true));
    if (places[in_period - 1] - places.front() != in_period - 1) return {};
    return periodic{period, places.front(), places[in_period - 1]};
  }
  return {};
}

/// Returns the runs of neighbours, such as "3" or "3 to 7", if there are few and one of them is longer than two.
/// Otherwise returns nothing.
std::vector<std::string> few_runs(const std::vector<std::size_t>& places) {
  std::vector<std::string> runs;
  bool has_long = false;
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
    runs.push_back(end - begin == 1 ? fmt::format("{}", places[begin])
                                    : fmt::format("{} to {}", places[begin], places[end - 1]));
    has_long = has_long || end - begin > 2;
    if (runs.size() > max_listed - 1) return {};
    begin = end;
  }
  if (!has_long || runs.size() < 2) return {};
  return runs;
}

/// Returns a description of the set, with `of_all` after the part that counts its elements, unless the form already
/// implies it.
std::string named(const element_set& chosen, const std::string& noun, const std::string& of_all) {
  const std::vector<std::size_t> places = places_of(chosen);
  const auto listed = [&] {
    const std::vector<std::size_t> first(
        places.begin(), places.begin() + static_cast<std::ptrdiff_t>(std::min(max_listed, places.size()) - 1));
    const std::string last = places.size() <= max_listed ? fmt::format("{}", places.back())
                                                         : fmt::format("{} more", places.size() - first.size());
    return fmt::format("{}s {} and {}{}", noun, fmt::join(first, ", "), last, of_all);
  };
  switch (form_of(chosen)) {
    case places_form::none:
      return "no " + noun;
    case places_form::all:
      return chosen.size() == 1 ? noun + " 0" : fmt::format("all {}s", noun);
    case places_form::one:
      return fmt::format("{} {}{}", noun, places.front(), of_all);
    case places_form::two:
      return fmt::format("{}s {} and {}{}", noun, places[0], places[1], of_all);
    case places_form::range:
      return fmt::format("{}s {} to {}{}", noun, places.front(), places.back(), of_all);
    case places_form::part_of_period: {
      const periodic p = *period_of(chosen, places);
      return fmt::format("{}s {} to {} of every {}", noun, p.first, p.last, p.period);
    }
    case places_form::every_nth: {
      const periodic p = *period_of(chosen, places);
      const std::string every = fmt::format("every {} {}{}", ordinal(p.period), noun, of_all);
      return p.first == 0 ? every : fmt::format("{}, from {} {} on", every, noun, p.first);
    }
    case places_form::runs: {
      std::vector<std::string> runs = few_runs(places);
      const std::string last = runs.back();
      runs.pop_back();
      return fmt::format("{}s {} and {}{}", noun, fmt::join(runs, ", "), last, of_all);
    }
    case places_form::listed:
    case places_form::first_few:
      break;
  }
  return listed();
}

}  // namespace

places_form form_of(const element_set& chosen) {
  const std::vector<std::size_t> places = places_of(chosen);
  if (places.empty()) return places_form::none;
  if (places.size() == chosen.size()) return places_form::all;
  if (places.size() == 1) return places_form::one;
  if (places.size() == 2) return places_form::two;
  if (places.back() - places.front() == places.size() - 1) return places_form::range;
  if (const auto p = period_of(chosen, places))
    return p->first == p->last ? places_form::every_nth : places_form::part_of_period;
  if (!few_runs(places).empty()) return places_form::runs;
  return places.size() <= max_listed ? places_form::listed : places_form::first_few;
}

std::string words_for(const element_set& chosen, const std::string& noun) {
  return named(chosen, noun, {});
}

std::string words_within(const element_set& chosen, const std::string& noun) {
  return named(chosen, noun, fmt::format(" of {}", chosen.size()));
}

bool repeats(const element_set& chosen, std::size_t period) {
  const auto second = chosen.begin() + static_cast<std::ptrdiff_t>(std::min(period, chosen.size()));
  return std::equal(second, chosen.end(), chosen.begin());
}

bool is_plural(const element_set& chosen) {
  switch (form_of(chosen)) {
    case places_form::none:
    case places_form::one:
    case places_form::every_nth:
      return false;
    case places_form::all:
      return chosen.size() != 1;
    default:
      return true;
  }
}

bool ends_in_clause(const element_set& chosen) {
  return form_of(chosen) == places_form::every_nth && !chosen.front();
}

bool has_comma(const element_set& chosen) {
  switch (form_of(chosen)) {
    case places_form::every_nth:
      return !chosen.front();
    case places_form::runs:
      return few_runs(places_of(chosen)).size() > 2;
    case places_form::listed:
    case places_form::first_few:
      return true;
    default:
      return false;
  }
}

std::optional<std::vector<unsigned>> strides_of(const element_set& lost, unsigned block_size, unsigned per_vector) {
  const std::size_t group = std::size_t{block_size} * per_vector;
  if (lost.size() < group || block_size < 2) return {};
  const auto thread_of = [&](std::size_t element) { return element / per_vector % block_size; };
  // A stride is one of them if the element at that position, counted in vectors, is lost.
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
