#include "11_launch_bounds/wrong_sums.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter11 {
namespace {

using namespace workbook;

/// A number larger than every index in the trials. Twice this number is exact in a float.
constexpr double marked = 1 << 20;
/// Enough points to show every pattern. More points would take too long to examine.
constexpr std::size_t enough_points = 300;

/// For each term and point: the index in `big` of the element that is added to the marked element of `small`.
class term_map {
 public:
  enum : std::int64_t { not_used = -1, nothing = -2, twice = -3 };
  term_map(unsigned terms, unsigned points) : points_(points), places_(std::size_t{terms} * points, not_used) {}
  std::int64_t& at(std::size_t k, std::size_t i) { return places_[k * points_ + i]; }
  [[nodiscard]] std::int64_t at(std::size_t k, std::size_t i) const { return places_[k * points_ + i]; }

 private:
  std::size_t points_;
  std::vector<std::int64_t> places_;
};

class inquiry {
 public:
  explicit inquiry(sums_trial& trial) : trial_(trial), s_(trial.shape()) {}

  std::optional<explanation> explain() {
    if (s_.points == 0 || s_.terms == 0 || s_.terms * s_.pitch >= static_cast<std::size_t>(marked)) return {};
    std::string cause = cause_of_zeros();
    if (!all_written_) return {};
    if (cause.empty()) cause = cause_of_operation();
    if (cause.empty() && look()) cause = cause_of_terms();
    if (cause.empty() && looked_) cause = cause_of_places();
    if (cause.empty()) cause = cause_of_choice();
    if (cause.empty()) return {};
    return explanation{cause, {}, {}};
  }

 private:
  using values = std::vector<double>;
  [[nodiscard]] values rows_of(double value) const { return values(s_.terms * s_.pitch, value); }
  [[nodiscard]] values terms_of(double value) const { return values(s_.terms, value); }
  [[nodiscard]] element_set points_where(const std::function<bool(std::size_t)>& holds) const {
    return chosen_of(s_.points, holds);
  }

  /// Returns "" for all points, else for example " That is so for points 0 to 27 of 31 (those in whole vectors of 4)."
  [[nodiscard]] std::string for_points(const element_set& set) const;

  [[nodiscard]] std::string cause_of_zeros();
  [[nodiscard]] std::string cause_of_operation();
  /// Fills the map. Returns false if it takes too long.
  bool look();
  [[nodiscard]] std::string cause_of_terms();
  [[nodiscard]] std::string cause_of_lost_terms(const element_set& lost, const element_set& at);
  [[nodiscard]] std::string words_for_kept(const element_set& lost, std::size_t point);
  [[nodiscard]] std::string cause_of_small(const element_set& at) const;
  [[nodiscard]] std::string cause_of_places() const;
  [[nodiscard]] std::string cause_of_pitch() const;
  [[nodiscard]] std::string cause_of_columns(const element_set& at) const;
  [[nodiscard]] std::string cause_of_choice();

  [[nodiscard]] std::int64_t right_place(std::size_t k, std::size_t i) const {
    return static_cast<std::int64_t>(k * s_.pitch + i);
  }
  /// Returns true if these points read from `big` exactly at the indices that `place_of` returns.
  [[nodiscard]] bool reads(const element_set& at,
                           const std::function<std::size_t(std::size_t, std::size_t)>& place_of) const {
    for (std::size_t k = 0; k < s_.terms; ++k)
      for (std::size_t i = 0; i < s_.points; ++i)
        if (at[i] && map_.at(k, i) != static_cast<std::int64_t>(place_of(k, i))) return false;
    return true;
  }

