#include "15_beyond_the_sum/wrong_segments.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter15 {
namespace {

using namespace workbook;

/// Enough elements for segments of many lengths, but few enough for many runs.
constexpr std::size_t enough_elements = 1000;
/// The value of the element that is searched for, and the value of all others.
constexpr double large = 100, small = 2;

class inquiry {
 public:
  explicit inquiry(segments_trial& trial) : trial_(trial), offsets_(trial.offsets()), segments_(offsets_.size() - 1) {}

  std::optional<explanation> explain() {
    own_ = trial_.results_of(trial_.own_input());
    even_ = trial_.results_of(std::vector<double>(offsets_.back(), small));
    explanation e;
    for (const auto cause :
         {&inquiry::cause_of_silence, &inquiry::cause_of_strangers, &inquiry::cause_of_lost, &inquiry::cause_of_start,
          &inquiry::cause_of_empty, &inquiry::cause_of_places, &inquiry::cause_of_ties}) {
      e.cause = (this->*cause)();
      if (!e.cause.empty()) return e;
    }
    return {};
  }

 private:
  [[nodiscard]] std::size_t length(std::size_t s) const { return offsets_[s + 1] - offsets_[s]; }
  [[nodiscard]] bool is_of(double place, std::size_t s) const {
    return place >= offsets_[s] && place < offsets_[s + 1];
  }
  [[nodiscard]] element_set segments_where(const std::function<bool(std::size_t)>& holds) const {
    return chosen_of(segments_, holds);
  }
  /// Returns "segments of 9 and more elements" if the set has just these, otherwise the segments' numbers.
  [[nodiscard]] std::string words(const element_set& chosen) const;
  /// Runs the kernel with small elements, except one of each segment, at the position that `place` returns (if any).
  std::vector<found_in_segment> with_marks(const std::function<std::optional<std::size_t>(std::size_t)>& place) {
    std::vector<double> in(offsets_.back(), small);
    for (std::size_t s = 0; s < segments_; ++s)
      if (const auto k = place(s)) in[offsets_[s] + *k] = large;
    return trial_.results_of(in);
  }
  /// Returns the segments whose result misses the element at position k, counted from the first or from the last.
  element_set that_lose(std::size_t k, bool from_last) {
    const auto has = [&](std::size_t s) { return k < length(s); };
    const auto got = with_marks([&](std::size_t s) -> std::optional<std::size_t> {
      if (!has(s)) return {};
      return from_last ? length(s) - 1 - k : k;
    });
    return segments_where([&](std::size_t s) { return has(s) && got[s].value != large; });
  }

  [[nodiscard]] std::string cause_of_silence();
  [[nodiscard]] std::string cause_of_strangers();
  [[nodiscard]] std::string cause_of_lost();
  [[nodiscard]] std::string cause_of_start();
  [[nodiscard]] std::string cause_of_empty();
  [[nodiscard]] std::string cause_of_places();
  [[nodiscard]] std::string cause_of_ties();

