#include "13_fused_pipelines/wrong_distance.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter13 {
namespace {

using namespace workbook;
using values = std::vector<double>;

/// Elements that show every pattern; more take long to look at.
constexpr std::size_t enough_elements = 300;
/// What stands in the output before: no sum of a trial.
constexpr double left_before = 100'003;

/// What one element of x and one of y come to, the others being 0: of 3 and 0, 0 and 3, 3 and 3, 5 and 3.
struct signature {
  double x_alone, y_alone, equal, both;
  bool operator==(const signature&) const = default;
};
constexpr signature right{9, 9, 0, 4};
constexpr signature squares_added{9, 9, 18, 34};

struct reading {
  signature of;
  const char* one;      ///< What happens to an element.
  const char* several;  ///< To elements.
};

constexpr reading readings[] = {
    {{0, 0, 0, 0}, "never reaches the sum", "never reach the sum"},
    {{9, 0, 9, 25}, "is squared without y: x^2, not (x - y)^2", "are squared without y: x^2, not (x - y)^2"},
    {{0, 9, 9, 9}, "is squared without x: y^2, not (x - y)^2", "are squared without x: y^2, not (x - y)^2"},
    {{9, 9, 36, 64}, "is added as (x + y)^2, not (x - y)^2", "are added as (x + y)^2, not (x - y)^2"},
    {{9, -9, 0, 16}, "is added as x^2 - y^2, not (x - y)^2", "are added as x^2 - y^2, not (x - y)^2"},
    {{3, -3, 0, 2}, "is not squared: x - y itself is added", "are not squared: x - y itself is added"},
    {{-3, 3, 0, -2}, "is not squared: y - x itself is added", "are not squared: y - x itself is added"},
    {{3, 3, 0, 2},
     "is not squared: the distance of x and y itself is added",
     "are not squared: the distance of x and y itself is added"},
    {{3, 0, 3, 5},
     "is added as x itself: y is not subtracted, and nothing squared",
     "are added as x itself: y is not subtracted, and nothing squared"},
    {{0, 0, 9, 15}, "is added as x * y, not (x - y)^2", "are added as x * y, not (x - y)^2"},
    {{-9, -9, 0, -4}, "is subtracted from the sum, not added", "are subtracted from the sum, not added"},
    {{27, -27, 0, 8}, "is cubed, not squared: (x - y)^3 is added", "are cubed, not squared: (x - y)^3 is added"},
    {{81, 81, 0, 16}, "is squared twice: (x - y)^4 is added", "are squared twice: (x - y)^4 is added"},
    {{6, -6, 0, 4}, "is doubled, not squared: 2 * (x - y) is added", "are doubled, not squared: 2 * (x - y) is added"},
    {{9, 0, 0, 4}, "counts only where x is larger than y", "count only where x is larger than y"},
    {{0, 9, 0, 0}, "counts only where y is larger than x", "count only where y is larger than x"},
};

std::string value_text(double v) {
  return fmt::format("{:.17g}", v);
}

class inquiry {
 public:
  inquiry(distance_trial& trial, bool aligned_is_right)
      : trial_(trial), n_(trial.given().count), aligned_is_right_(aligned_is_right) {}

  std::optional<explanation> explain() {
    explanation e;
    e.cause = cause_of_output();
    if (e.cause.empty() && n_ != 0) e.cause = cause_of_elements(e.example);
    if (e.cause.empty() && n_ != 0) e.cause = cause_of_values(e.example);
    if (e.cause.empty()) return {};
    if (aligned_is_right_) e.cause = condition() + e.cause;
    return e;
  }

 private:
  [[nodiscard]] values zeros() const { return values(n_, 0); }
  double sum(const values& x, const values& y) { return trial_.sum(x, y, left_before); }
  /// As if all others were 0. Nothing that the zeros bring: that was looked at before.
  double of_one(std::size_t i, double x, double y) {
    values a = zeros(), b = zeros();
    a[i] = x;
    b[i] = y;
    return sum(a, b);
  }
  signature signature_of(std::size_t i) { return {of_one(i, 3, 0), of_one(i, 0, 3), of_one(i, 3, 3), of_one(i, 5, 3)}; }

  [[nodiscard]] std::string condition() const;
  [[nodiscard]] std::string cause_of_output();
  [[nodiscard]] std::string cause_of_elements(std::string& example);
  /// The first of the elements in the order of their kinds of wrong, and those that are wrong in the same way.
  [[nodiscard]] std::optional<element_set> wrong_elements();
  [[nodiscard]] std::string cause_of_pairs(std::size_t i);
  [[nodiscard]] std::string cause_of_values(std::string& example);
  [[nodiscard]] std::string place_of(const element_set& set) const;

