#include "14_shuffle_trees/wrong_trees.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter14 {
namespace {

using namespace workbook;

constexpr unsigned lanes = 32;
/// How often each lane's first value is contained in a value. The type is small, because these numbers are small if the
/// notes are nearly right.
using ingredients = std::array<std::uint16_t, lanes>;
/// The same value in all lanes.
using lane_values = std::array<ingredients, lanes>;

bool is_program(const notes& n) {
  if (n.count > max_notes || n.result > n.count) return false;
  for (unsigned k = 0; k < n.count; ++k) {
    const notes::note& o = n.done[k];
    if (o.first > k || (o.what == what_was_done::sum && o.other > k)) return false;
  }
  return true;
}

lane_values input() {
  lane_values value{};
  for (unsigned lane = 0; lane < lanes; ++lane) value[lane][lane] = 1;
  return value;
}
lane_values sum_of(const lane_values& a, const lane_values& b) {
  lane_values sum = a;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned k = 0; k < lanes; ++k) sum[lane][k] = static_cast<std::uint16_t>(sum[lane][k] + b[lane][k]);
  return sum;
}
lane_values down_of(const lane_values& a, unsigned distance) {
  lane_values value = a;
  for (unsigned lane = 0; lane + distance < lanes && distance < lanes; ++lane) value[lane] = a[lane + distance];
  return value;
}

lane_values made_by(const notes::note& o, const std::vector<lane_values>& values) {
  return o.what == what_was_done::sum ? sum_of(values[o.first], values[o.other]) : down_of(values[o.first], o.other);
}

/// Returns all values, beginning with the input.
std::vector<lane_values> replay(const notes& n) {
  std::vector<lane_values> values = {input()};
  for (unsigned k = 0; k < n.count; ++k) values.push_back(made_by(n.done[k], values));
  return values;
}

bool is_whole(const lane_values& value) {
  return std::all_of(value[0].begin(), value[0].end(), [](unsigned times) { return times == 1; });
}
bool is_right(const notes& n) {
  return is_whole(replay(n)[n.result]);
}

/// Finds a single change that makes wrong notes right, and describes it.
class repair {
 public:
  explicit repair(const notes& wrong) : notes_(wrong), values_(replay(wrong)) {}

  /// Returns what is wrong as a clause, or "" if no single change makes the notes right.
  [[nodiscard]] std::string words() const {
    for (const auto of : {&repair::of_result, &repair::of_distance, &repair::of_unused, &repair::of_missing_shuffle,
                          &repair::of_sources, &repair::of_operand, &repair::of_addition, &repair::of_missing_step}) {
      if (std::string text = (this->*of)(); !text.empty()) return text;
    }
    return {};
  }

 private:
  bool is_down(unsigned k) const { return notes_.done[k].what == what_was_done::down; }
  bool in_time() const { return processor_clock::now() < until_; }

  /// Returns "the lanes' first values" or "the sums of 8 lanes".
  [[nodiscard]] std::string named(unsigned value) const {
    if (value == 0) return "the lanes' first values";
    unsigned count = 0;
    for (const unsigned times : values_[value][0]) count += times;
    return fmt::format("the sums of {} lanes", count);
  }

  [[nodiscard]] std::string of_result() const {
    for (unsigned v = 0; v <= notes_.count; ++v)
      if (is_whole(values_[v])) return "the sum of all 32 lanes is computed, but a different value is returned";
    return {};
  }

  [[nodiscard]] std::string of_distance() const {
    for (unsigned k = notes_.count; k-- > 0;) {
      if (!is_down(k)) continue;
      notes changed = notes_;
      for (unsigned distance = 1; distance < lanes; ++distance) {
        changed.done[k].other = distance;
        if (is_right(changed)) return words_for_distance(k, distance);
      }
    }
    return {};
  }
  [[nodiscard]] std::string words_for_distance(unsigned k, unsigned missing) const {
    const notes::note& is = notes_.done[k];
    if (is.other >= lanes)
      return fmt::format("a shuffle by {} leaves the warp, but it should be by {}", is.other, missing);
    for (unsigned j = 0; j < notes_.count; ++j)
      if (j != k && is_down(j) && notes_.done[j].first == is.first && notes_.done[j].other == is.other)
        return fmt::format("a shuffle by {} is done twice, and one by {} is missing", is.other, missing);
    return fmt::format("a shuffle is by {}, but it should be by {}", is.other, missing);
  }