  segments_trial& trial_;
  const std::vector<unsigned>& offsets_;
  std::size_t segments_;
  std::vector<found_in_segment> own_, even_;  ///< the results for the original input, and for equal elements
  processor_clock::time_point until_ = processor_clock::now() + std::chrono::milliseconds(800);
};

std::string inquiry::words(const element_set& chosen) const {
  if (all(chosen)) return "all segments";
  const auto having = [&](const auto& fits) { return segments_where([&](std::size_t s) { return fits(length(s)); }); };
  std::size_t least = offsets_.back(), most = 0;
  for (std::size_t s = 0; s < segments_; ++s) {
    if (!chosen[s]) continue;
    least = std::min(least, length(s));
    most = std::max(most, length(s));
  }
  if (chosen == having([&](std::size_t n) { return n == 0; })) return "segments without elements";
  if (chosen == having([](std::size_t n) { return n > 0; })) return "all segments that have elements";
  if (chosen == having([&](std::size_t n) { return n >= least; }))
    return fmt::format("segments of {} and more elements", least);
  if (chosen == having([&](std::size_t n) { return n > 0 && n <= most; }))
    return fmt::format("segments of up to {} elements", most);
  if (chosen == having([&](std::size_t n) { return n >= least && n <= most; }))
    return least == most ? fmt::format("segments of {} elements", least)
                         : fmt::format("segments of {} to {} elements", least, most);
  return words_within(chosen, "segment");
}

std::string inquiry::cause_of_silence() {
  const element_set silent = segments_where([&](std::size_t s) { return std::isnan(own_[s].value); });
  if (!any(silent)) return {};
  return fmt::format("Nothing is written for {}: out[{}] is as it was before the launch.", words(silent),
                     first_of(silent));
}

/// Finds segments that read other segments' elements.
std::string inquiry::cause_of_strangers() {
  for (const std::size_t odd : {1, 0}) {
    for (const bool last : {false, true}) {
      const auto is_marked = [&](std::size_t s) { return s % 2 == odd && length(s) > 0; };
      const auto got = with_marks([&](std::size_t s) -> std::optional<std::size_t> {
        if (!is_marked(s)) return {};
        return last ? length(s) - 1 : 0;
      });
      const element_set takers = segments_where([&](std::size_t s) { return !is_marked(s) && got[s].value == large; });
      if (!any(takers)) continue;
      const std::size_t s = first_of(takers);
      const bool next = got[s].place == offsets_[s + 1];
      return fmt::format(
          "Elements of other segments count: segment {} {}, and takes element {}, which is {}. That is so for {}.", s,
          length(s) == 0 ? "is empty" : fmt::format("has elements {} to {}", offsets_[s], offsets_[s + 1] - 1),
          shown(got[s].place),
          next                              ? "the first one after it: offsets[s + 1] isn't one of its own"
          : got[s].place + 1 == offsets_[s] ? "the last before it"
                                            : "not one of its own",
          words(takers));
    }
  }
  return {};
}

std::string inquiry::cause_of_lost() {
  const element_set first = that_lose(0, false), last = that_lose(0, true), second = that_lose(1, false);
  const element_set before_last = that_lose(1, true);
  const element_set with_one = segments_where([&](std::size_t s) { return first[s] && length(s) == 1; });
  if (any(last) && !any(before_last) && (!any(first) || first == with_one))
    return fmt::format("The last element never counts, number offsets[s + 1] - 1, in {}.", words(last));
  if (any(first) && !any(second))
    return fmt::format("The first element never counts, number offsets[s], in {}.", words(first));
  std::size_t longest = 0;
  for (std::size_t s = 0; s < segments_; ++s) longest = std::max(longest, length(s));
  // Tests elements on both sides of every power of two. If one is lost, a bisection finds where the losses begin.
  for (std::size_t step = 1; step / 2 < longest; step *= 2) {
    for (const std::size_t k : {step - 1, step}) {
      if (processor_clock::now() > until_) return {};
      const element_set lost = that_lose(k, false);
      if (!any(lost)) continue;
      const std::size_t s = first_of(lost);
      std::size_t kept = step / 2, gone = k;  // the losses begin between these two
      while (gone - kept > 1) {
        const std::size_t middle = kept + (gone - kept) / 2;
        (that_lose(middle, false)[s] ? gone : kept) = middle;
      }
      if (k <= 1) gone = k;
      const bool to_the_end = that_lose(length(s) - 1, false)[s];
      return fmt::format("Elements of a segment never count: in segment {}, which has {}, {}. That is so in {}.", s,
                         length(s),
                         to_the_end ? fmt::format("none from its element {} on", gone)
                                    : fmt::format("its element {} is one of them", gone),
                         words(lost));
    }
  }
  return {};
}

/// Makes all elements negative, and finds results that are larger than all of them.
std::string inquiry::cause_of_start() {
  const std::vector<found_in_segment> got = trial_.results_of(std::vector<double>(offsets_.back(), -large));
  const element_set wrong =
      segments_where([&](std::size_t s) { return length(s) > 0 && got[s].value > -large && got[s].value < large; });
  if (!any(wrong)) return {};
  const std::size_t s = first_of(wrong);
  return fmt::format(
      "Where all elements are {}, out[{}].value is {}: the search must begin with what is below every element, the "
      "identity of arg_max, not with {}.",
      -large, s, shown(got[s].value), shown(got[s].value));
}

std::string inquiry::cause_of_empty() {
  const element_set wrong = segments_where(
      [&](std::size_t s) { return length(s) == 0 && (own_[s].value != no_value || own_[s].place != no_place); });
  if (!any(wrong)) return {};
  const std::size_t s = first_of(wrong);
  return fmt::format("Segment {} has no elements, and out[{}].value is {}: it should be the identity of arg_max.", s, s,
                     own_[s].value == no_value ? "right, but its index is not" : shown(own_[s].value));
}

std::string inquiry::cause_of_places() {
  // All elements are equal, so the first one is wanted. In its segment, its position is 0.
  const auto is_late = [&](std::size_t s) { return length(s) > 0 && offsets_[s] > 0; };
  const element_set relative = segments_where([&](std::size_t s) { return is_late(s) && even_[s].place == 0; });
  if (any(relative))
    return fmt::format(
        "Places count from the beginning of each segment{}: out[s].index is the element's number in the whole array.",
        relative == segments_where(is_late) ? "" : ", in " + words(relative));
  const element_set nowhere = segments_where(
      [&](std::size_t s) { return length(s) > 0 && own_[s].value == no_value && own_[s].place == no_place; });
  if (any(nowhere))
    return fmt::format(
        "Where all elements are the lowest value that there is, none is found: segment {} has {} of them, and "
        "out[{}].index is that of an empty segment. The first of equal elements is wanted there, too, so `>` is not "
        "enough.",
        first_of(nowhere), length(first_of(nowhere)), first_of(nowhere));
  return {};
}

std::string inquiry::cause_of_ties() {
  const element_set wrong = segments_where([&](std::size_t s) {
    return length(s) > 0 && even_[s].value == small && even_[s].place != offsets_[s] && is_of(even_[s].place, s);
  });
  if (!any(wrong)) return {};
  const std::size_t s = first_of(wrong);
  const bool last =
      wrong == segments_where([&](std::size_t k) { return length(k) > 1 && even_[k].place + 1 == offsets_[k + 1]; });
  return fmt::format(
      "Of equal elements {} is taken, not the first: if all are equal, segment {} (elements {} to {}) gives index "
      "{}. The same happens in {}. The order of the lanes doesn't decide, because arg_max compares the indices, too.",
      last ? "the last" : "another", s, offsets_[s], offsets_[s + 1] - 1, shown(even_[s].place), words(wrong));
}

std::optional<explanation> explain_own_input(segments_trial& trial) {
  const std::vector<double> in = trial.own_input();
  const std::vector<unsigned>& offsets = trial.offsets();
  std::vector<double> got, wanted;
  for (const found_in_segment& one : trial.results_of(in)) got.push_back(one.value);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    double largest = no_value;
    for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) largest = std::max(largest, in[i]);
    wanted.push_back(largest);
  }
  return explain_outputs(got, wanted, trial.segments_of_block());
}

std::optional<explanation> explain_for(const problem& p, const segments_maker& make) {
  const std::unique_ptr<segments_trial> trial = make(p);
  if (auto told = inquiry(*trial).explain()) return told;
  return explain_own_input(*trial);
}

}  // namespace

std::optional<explanation> explain_segments(const problem& failed, const segments_maker& make) {
  static const std::string name = "largest_of_segments";
  return explained_by(name, failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_elements);
    if (auto told = explain_for(p, make); told || p.count == failed.count) return told;
    return explain_for(failed, make);
  });
}

}  // namespace chapter15