  sums_trial& trial_;
  sums_shape s_;
  term_map map_{s_.terms, s_.points};
  /// For each term: the points whose result depends on the term's row of `big`.
  std::vector<element_set> row_counts_;
  bool looked_ = false, all_written_ = false;
  processor_clock::time_point until_ = processor_clock::now() + std::chrono::milliseconds(600);
};

std::string inquiry::for_points(const element_set& set) const {
  if (all(set)) return {};
  const unsigned w = s_.width;
  const std::size_t whole = s_.points / w * w;
  const std::string words = " That is so for " + words_within(set, "point");
  if (w > 1 && set == points_where([&](std::size_t i) { return i < whole; }))
    return words + fmt::format(" (those in whole vectors of {}).", w);
  if (w > 1 && set == points_where([&](std::size_t i) { return i >= whole; }))
    return words + fmt::format(" (those that fill no vector of {}).", w);
  return words + ".";
}

std::string inquiry::cause_of_zeros() {
  const values out = trial_.outputs_of(rows_of(0), terms_of(0));
  all_written_ = std::none_of(out.begin(), out.end(), [](double x) { return std::isnan(x); });
  const element_set wrong = points_where([&](std::size_t i) { return out[i] != 0; });
  if (!all_written_ || !any(wrong)) return {};
  const std::size_t i = first_of(wrong);
  return fmt::format("Where big and small are all zeros, out[{}] is {}, not 0: something else counts.{}", i,
                     shown(out[i]), for_points(wrong));
}

/// Runs the kernel with 3 in all of `big` and 5 in all of `small`, which shows a wrong operation.
std::string inquiry::cause_of_operation() {
  const values out = trial_.outputs_of(rows_of(3), terms_of(5));
  const element_set wrong = points_where([&](std::size_t i) { return out[i] != 8; });
  if (!any(wrong)) return {};
  const double got = out[first_of(wrong)];
  for (std::size_t i = 0; i < s_.points; ++i)
    if (wrong[i] && out[i] != got) return {};
  const std::string where = for_points(wrong);
  struct operation {
    double result;
    const char* words;
  };
  static constexpr operation all_of_them[] = {{15, "big and small are multiplied, not added"},
                                              {2, "big is subtracted from small, not added to it"},
                                              {3, "small is never added"},
                                              {5, "big is never added"},
                                              {6, "big is added to itself, and small never counts"},
                                              {10, "small is added to itself, and big never counts"},
                                              {11, "big is added twice"},
                                              {13, "small is added twice"}};
  const auto said = [&](const std::string& words) {
    return fmt::format("{}: if all of big is 3 and all of small is 5, out[{}] is {}, not 8.{}", capital(words),
                       first_of(wrong), shown(got), where);
  };
  if (s_.terms > 1 && got == 8.0 * s_.terms)
    return said("the terms' sums are added up, but the largest of them is wanted");
  if (s_.terms == 1 && got == 5) return said("big is never added");
  for (const operation& o : all_of_them)
    if (o.result == got) return said(o.words);
  return {};
}

bool inquiry::look() {
  values rows = rows_of(0);
  for (std::size_t a = 0; a < rows.size(); ++a) rows[a] = static_cast<double>(a + 1);
  row_counts_.assign(s_.terms, element_set(s_.points));
  for (std::size_t k = 0; k < s_.terms; ++k) {
    if (processor_clock::now() > until_) return false;
    values small = terms_of(0), one_row = rows_of(0);
    small[k] = marked;
    const values out = trial_.outputs_of(rows, small);
    for (std::size_t i = 0; i < s_.points; ++i) {
      if (!(out[i] >= marked)) continue;
      map_.at(k, i) = out[i] >= 2 * marked ? std::int64_t{term_map::twice}
                      : out[i] == marked   ? std::int64_t{term_map::nothing}
                                           : static_cast<std::int64_t>(out[i] - marked) - 1;
    }
    std::fill_n(one_row.begin() + static_cast<std::ptrdiff_t>(k * s_.pitch), s_.points, 1.0);
    const values alone = trial_.outputs_of(one_row, terms_of(0));
    for (std::size_t i = 0; i < s_.points; ++i) row_counts_[k][i] = alone[i] == 1;
  }
  looked_ = true;
  return true;
}

std::string inquiry::cause_of_terms() {
  // Only the first group of points that lose the same terms is reported.
  const auto lost_at = [&](std::size_t i) {
    return chosen_of(s_.terms,
                     [&](std::size_t k) { return map_.at(k, i) == term_map::not_used && !row_counts_[k][i]; });
  };
  const auto unused_at = [&](std::size_t i) {
    return chosen_of(s_.terms, [&](std::size_t k) { return map_.at(k, i) == term_map::not_used; });
  };
  const element_set short_of_terms = points_where([&](std::size_t i) { return any(lost_at(i)); });
  if (any(short_of_terms)) {
    const element_set lost = lost_at(first_of(short_of_terms));
    return cause_of_lost_terms(lost, points_where([&](std::size_t i) { return lost_at(i) == lost; }));
  }
  const element_set short_of_small = points_where([&](std::size_t i) { return any(unused_at(i)); });
  return any(short_of_small) ? cause_of_small(short_of_small) : std::string();
}

std::string inquiry::cause_of_lost_terms(const element_set& lost, const element_set& at) {
  const auto count = static_cast<std::size_t>(std::count(lost.begin(), lost.end(), true));
  const std::string where = for_points(at);
  const std::size_t point = first_of(at);
  if (const std::string kept = words_for_kept(lost, point); !kept.empty()) return kept + where;
  if (count == s_.terms) return "No term counts: out is 0 where terms are above 0." + where;
  const std::string words = words_within(lost, "term");
  std::string text = fmt::format("{} never count{}", capital(words), is_plural(lost) ? "" : "s");
  const std::size_t first = first_of(lost);
  const unsigned w = s_.width;
  if (first + count != s_.terms) return text + "." + where;
  if (w > 1 && first == s_.terms / w * w)
    return text + fmt::format(": the last term{}, which fill{} no step of {}, {} left out.{}", count == 1 ? "" : "s",
                              count == 1 ? "s" : "", w, count == 1 ? "is" : "are", where);
  return text + fmt::format(": the loop over the terms ends {} too early.{}",
                            count == 1 ? "one term" : fmt::format("{} terms", count), where);
}

/// Terms that are ignored if they are above 0 may still count if they are below 0. Finds out which ones do.
std::string inquiry::words_for_kept(const element_set& lost, std::size_t point) {
  if (!s_.is_signed) return {};
  const auto count = static_cast<std::size_t>(std::count(lost.begin(), lost.end(), true));
  constexpr double far_below = -1000;
  values rising = rows_of(far_below), falling = rising;
  double before = 0;
  for (std::size_t k = 0; k < s_.terms; ++k) {
    if (!lost[k]) continue;
    const auto row = static_cast<std::ptrdiff_t>(k * s_.pitch);
    std::fill_n(rising.begin() + row, s_.points, before - static_cast<double>(count));
    std::fill_n(falling.begin() + row, s_.points, -before - 1);
    ++before;
  }
  const double up = trial_.outputs_of(rising, terms_of(0))[point];
  const double down = trial_.outputs_of(falling, terms_of(0))[point];
  if ((count > 1 || s_.terms == 1) && up == down && up == -static_cast<double>(count))
    return "The smaller sum is kept, not the larger: terms above 0 never count, and of those below 0 the least does.";
  const bool one_left = count + 1 == s_.terms && up == far_below && down == far_below;
  if (one_left && !lost.back()) return "The last term's sum is kept, not the largest.";
  if (one_left && !lost.front()) return "The first term's sum is kept, not the largest.";
  return {};
}

std::string inquiry::cause_of_small(const element_set& at) const {
  const auto used_where = [&](const std::function<bool(std::size_t, std::size_t)>& rule) {
    for (std::size_t k = 0; k < s_.terms; ++k)
      for (std::size_t i = 0; i < s_.points; ++i)
        if (at[i] && (map_.at(k, i) != term_map::not_used) != rule(k, i)) return false;
    return true;
  };
  const unsigned w = s_.width;
  const std::size_t whole = s_.terms / w * w;
  const std::string where = for_points(at);
  if (used_where([](std::size_t, std::size_t) { return false; }))
    return "small never counts: out is the largest of big alone." + where;
  if (used_where([&](std::size_t k, std::size_t i) { return k == i; }) ||
      used_where([&](std::size_t k, std::size_t i) { return k == i % s_.terms; }))
    return "small[k] counts for point k only: the index of small is the point's, not the term's." + where;
  if (w > 1 && used_where([&](std::size_t k, std::size_t i) { return k >= whole || k % w == i % w; }))
    return fmt::format(
        "The index of small is the point's, not the term's: in a step of {} terms, all of them add the element of "
        "small that has the point's place in its vector.{}",
        w, where);
  const element_set ignored = chosen_of(s_.terms, [&](std::size_t k) {
    for (std::size_t i = 0; i < s_.points; ++i)
      if (at[i] && map_.at(k, i) != term_map::not_used) return false;
    return true;
  });
  if (!any(ignored)) return {};
  const std::string words = words_for(ignored);
  return fmt::format("{} of small never count{}: row {} of big counts, but without that element.{}", capital(words),
                     is_plural(ignored) ? "" : "s", first_of(ignored), where);
}

std::string inquiry::cause_of_places() const {
  const element_set wrong = points_where([&](std::size_t i) {
    for (std::size_t k = 0; k < s_.terms; ++k)
      if (map_.at(k, i) != right_place(k, i)) return true;
    return false;
  });
  if (!any(wrong)) return {};
  if (std::string words = cause_of_pitch(); !words.empty()) return words;
  if (std::string words = cause_of_columns(wrong); !words.empty()) return words;
  const std::string where = for_points(wrong);
  const unsigned w = s_.width;
  if (reads(wrong, [&](std::size_t k, std::size_t i) { return i * s_.terms + k; }))
    return "Rows and columns of big are confused: term k of point p is read at p * terms + k, not at k * pitch + p." +
           where;
  if (w > 1 &&
      reads(wrong, [&](std::size_t k, std::size_t i) { return (k < s_.terms / w * w ? k / w * w : k) * s_.pitch + i; }))
    return fmt::format(
        "The row of big is always a step's first: each of the {} terms of a step adds its element of "
        "small to that same row.{}",
        w, where);
  const std::size_t i = first_of(wrong);
  std::size_t k = 0;
  while (map_.at(k, i) == right_place(k, i)) ++k;
  const std::int64_t place = map_.at(k, i);
  if (place == term_map::twice) return fmt::format("small[{}] is added more than once.{}", k, where);
  if (place < 0) return fmt::format("No element of big is added to small[{}].{}", k, where);
  const std::size_t row = static_cast<std::size_t>(place) / s_.pitch;
  return fmt::format(
      "The wrong element of big is added: with small[{}], point {} takes big[{} * pitch + {}], not "
      "big[{} * pitch + {}].{}",
      k, i, row, static_cast<std::size_t>(place) % s_.pitch, k, i, where);
}

std::string inquiry::cause_of_pitch() const {
  if (s_.terms < 2) return {};
  // A wrong pitch shows in the second row. Points that read it with the right pitch are left out.
  element_set at(s_.points);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < s_.points; ++i) {
    const std::int64_t distance = map_.at(1, i) - map_.at(0, i);
    if (map_.at(0, i) != static_cast<std::int64_t>(i) || distance < 0 ||
        distance == static_cast<std::int64_t>(s_.pitch))
      continue;
    if (taken == 0 && !any(at)) taken = static_cast<std::size_t>(distance);
    at[i] = static_cast<std::size_t>(distance) == taken;
  }
  if (!any(at) || !reads(at, [&](std::size_t k, std::size_t i) { return k * taken + i; })) return {};
  if (taken == 0) return "Every term reads the first row of big: k * pitch is missing." + for_points(at);
  const std::string name = taken == s_.points ? " (points)" : taken == s_.terms ? " (terms)" : "";
  return fmt::format("The pitch is wrong: rows of big are read {} element{}{} apart, but they are {} (pitch) apart.{}",
                     taken, taken == 1 ? "" : "s", name, s_.pitch, for_points(at));
}

