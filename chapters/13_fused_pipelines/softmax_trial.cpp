#include "13_fused_pipelines/softmax_trial.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>

#include "13_fused_pipelines/call_experiment.hpp"
#include "13_fused_pipelines/scores.cuh"
#include "13_fused_pipelines/wrong_softmax.hpp"
#include "workbook/arrays.hpp"
#include "workbook/element.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter13 {
namespace {

using namespace workbook;

/// If a matrix has more rows, only this many to twice as many are compared, evenly spread.
constexpr unsigned rows_compared = 1 << 12;

/// Successive rows have scores around 1000, around -1000 or 2000, around 0, and around 800. If the exponentials of the
/// scores themselves are taken, all rows but the third kind overflow or vanish in every type. In every fifth row, one
/// score is 1000 above the others: if the search for the largest score misses it, its exponential overflows. All scores
/// are exact in every type.
template <typename T>
T score(std::size_t row, std::size_t column, unsigned columns, std::uint64_t seed) {
  constexpr int levels[] = {1000, std::is_signed_v<T> ? -1000 : 2000, 0, 800};
  int level = levels[(row + seed) % std::size(levels)];
  if ((row + seed) % 5 == 0 && mixed(row + mixed(seed + 13)) % columns == column) level += 1000;
  const auto steps = static_cast<int>(mixed(row * columns + column + mixed(seed)) % 4096);  // 0 to just below 16
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(level) + static_cast<T>(steps) / 256;
  else
    return static_cast<T>(level + steps / 256);
}

/// The right probabilities of a row of scores, and the error bound of each.
template <typename T>
struct expected_row {
  using P = probability<T>;
  using wide = std::conditional_t<std::is_same_v<P, float>, double, long double>;

  /// Let u be the unit roundoff and d a score's distance from the largest one. Rounding d changes the exponential by a
  /// relative error of d * u. CUDA's exp is within 2 units in the last place of the right result's float, so within 5
  /// u. So each exponential has a relative error of at most (d + 5) u. The error of their sum is the mean of these,
  /// weighted with the probabilities, plus u for each addition. A division and a product add 2 u. `more` is 5 + 5 + 2,
  /// plus 4 for the products of these.
  expected_row(const T* scores, unsigned columns, std::size_t additions) : value(columns), bound(columns) {
    constexpr double more = 16;
    const wide largest = static_cast<wide>(static_cast<P>(*std::max_element(scores, scores + columns)));
    std::vector<wide> distance(columns), exponential(columns);
    wide sum = 0;
    for (unsigned c = 0; c < columns; ++c) {
      distance[c] = largest - static_cast<wide>(static_cast<P>(scores[c]));
      exponential[c] = std::exp(-distance[c]);
      sum += exponential[c];
    }
    wide mean = 0;
    for (unsigned c = 0; c < columns; ++c) mean += exponential[c] / sum * distance[c];
    constexpr element_type type = std::is_same_v<P, float> ? element_type::float32 : element_type::float64;
    for (unsigned c = 0; c < columns; ++c) {
      value[c] = exponential[c] / sum;
      const double roundings = static_cast<double>(additions) + more + static_cast<double>(distance[c] + mean);
      // The bits of a value below the normal numbers may be lost.
      bound[c] = error_bound(type, static_cast<std::size_t>(roundings) + 1, static_cast<double>(value[c])) +
                 static_cast<double>(std::numeric_limits<P>::min());
    }
  }
  std::vector<wide> value;
  std::vector<double> bound;
};

template <typename T>
class softmax_experiment final : public call_experiment, public softmax_trial {
 public:
  using P = probability<T>;
  using wide = typename expected_row<T>::wide;