  /// Finds values that are computed but never used.
  [[nodiscard]] std::string of_unused() const {
    for (unsigned v = 1; v <= notes_.count; ++v) {
      if (is_used(v)) continue;
      for (unsigned to = v + 1; to <= notes_.count; ++to)
        if (notes_.done[to - 1].what == what_was_done::sum && is_right_with(to, values_[v]))
          return is_down(v - 1)
                     ? fmt::format("the result of the shuffle by {} is never added", notes_.done[v - 1].other)
                     : std::string("a sum is made that is never added");
    }
    return {};
  }
  [[nodiscard]] bool is_used(unsigned value) const {
    if (notes_.result == value) return true;
    return std::any_of(notes_.done, notes_.done + notes_.count, [&](const notes::note& o) {
      return o.first == value || (o.what == what_was_done::sum && o.other == value);
    });
  }
  /// Returns true if the notes are right after `more` is added to value `to`.
  [[nodiscard]] bool is_right_with(unsigned to, const lane_values& more) const {
    std::vector<lane_values> values(values_.begin(), values_.begin() + to + 1);
    values[to] = sum_of(values[to], more);
    for (unsigned k = to; k < notes_.count; ++k) values.push_back(made_by(notes_.done[k], values));
    return is_whole(values[notes_.result]);
  }

  /// Finds a missing shuffle if other shuffles of the same value exist.
  [[nodiscard]] std::string of_missing_shuffle() const {
    for (unsigned of = 0; of <= notes_.count && in_time(); ++of) {
      const auto shuffles = std::count_if(notes_.done, notes_.done + notes_.count, [&](const notes::note& o) {
        return o.what == what_was_done::down && o.first == of;
      });
      for (unsigned to = of + 1; shuffles > 1 && to <= notes_.count; ++to)
        for (unsigned distance = 1; distance < lanes; ++distance)
          if (notes_.done[to - 1].what == what_was_done::sum && is_right_with(to, down_of(values_[of], distance)))
            return fmt::format("a shuffle of {} by {} is missing", named(of), distance);
    }
    return {};
  }

  /// Finds out if the last shuffles of one value, or all of them, should shuffle a different value.
  [[nodiscard]] std::string of_sources() const {
    for (unsigned from = 0; from < notes_.count; ++from) {
      if (!is_down(from)) continue;
      const unsigned source = notes_.done[from].first;
      for (unsigned other = 0; other <= from && in_time(); ++other) {
        if (other == source) continue;
        notes changed = notes_;
        std::vector<unsigned> distances;
        for (unsigned k = from; k < notes_.count; ++k) {
          if (!is_down(k) || notes_.done[k].first != source) continue;
          changed.done[k].first = other;
          distances.push_back(notes_.done[k].other);
        }
        if (!is_right(changed)) continue;
        const bool several = distances.size() > 1;
        return fmt::format("the shuffle{} by {} take{} {}, not {}", several ? "s" : "", listed(distances),
                           several ? "" : "s", named(source), named(other));
      }
    }
    return {};
  }
  static std::string listed(const std::vector<unsigned>& numbers) {
    std::string list = fmt::format("{}", fmt::join(numbers, ", "));
    if (const std::size_t comma = list.rfind(", "); comma != std::string::npos) list.replace(comma, 2, " and ");
    return list;
  }

  /// Finds an addition that adds the wrong value.
  [[nodiscard]] std::string of_operand() const {
    for (unsigned k = 0; k < notes_.count; ++k) {
      if (is_down(k)) continue;
      for (unsigned other = 0; other <= k && in_time(); ++other) {
        for (const bool second : {false, true}) {
          notes changed = notes_;
          unsigned& operand = second ? changed.done[k].other : changed.done[k].first;
          const unsigned is = operand;
          operand = other;
          if (is_right(changed)) return fmt::format("{} added where {} should be", brought(is), brought(other, ""));
        }
      }
    }
    return {};
  }
  /// Returns "what the shuffle by 3 brings is" or "the lanes' first values are".
  [[nodiscard]] std::string brought(unsigned value, const std::string& verb = "is") const {
    const bool shuffled = value != 0 && is_down(value - 1);
    if (shuffled)
      return fmt::format("the result of the shuffle by {}{}", notes_.done[value - 1].other, verb.empty() ? "" : " is");
    return named(value) + (verb.empty() ? "" : " are");
  }

  /// Finds an addition that is superfluous, or that adds the wrong value.
  [[nodiscard]] std::string of_addition() const {
    for (unsigned k = notes_.count; k-- > 0;) {
      const notes::note& is = notes_.done[k];
      if (is_down(k)) continue;
      // Replaces the sum by one of its two values.
      for (const bool second : {false, true}) {
        std::vector<lane_values> values(values_.begin(), values_.begin() + k + 1);
        values.push_back(values_[second ? is.other : is.first]);
        for (unsigned j = k + 1; j < notes_.count; ++j) values.push_back(made_by(notes_.done[j], values));
        if (is_whole(values[notes_.result])) return words_for_too_much(second ? is.first : is.other);
      }
    }
    return {};
  }
  [[nodiscard]] std::string words_for_too_much(unsigned value) const {
    if (value == 0 || !is_down(value - 1)) return fmt::format("{} are added once too often", named(value));
    const notes::note& extra = notes_.done[value - 1];
    const bool again = std::any_of(notes_.done, notes_.done + value - 1, [&](const notes::note& o) {
      return o.what == what_was_done::down && o.other == extra.other;
    });
    return fmt::format("the step with distance {} is {}", extra.other, again ? "done twice" : "too much");
  }