std::string inquiry::cause_of_columns(const element_set& at) const {
  const unsigned w = s_.width;
  const std::size_t whole = s_.terms / w * w;
  const std::string where = for_points(at);
  if (w > 1 &&
      reads(at, [&](std::size_t k, std::size_t i) { return k * s_.pitch + (k < whole ? i / w * w + k % w : i); }))
    return fmt::format(
        "The index in the vector of big is the term's, not the point's: in a step of {} terms, all points of a vector "
        "take the element that has the term's place.{}",
        w, where);
  for (std::size_t k = 0; k < s_.terms; ++k)
    for (std::size_t i = 0; i < s_.points; ++i)
      if (at[i] && (map_.at(k, i) < 0 || static_cast<std::size_t>(map_.at(k, i)) / s_.pitch != k)) return {};
  if (w > 1 && reads(at, [&](std::size_t k, std::size_t i) { return k * s_.pitch + i / w * w; }))
    return "All points of a vector take the elements of its first point." + where;
  // The row is right, so find out which point's elements are read.
  std::size_t i = first_of(at), k = 0;
  while (map_.at(k, i) == right_place(k, i)) ++k;
  const std::size_t other = static_cast<std::size_t>(map_.at(k, i)) % s_.pitch;
  if (other >= s_.points) return {};
  return fmt::format(
      "Points use the wrong elements of big, those of a different point: in term {}, out[{}] takes that of point {}.{}",
      k, i, other, where);
}

