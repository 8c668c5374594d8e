#include "13_fused_pipelines/wrong_softmax.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter13 {
namespace {

using namespace workbook;
using values = std::vector<double>;

/// Enough for several rows, each longer than a block of 256 threads. More elements would take too long to examine.
constexpr std::size_t enough_elements = 1030;
/// A score whose exponential is infinite in every type. The exponential of its negative is 0.
constexpr double large = 1000;
/// A score whose exponential is an ordinary number in every type, like that of its negative.
constexpr double moderate = 30;

/// Returns true if two probabilities are roughly equal. A mistake causes larger differences than rounding does.
bool is_about(double got, double wanted) {
  return std::fabs(got - wanted) <= 1e-3 * wanted + 1e-9;
}

class inquiry {
 public:
  explicit inquiry(softmax_trial& trial) : trial_(trial), rows_(trial.shape().rows), columns_(trial.shape().columns) {}

  std::optional<explanation> explain() {
    if (rows_ == 0) return {};
    even_ = trial_.outputs_of(values(rows_ * columns_, 0));
    explanation e;
    for (const auto cause : {&inquiry::cause_of_silence, &inquiry::cause_of_scale, &inquiry::cause_of_overflow,
                             &inquiry::cause_of_start, &inquiry::cause_of_rows, &inquiry::cause_of_columns}) {
      e.cause = (this->*cause)();
      if (!e.cause.empty()) return e;
    }
    const values got = trial_.own_outputs();
    return explain_outputs(got, trial_.wanted(got), columns_);
  }

 private:
  [[nodiscard]] std::string cause_of_silence();
  [[nodiscard]] std::string cause_of_scale();
  [[nodiscard]] std::string cause_of_overflow();
  [[nodiscard]] std::string cause_of_start();
  [[nodiscard]] std::string cause_of_rows();
  [[nodiscard]] std::string cause_of_columns();
  /// Returns true if each probability is 1 / columns, as it is for equal scores.
  [[nodiscard]] bool is_even(const values& got) const {
    return !any(chosen_of(got.size(), [&](std::size_t k) { return !is_about(got[k], even()); }));
  }
  [[nodiscard]] double even() const { return 1.0 / static_cast<double>(columns_); }
  /// Returns the outputs for rows with the same scores, `score(column)`.
  [[nodiscard]] values with_columns(const std::function<double(std::size_t)>& score) {
    values scores(rows_ * columns_);
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = score(k % columns_);
    return trial_.outputs_of(scores);
  }
  [[nodiscard]] bool is_as(const std::function<double(std::size_t)>& score,
                           const std::function<double(std::size_t)>& wanted) {
    const values got = with_columns(score);
    return !any(chosen_of(got.size(), [&](std::size_t k) { return !is_about(got[k], wanted(k % columns_)); }));
  }

