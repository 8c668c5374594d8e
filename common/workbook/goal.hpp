#pragma once
/// \file
/// A chapter's goal: the counts that the student's kernel has to reduce, and how far it has reduced them.

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workbook/measure.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// A limit that a kernel with the chapter's idea doesn't exceed. It catches kernels that reach the goal's count by
/// other means: one thread adds up everything, each element causes an atomic operation, or work is moved to where it
/// isn't counted.
struct condition {
  std::string metric;                           ///< "load requests"
  std::string cure;                             ///< A sentence about what to do if the limit is exceeded.
  std::function<double(const outcome&)> value;  ///< Over all launches. NaN means that it
                                                ///< is unknown; then the condition is met.
  /// The limit, as a multiple of the reference's value, or of the previous chapter's value if that is larger.
  double times = 1.5;
  bool beside_previous = true;  ///< If false, only the reference matters for the limit.
  double at_least = 0;          ///< The limit is never lower than this.
  /// A kernel may have a special loop for large shares of the elements, whose cost per element shows only with large
  /// shares. If false, the condition is about work that a block does once. That must be small with small shares,
  /// because it is always small per element with large ones.
  bool of_loop = true;
};

/// A count that must be reduced. The target is the reference's own count, so it adapts to every type and block size.
/// Other good solutions may need a little more.
struct wanted_count {
  std::string metric;  ///< "bank conflicts per block"
  std::function<double(const outcome&)> value;
  /// The fraction of the improvement, from the previous chapter's kernel to the reference, that may be missing: 0 to 1.
  /// Two sets of tests confirm the value: the second solutions in tests/chapters must pass, and the unsolved exercises
  /// must fail.
  double slack = 0.1;
  /// The same count, summed over all launches. `value` is per block, per warp or for one launch. The sum is needed
  /// because idle blocks reduce an average, and because the count of one launch falls if work is left to the next one.
  /// If `value` is low enough, half of the improvement may be missing in the sum. If no more than `slack` is missing in
  /// the sum, the goal is reached whatever `value` is, because there may be fewer and larger blocks.
  std::function<double(const outcome&)> of_all = {};
  double at_least = 0;  ///< The target is never lower than this, even if the reference needs less.
  double room = 0;      ///< Counts that exceed the target by at most this are always good enough.
};

/// The goal of a chapter: all of its counts must be low enough. The counts measure different things, so each has its
/// own target, and they are never added.
struct goal {
  std::string text;                       ///< "no two lanes of a warp use the same bank"
  std::vector<wanted_count> counts = {};  ///< If empty, a correct and clean kernel reaches the goal.
  std::vector<condition> conditions = {};
  /// Returns why a count of the kernel is too large, in whole sentences. May be empty.
  std::function<std::string(const outcome&)> why = {};
};

/// The result of evaluating a goal.
struct goal_state {
  /// The state of one of the goal's counts.
  struct counted {
    const wanted_count* of = nullptr;
    double target = NAN, before = NAN, yours = NAN;
    double allowed = NAN;                       ///< The target plus its slack.
    double all_allowed = NAN, all_yours = NAN;  ///< For `wanted_count::of_all`.
    bool low_enough = false;
  };
  std::vector<counted> counts;
  /// The state of a condition: its limit, and the student's value.
  struct checked {
    const condition* of = nullptr;
    double most = NAN, yours = NAN;
    [[nodiscard]] bool holds() const;
  };
  std::vector<checked> conditions;
  std::string why;                ///< The result of `goal::why`, if a count is too large.
  bool right = false;             ///< The sum is right, and there are no findings.
  bool of_a_library = false;      ///< A library's kernel does the work.
  bool one_launch_a_pass = true;  ///< If false, some of the work may be in a launch that isn't counted.
  bool judged = true;             ///< False for an empty input, for which every kernel is right.
  bool reached = false;
  /// Returns true if the kernel may reach the goal when each thread has more elements.
  [[nodiscard]] bool may_reach_with_more() const;
};

/// The numbers of one run that a goal needs. For kernels other than the student's, nothing else is needed.
struct goal_numbers {
  struct of_count {
    double value = NAN, of_all = NAN;
  };
  std::vector<of_count> counts;    ///< In the goal's order.
  std::vector<double> conditions;  ///< Also in the goal's order.
};
[[nodiscard]] goal_numbers numbers_of(const goal& aim, const outcome& o);
/// The numbers of the other kernels; empty if the chapter has no such kernel.
struct numbers_beside {
  std::optional<goal_numbers> reference, previous;
};
/// \param yours  null if the table doesn't contain the student's kernel
[[nodiscard]] goal_state evaluate(const goal& aim, const outcome* yours, const numbers_beside& beside);
[[nodiscard]] goal_state evaluate(const goal& aim, const std::vector<outcome>& rows);

/// Returns "Goal: …", followed by lines about the progress towards it.
/// \param untried  the chapter whose strict test must still check the rest; empty if it has been checked
[[nodiscard]] std::string goal_text(const goal& aim, const goal_state& g, std::optional<int> untried);
/// Returns a table column for the goal's first count: "bank conflicts" over "per block". The goal must have a count.
[[nodiscard]] column column_of(const goal& aim);
/// Returns the goal's part of a chapter's JSON.
[[nodiscard]] nlohmann::json goal_json(const goal& aim, const goal_state& g);

/// Makes a goal's count from a counter of the emulator. `average` returns its value in the largest launch (per block,
/// per warp or in total). The counter is also summed over all launches.
[[nodiscard]] wanted_count count_of(std::string metric, double (*average)(const outcome& o, const std::string& counter),
                                    std::string counter, double slack = wanted_count{}.slack);
/// Returns a goal with that single count.
[[nodiscard]] goal goal_of(std::string text, std::string metric,
                           double (*average)(const outcome& o, const std::string& counter), std::string counter,
                           double slack = wanted_count{}.slack);

// Counts of the launch that executes the most instructions, for goals and tables. NaN without launches.
[[nodiscard]] double per_block(const outcome& o, const std::string& counter);
[[nodiscard]] double per_element(const outcome& o, const std::string& counter);
[[nodiscard]] double total(const outcome& o, const std::string& counter);
[[nodiscard]] double per_warp(const outcome& o, const std::string& counter);
/// Returns how many blocks would be enough if all were as busy as the busiest one. Idle blocks don't count.
[[nodiscard]] double busy_blocks(const outcome& o);
/// Returns a counter's sum over all launches. NaN without launches.
[[nodiscard]] double over_all(const outcome& o, const std::string& counter);

}  // namespace workbook