  [[nodiscard]] std::string of_missing_step() const {
    // Tries a step of a chain: adds the same value of a lane further on to a value.
    for (unsigned v = notes_.count + 1; v-- > 0 && in_time();)
      for (unsigned distance = 1; distance < lanes; ++distance)
        if (is_right_with(v, down_of(values_[v], distance)))
          return fmt::format("the step with distance {} is missing", distance);
    for (unsigned to = 1; to <= notes_.count; ++to)
      for (unsigned of = 0; of < to && in_time(); ++of)
        for (unsigned distance = 1; distance < lanes; ++distance)
          if (is_right_with(to, down_of(values_[of], distance)))
            return fmt::format("a shuffle of {} by {} is missing", named(of), distance);
    for (unsigned to = 1; to <= notes_.count; ++to)
      for (unsigned of = 0; of < to; ++of)
        if (is_right_with(to, values_[of])) return fmt::format("{} are never added", named(of));
    return {};
  }

  notes notes_;
  std::vector<lane_values> values_;
  processor_clock::time_point until_ = processor_clock::now() + std::chrono::milliseconds(400);
};

/// Returns the lanes as the subject of a sentence.
std::string lanes_in(const element_set& set) {
  return words_for(set, "lane") + (ends_in_clause(set) ? "," : "");
}

/// Returns for example "Lanes 20 to 23 never reach lane 0".
std::string words_for_lost(const element_set& lost) {
  const auto count = static_cast<std::size_t>(std::count(lost.begin(), lost.end(), true));
  if (count == lanes) return "No lane's value reaches lane 0";
  const element_set there = chosen_of(lanes, [&](std::size_t k) { return !lost[k]; });
  const std::string words = lanes_in(lost), left = lanes_in(there);
  if (count > lanes / 2 && form_of(there) != places_form::first_few)
    return fmt::format("Of the 32 lanes only {} reach{} lane 0", left, is_plural(there) ? "" : "es");
  return fmt::format("{} never reach{} lane 0", capital(words), is_plural(lost) ? "" : "es");
}

std::string words_for_often(const element_set& often, const lane_counts& counts) {
  const double times = counts[first_of(often)];
  const bool alike = std::all_of(counts.begin(), counts.end(), [&](double t) { return t <= 1 || t == times; });
  const std::string words = lanes_in(often);
  return fmt::format("{} {} added {}", words, is_plural(often) ? "are" : "is",
                     !alike       ? "more than once"
                     : times == 2 ? "twice"
                                  : fmt::format("{} times", shown(times)));
}

/// Returns a sentence without its full stop, or "" if every lane is in the sum once.
std::string words_for_lanes(const lane_counts& counts) {
  const element_set lost = chosen_of(lanes, [&](std::size_t k) { return counts[k] == 0; });
  const element_set often = chosen_of(lanes, [&](std::size_t k) { return counts[k] > 1; });
  if (any(lost) && any(often)) return words_for_lost(lost) + ", and " + words_for_often(often, counts);
  if (any(lost)) return words_for_lost(lost);
  return any(often) ? capital(words_for_often(often, counts)) : std::string();
}

}  // namespace

lane_counts lanes_of(const notes& n) {
  lane_counts counts{};
  if (!is_program(n)) return counts;
  const lane_values result = replay(n)[n.result];
  std::copy(result[0].begin(), result[0].end(), counts.begin());
  return counts;
}

std::optional<explanation> explain_counts(const lane_counts& counts) {
  const bool odd = std::any_of(counts.begin(), counts.end(), [](double t) { return t < 0 || t != std::floor(t); });
  const std::string words = odd ? std::string() : words_for_lanes(counts);
  if (words.empty()) return {};
  return explanation{words + ".", {}, {}};
}

std::optional<explanation> explain_tree(const notes& n) {
  if (!is_program(n)) return {};
  std::optional<explanation> e = explain_counts(lanes_of(n));
  if (!e) return {};
  const std::string why = repair(n).words();
  if (!why.empty()) {
    e->cause.pop_back();
    e->cause += ": " + why + ".";
  }
  return e;
}

}  // namespace chapter14