  softmax_trial& trial_;
  std::size_t rows_, columns_;
  values even_;
  processor_clock::time_point until_ = processor_clock::now() + std::chrono::milliseconds(2000);
};

std::string inquiry::cause_of_silence() {
  const element_set silent = chosen_of(even_.size(), [&](std::size_t k) { return std::isnan(even_[k]); });
  if (!any(silent)) return {};
  const outputs_text text = text_for_outputs(silent, columns_);
  return fmt::format("{}{} {} never written: out[{}] is as it was before the launch.", capital(text.text),
                     text.ends_in_clause ? "," : "", text.is_plural ? "are" : "is", first_of(silent));
}

std::string inquiry::cause_of_scale() {
  if (columns_ < 2 || !is_about(even_.front(), 1)) return {};
  return fmt::format(
      "The exponentials are written as they are: nothing divides them by the sum of their row. With the same score in "
      "all {} columns, each output is {}, not {}.",
      columns_, shown(even_.front()), shown(even()));
}

std::string inquiry::cause_of_overflow() {
  if (!is_even(even_) || is_even(trial_.outputs_of(values(rows_ * columns_, large)))) return {};
  return fmt::format(
      "Large scores go wrong: with {0} in every column, the outputs are not {1}, as they are with 0. The largest score "
      "of the row has to be subtracted first, for e^{0} is infinite in a float.",
      shown(large), shown(even()));
}

std::string inquiry::cause_of_start() {
  if (!trial_.is_signed() || !is_even(even_) || is_even(trial_.outputs_of(values(rows_ * columns_, -large)))) return {};
  return fmt::format(
      "Low scores go wrong: with {0} in every column, the outputs are not {1}, as they are with 0. The search for the "
      "largest score has to begin below every score, with the identity of the maximum. A search that begins with 0 "
      "finds 0, and e^{0} is 0 in a float.",
      shown(-large), shown(even()));
}

/// Makes the rows alternately large and 0, to find out what a row takes from other rows.
std::string inquiry::cause_of_rows() {
  if (rows_ < 2 || !is_even(even_)) return {};
  values scores(rows_ * columns_, 0);
  for (std::size_t k = 0; k < scores.size(); ++k)
    if (k / columns_ % 2 == 1) scores[k] = large;
  const values got = trial_.outputs_of(scores);
  const element_set wrong = chosen_of(got.size(), [&](std::size_t k) { return !is_about(got[k], even()); });
  if (!any(wrong)) return {};
  return fmt::format(
      "Rows get into each other: with {} in all columns of every second row and 0 in the others, each output should be "
      "{}, and out[{}], in row {}, is {}. It uses a value of a different row: that row's largest score or its sum.",
      shown(large), shown(even()), first_of(wrong), first_of(wrong) / columns_,
      std::isinf(got[first_of(wrong)]) ? "no number" : shown(got[first_of(wrong)], even()));
}

/// Finds the columns that are ignored.
std::string inquiry::cause_of_columns() {
  // With equal scores, an ignored column is missing from the sum. Rising or falling scores are largest at an end.
  const auto is_right = [&](std::size_t begin, std::size_t end) {
    const double share = 1 / static_cast<double>(end - begin);
    return is_as([&](std::size_t c) { return c >= begin && c < end ? large : 0; },
                 [&](std::size_t c) { return c >= begin && c < end ? share : 0; }) &&
           is_as([&](std::size_t c) { return c >= begin && c < end ? large * static_cast<double>(c - begin + 1) : 0; },
                 [&](std::size_t c) { return c + 1 == end ? 1 : 0; }) &&
           is_as([&](std::size_t c) { return c >= begin && c < end ? large * static_cast<double>(end - c) : 0; },
                 [&](std::size_t c) { return c == begin ? 1 : 0; });
  };
  const auto lost = places_not_right(columns_, is_right, until_);
  if (!lost || !any(*lost)) return {};
  const std::size_t c = first_of(*lost);
  // Missing a column in the search for the largest score does no harm unless something overflows.
  const double with_moderate = with_columns([&](std::size_t k) { return k == c ? moderate : 0; })[c];
  const bool of_largest = is_about(with_moderate, 1);
  return fmt::format("{} never count{} {}. With {} in column {} and 0 in the others, out[{}] should be 1, and is {}.",
                     as_subject(all(*lost) ? std::string("all columns") : words_within(*lost, "column"), *lost),
                     is_plural(*lost) ? "" : "s", of_largest ? "for the largest score" : "in the sum",
                     shown(of_largest ? large : moderate), c, c, of_largest ? "no number" : shown(with_moderate, 1));
}

}  // namespace

std::optional<explanation> explain_softmax(const problem& failed, const softmax_maker& make) {
  return explained_by("softmax", failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_elements);
    if (auto told = inquiry(*make(p)).explain(); told || p.count == failed.count) return told;
    return inquiry(*make(failed)).explain();
  });
}

}  // namespace chapter13