  distance_trial& trial_;
  std::size_t n_;
  bool aligned_is_right_;
  processor_clock::time_point until_ = processor_clock::now() + std::chrono::milliseconds(600);
};

std::string inquiry::condition() const {
  const array_starts s = trial_.starts();
  if (s.x == s.y) return fmt::format("Where x and y begin {} elements behind a multiple of 16 bytes: ", s.x);
  return fmt::format("Where {} begins {} element{} behind a multiple of 16 bytes, and {} at one: ",
                     s.x != 0 ? "x" : "y", s.x + s.y, s.x + s.y == 1 ? "" : "s", s.x != 0 ? "y" : "x");
}

std::string inquiry::cause_of_output() {
  const double nothing = sum(zeros(), zeros());
  if (nothing == 0) return {};
  const double ones = sum(values(n_, 1), zeros());
  const double all_of_them = static_cast<double>(n_);
  if (nothing == left_before && ones == left_before) return "Nothing is written to *out: it stays as it was.";
  if (nothing == left_before && n_ != 0 && ones == left_before + all_of_them)
    return "The sum is added to what stood in *out before: *out must be overwritten, or begin with 0.";
  return fmt::format("Where x and y are all zeros, the sum is {}, not 0: something that is no element is added.",
                     shown(nothing));
}

std::optional<element_set> inquiry::wrong_elements() {
  // None is its own square, nor is its double.
  const auto weight = [](std::size_t i) { return static_cast<double>(3 + mixed(i + 0x51ed) % 7); };
  // The parts of x and y in the weight, and what the difference of both is.
  struct parts {
    double x, y;
  };
  for (const parts of : {parts{1, 0}, parts{0, 1}, parts{1, 1}, parts{2, 1}}) {
    const auto is_right = [&](std::size_t begin, std::size_t end) {
      values x = zeros(), y = zeros();
      double wanted = 0;
      for (std::size_t i = begin; i < end; ++i) {
        x[i] = of.x * weight(i);
        y[i] = of.y * weight(i);
        wanted += (x[i] - y[i]) * (x[i] - y[i]);
      }
      return sum(x, y) == wanted;
    };
    const auto odd = places_not_right(n_, is_right, until_);
    if (!odd || any(*odd)) return odd;
  }
  return element_set(n_);
}

/// "Elements 0 to 27 of 31 (those in whole vectors of 4)".
std::string inquiry::place_of(const element_set& set) const {
  const std::size_t width = with_type(trial_.given().type, [](auto* tag) { return 16 / sizeof(*tag); });
  const array_starts s = trial_.starts();
  const std::size_t head = std::min(n_, (width - s.x % width) % width);
  const std::size_t end = head + (n_ - head) / width * width;
  std::string text = words_for(set);
  if (all(set)) return n_ == 1 ? text : "all elements";
  text = words_within(set, "element");
  const auto is = [&](const std::function<bool(std::size_t)>& rule) { return set == chosen_of(n_, rule); };
  if (s.x % width == s.y % width) {
    if (is([&](std::size_t i) { return i >= end; }))
      return text + fmt::format(" (the last, which fill{} no vector of {})", n_ - end == 1 ? "s" : "", width);
    if (is([&](std::size_t i) { return i >= head && i < end; }))
      return text + fmt::format(" (those in whole vectors of {})", width);
    if (is([&](std::size_t i) { return i < head || i >= end; }))
      return text + fmt::format(" (those in no whole vector of {})", width);
    if (head != 0 && is([&](std::size_t i) { return i < head; }))
      return text + " (those in front of the first multiple of 16 bytes)";
  }
  return text;
}

std::string inquiry::cause_of_elements(std::string& example) {
  const std::optional<element_set> odd = wrong_elements();
  if (!odd || !any(*odd)) return {};
  const std::size_t i = first_of(*odd);
  const signature is = signature_of(i);
  if (is == squares_added) return cause_of_pairs(i);
  element_set alike(n_);
  for (std::size_t k = 0; k < n_; ++k) {
    if (processor_clock::now() > until_) return {};
    alike[k] = (*odd)[k] && signature_of(k) == is;
  }
  const std::string place = place_of(alike);
  const bool several = n_ > 1 && is_plural(alike);
  if (is.x_alone != right.x_alone)
    example = fmt::format("With x[{}] = 3 and zeros everywhere else the sum is {}, not 9.", i, shown(is.x_alone));
  else
    example =
        fmt::format("With x[{}] = 5, y[{}] = 3 and zeros everywhere else the sum is {}, not 4.", i, i, shown(is.both));
  for (const reading& r : readings)
    if (r.of == is) return fmt::format("{} {}.", as_subject(place, alike), several ? r.several : r.one);
  const double times = is.both / right.both;
  if (is == signature{9 * times, 9 * times, 0, 4 * times})
    return fmt::format("{} {} counted {}.", as_subject(place, alike), several ? "are" : "is",
                       times == 2 ? "twice" : fmt::format("{} times", shown(times)));
  return fmt::format("{} {} not added as (x - y)^2.", as_subject(place, alike), several ? "are" : "is");
}

/// x[i] and y[i] are squared, but not their difference.
std::string inquiry::cause_of_pairs(std::size_t i) {
  if (sum(values(n_, 3), values(n_, 3)) == 18.0 * static_cast<double>(n_))
    return "x and y are squared and added one by one: x^2 + y^2, not (x - y)^2.";
  for (std::size_t j = 0; j < n_; ++j) {
    if (processor_clock::now() > until_) break;
    values x = zeros(), y = zeros();
    x[i] = 3;
    y[j] = 3;
    if (sum(x, y) == 0)
      return fmt::format("Elements of x and y are paired wrongly: y[{}] is subtracted from x[{}], not y[{}].", j, i, i);
  }
  return fmt::format("The difference of x[{}] and y[{}] is not what is squared: each is squared by itself.", i, i);
}

/// Small whole numbers come through: what about values that need the whole type?
std::string inquiry::cause_of_values(std::string& example) {
  struct probe {
    double x, y;
    const char* words;
  };
  std::vector<probe> probes;
  switch (trial_.given().type) {
    case element_type::int64:
      probes = {{1048577, 0, "a long long is cut to 32 bits, or rounded: a variable on its way is narrower"},
                {-1048577, 3, "a negative long long is changed: a variable on its way is narrower, or unsigned"}};
      break;
    case element_type::uint32:
      probes = {{2, 5, "a difference below 0 is changed: a variable on its way is wider than unsigned, or signed"},
                {4097, 0, "a square is rounded: a variable on its way is a float, or narrower"}};
      break;
    case element_type::int32:
      probes = {{4097, 0, "a square is rounded: a variable on its way is a float, or narrower"},
                {-4097, 2, "the square of a negative difference is changed: a variable on its way is no int"}};
      break;
    case element_type::float64:
      probes = {{0.5, 0, "a fraction is cut off: a variable on its way is an integer"},
                {1.00000095367431640625, 0, "a double is rounded: a variable on its way is a float"},
                {1e30, 0, "a large double is changed: a variable on its way is a float"}};
      break;
    default:
      probes = {{0.5, 0, "a fraction is cut off: a variable on its way is an integer"},
                {1.0009765625, 0, "a float is rounded: a variable on its way is narrower"}};
      break;
  }
  for (const probe& one : probes) {
    const double wanted = (one.x - one.y) * (one.x - one.y);
    const double got = of_one(n_ - 1, one.x, one.y);
    if (got == wanted) continue;
    example = fmt::format("With x[{}] = {}, y[{}] = {} and zeros everywhere else the sum is {}, not {}.", n_ - 1,
                          value_text(one.x), n_ - 1, value_text(one.y), value_text(got), value_text(wanted));
    return fmt::format("Small whole numbers come out right, but {}.", one.words);
  }
  return {};
}

/// Says whether the sum of values that tell elements apart is wrong.
bool is_wrong(const problem& p, const distance_maker& make) {
  const std::unique_ptr<distance_trial> trial = make(p);
  values x(p.count), y(p.count);
  double wanted = 0;
  for (std::size_t i = 0; i < p.count; ++i) {
    x[i] = static_cast<double>(mixed(i + 0x51ed) % 8);
    y[i] = static_cast<double>(mixed(i + 0xde15) % 8);
    wanted += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return trial->sum(x, y, left_before) != wanted;
}

}  // namespace

std::optional<explanation> explain_distance(const problem& failed, const distance_maker& make) {
  // Sums of more squares of small numbers are not exact in a float.
  if (failed.count > (std::size_t{1} << 17)) return {};
  return explained_by("distance", failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_elements);
    if (p.count != failed.count && !is_wrong(p, make)) p.count = failed.count;
    problem aligned = p;
    aligned.offset = 0;
    const bool aligned_is_right = p.offset != 0 && !is_wrong(aligned, make);
    const std::unique_ptr<distance_trial> trial = make(p);
    return inquiry(*trial, aligned_is_right).explain();
  });
}

}  // namespace chapter13