  softmax_experiment(const problem& p, const way& w)
      : call_experiment(p, w, elements_of(p.count) * sizeof(P), 2 * sizeof(P) * shape_of_scores(p.count).rows),
        shape_(shape_of_scores(p.count)),
        scores_(elements_of(p.count)),
        in_((p.offset + scores_.size()) * sizeof(T)) {
    for (std::size_t i = 0; i < scores_.size(); ++i)
      scores_[i] = score<T>(i / shape_.columns, i % shape_.columns, shape_.columns, p.seed);
    put(scores_);
    call_.x = first();
    call_.n = scores_.size();
    call_.rows = shape_.rows;
    call_.columns = shape_.columns;
  }
  /// Returns the largest error of all probabilities, as a fraction of its bound.
  [[nodiscard]] double error() override {
    const std::vector<P> got = on_host<P>(out_);
    double worst = 0;
    for (unsigned r = 0; r < shape_.rows; r += shape_.rows / rows_compared + 1) {
      const expected_row<T> expected = row(r);
      for (unsigned c = 0; c < shape_.columns; ++c) worst = std::max(worst, share(got[at(r, c)], expected, c));
    }
    return worst;
  }
  [[nodiscard]] double bound() const override { return 1; }
  [[nodiscard]] bool intact() const override { return call_experiment::intact() && in_.intact(); }
  [[nodiscard]] double bytes() const override { return static_cast<double>(scores_.size() * (sizeof(T) + sizeof(P))); }

  [[nodiscard]] matrix_shape shape() const override { return shape_; }
  [[nodiscard]] bool is_signed() const override { return std::is_signed_v<T>; }
  [[nodiscard]] std::vector<double> outputs_of(const std::vector<double>& scores) override {
    return numbers_for(as_elements<T>(scores));
  }
  [[nodiscard]] std::vector<double> own_outputs() override { return numbers_for(scores_); }
  [[nodiscard]] std::vector<double> wanted(const std::vector<double>& got) const override {
    std::vector<double> all(got.size());
    for (unsigned r = 0; r < shape_.rows; ++r) {
      const expected_row<T> expected = row(r);
      for (unsigned c = 0; c < shape_.columns; ++c) {
        const double one = got[at(r, c)];
        all[at(r, c)] = share(one, expected, c) <= 1 ? one : static_cast<double>(expected.value[c]);
      }
    }
    return all;
  }

 private:
  static std::size_t elements_of(std::size_t count) {
    const matrix_shape s = shape_of_scores(count);
    return std::size_t{s.rows} * s.columns;
  }
  [[nodiscard]] T* first() const {
    return in_.data() == nullptr ? nullptr : static_cast<T*>(in_.data()) + given_.offset;
  }
  [[nodiscard]] std::size_t at(unsigned r, unsigned c) const { return std::size_t{r} * shape_.columns + c; }
  [[nodiscard]] expected_row<T> row(unsigned r) const {
    return {scores_.data() + at(r, 0), shape_.columns, depth_for(shape_.columns)};
  }
  /// Returns infinity for a value whose error exceeds the bound, or for NaN.
  static double share(wide got, const expected_row<T>& expected, unsigned c) {
    const auto off = static_cast<double>(std::fabs(got - expected.value[c]));
    return off <= expected.bound[c] ? off / expected.bound[c] : HUGE_VAL;
  }
  void put(const std::vector<T>& scores) {
    if (!scores.empty()) check(cudaMemcpy(first(), scores.data(), scores.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] std::vector<double> numbers_for(const std::vector<T>& scores) {
    put(scores);
    run_once(*this);
    return as_numbers(on_host<P>(out_));
  }

  matrix_shape shape_;
  std::vector<T> scores_;
  guarded in_;
};

}  // namespace

matrix_shape shape_of_scores(std::size_t n) {
  constexpr unsigned usual = 1024;
  if (n % usual == 0) return {static_cast<unsigned>(n / usual), usual};
  // With many elements, no row is short: there is one block per row, and a grid's number of blocks is limited.
  const std::size_t least = n < max_columns ? 1 : 64, most = std::min<std::size_t>(n, max_columns);
  const auto columns = static_cast<unsigned>(least + mixed(n) % (most - least + 1));
  return {static_cast<unsigned>(n / columns), columns};
}

specimen softmax_row(const std::string& heading, const way& w) {
  const softmax_maker make = prepared_as<softmax_experiment, softmax_trial>(w);
  return {.name = w.name,
          .as = w.as,
          .attempted = w.attempted,
          .group = heading,
          .rejects = [w](const problem& p) { return rejection(p, w); },
          .prepare = prepared_as<softmax_experiment>(w),
          .explain = [make](const problem& failed) { return explain_softmax(failed, make); }};
}

}  // namespace chapter13