/// Every term counts if it is the only one, so this finds out which of several terms is kept.
std::string inquiry::cause_of_choice() {
  values rising = rows_of(0), falling = rows_of(0);
  for (std::size_t a = 0; a < rising.size(); ++a) {
    rising[a] = static_cast<double>(a / s_.pitch + 1);
    falling[a] = static_cast<double>(s_.terms - a / s_.pitch);
  }
  const double most = s_.terms;
  const values up = trial_.outputs_of(rising, terms_of(0)), down = trial_.outputs_of(falling, terms_of(0));
  const element_set wrong = points_where([&](std::size_t i) { return up[i] != most || down[i] != most; });
  if (any(wrong) && s_.terms > 1) {
    const std::size_t i = first_of(wrong);
    const std::string where = for_points(wrong);
    if (up[i] == most && down[i] == 1) return "The last term's sum is kept, not the largest." + where;
    if (up[i] == 1 && down[i] == most) return "The first term's sum is kept, not the largest." + where;
    if (up[i] == 1 && down[i] == 1) return "The smallest sum is kept, not the largest." + where;
    return {};
  }
  if (!s_.is_signed) return {};
  const values below = trial_.outputs_of(rows_of(-5), terms_of(0));
  const element_set not_zero = points_where([&](std::size_t i) { return below[i] != 0; });
  if (!any(not_zero)) return {};
  const std::size_t i = first_of(not_zero);
  return fmt::format("Where all sums are negative, out[{}] is {}, not 0: 0 must be among what is compared.{}", i,
                     shown(below[i]), for_points(not_zero));
}

std::optional<explanation> explain_points(const problem& p, const sums_maker& make) {
  const std::unique_ptr<sums_trial> trial = make(p);
  return inquiry(*trial).explain();
}

bool is_wrong(const problem& p, const sums_maker& make) {
  const std::unique_ptr<sums_trial> trial = make(p);
  return explain_outputs(trial->outputs(), trial->wanted(), 0).has_value();
}

}  // namespace

std::optional<explanation> explain_sums(const problem& failed, const sums_maker& make) {
  static const std::string name = "largest_sums";
  auto told = explained_by(name, failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_points);
    if (p.count == failed.count || is_wrong(p, make)) return explain_points(p, make);
    return explain_points(failed, make);
  });
  if (told) return told;
  return explained_by(name, failed.count, [&] {
    const std::unique_ptr<sums_trial> trial = make(failed);
    return explain_outputs(trial->outputs(), trial->wanted(), trial->shape().points_per_block);
  });
}

}  // namespace chapter11
