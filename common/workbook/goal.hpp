#pragma once
/// \file
/// A chapter's goal: counts that must fall, and how far the student's kernel has brought them.

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workbook/measure.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// What a kernel that has a chapter's idea does not give up for it. Whoever reaches the count in another way does: one
/// thread adds up everything, each element goes to an atomic operation, work moves to where it is not counted.
struct condition {
  std::string metric;                           ///< "load requests"
  std::string cure;                             ///< What to do where it does not hold. A sentence.
  std::function<double(const outcome&)> value;  ///< Of all launches together; NaN: not known, and then it holds.
  /// The most that is allowed, as a multiple of what the reference needs, or the chapter before where that is more.
  double times = 1.5;
  bool beside_previous = true;  ///< Otherwise the reference alone is the measure.
  double at_least = 0;          ///< So much is always allowed.
  /// A kernel with another loop for large shares of the elements shows there only what it needs. What a block does once
  /// has to be little in small shares, too: in large ones everything is.
  bool of_loop = true;
};

/// A count that must fall. The target is what the reference needs, so it holds for every type and block size; another
/// good solution may need a little more.
struct wanted_count {
  std::string metric;  ///< "bank conflicts per block"
  std::function<double(const outcome&)> value;
  /// How much of the way from the chapter before to the reference may be missing, 0 to 1. Proved to be enough, and not
  /// too much, by the second solutions of tests/chapters and by the exercises as they are given.
  double slack = 0.1;
  /// The same count over all launches, where `value` is that of a block, a warp or one launch: an average falls with
  /// every block that has nothing to do, and the count of one launch with all that is left to the next. A kernel whose
  /// `value` is low enough may need half of the way more of it; one that needs no more than `slack` allows reaches the
  /// goal whatever its `value` is, for its blocks may be fewer and larger.
  std::function<double(const outcome&)> of_all = {};
  double at_least = 0;  ///< The target is never lower, though the reference may need less.
  double room = 0;      ///< The target and this much more is always as good.
};

/// What a chapter asks for: every one of its counts must be low enough. They are of different things, so each has its
/// own target, and they are never added up.
struct goal {
  std::string text;                       ///< "no two lanes of a warp meet in a bank"
  std::vector<wanted_count> counts = {};  ///< Empty: to be correct and clean is all.
  std::vector<condition> conditions = {};
  /// Says of a kernel whose count is too large where that comes from: whole sentences. May be empty.
  std::function<std::string(const outcome&)> why = {};
};

/// The goal, evaluated.
struct goal_state {
  /// One of the goal's counts.
  struct counted {
    const wanted_count* of = nullptr;
    double target = NAN, before = NAN, yours = NAN;
    double allowed = NAN;                       ///< The target and its slack.
    double all_allowed = NAN, all_yours = NAN;  ///< Of `wanted_count::of_all`.
    bool low_enough = false;
  };
  std::vector<counted> counts;
  /// A condition, the most that it allows, and what the student's kernel has.
  struct checked {
    const condition* of = nullptr;
    double most = NAN, yours = NAN;
    [[nodiscard]] bool holds() const;
  };
  std::vector<checked> conditions;
  std::string why;                ///< What `goal::why` says, if a count is too large.
  bool right = false;             ///< The sum is, and no check has a finding.
  bool of_a_library = false;      ///< A library's kernel does the work.
  bool one_launch_a_pass = true;  ///< Otherwise some of the work would stand in a launch that is not counted.
  bool judged = true;             ///< On no elements every kernel is right, which shows nothing.
  bool reached = false;
  /// Says whether the kernel may reach the goal with larger shares of the elements.
  [[nodiscard]] bool may_reach_with_more() const;
};

/// What a goal asks of a run, and nothing else: all that is needed of the kernels beside the student's.
struct goal_numbers {
  struct of_count {
    double value = NAN, of_all = NAN;
  };
  std::vector<of_count> counts;    ///< In the goal's order.
  std::vector<double> conditions;  ///< Likewise.
};
[[nodiscard]] goal_numbers numbers_of(const goal& aim, const outcome& o);
/// The kernels beside the student's; nothing where the chapter has none.
struct numbers_beside {
  std::optional<goal_numbers> reference, previous;
};
/// \param yours  null where the table has no kernel of the student's
[[nodiscard]] goal_state evaluate(const goal& aim, const outcome* yours, const numbers_beside& beside);
[[nodiscard]] goal_state evaluate(const goal& aim, const std::vector<outcome>& rows);

/// "Goal: …", and on further lines how far it is.
/// \param untried  the chapter whose strict test has still to try the rest; nothing where it has
[[nodiscard]] std::string goal_text(const goal& aim, const goal_state& g, std::optional<int> untried);
/// A table's column of the goal's first count: "bank conflicts" over "per block". The goal has a count.
[[nodiscard]] column column_of(const goal& aim);
/// The goal as the JSON of a chapter has it.
[[nodiscard]] nlohmann::json goal_json(const goal& aim, const goal_state& g);

/// A counter of the emulator as a count that must fall: by block, by warp or in total, as `average` takes it of the
/// largest launch, and over all launches.
[[nodiscard]] wanted_count count_of(std::string metric, double (*average)(const outcome& o, const std::string& counter),
                                    std::string counter, double slack = wanted_count{}.slack);
/// The same as a goal of one count.
[[nodiscard]] goal goal_of(std::string text, std::string metric,
                           double (*average)(const outcome& o, const std::string& counter), std::string counter,
                           double slack = wanted_count{}.slack);

// Counts of the launch that executes the most instructions, for goals and tables. NaN where there are none.
[[nodiscard]] double per_block(const outcome& o, const std::string& counter);
[[nodiscard]] double per_element(const outcome& o, const std::string& counter);
[[nodiscard]] double total(const outcome& o, const std::string& counter);
[[nodiscard]] double per_warp(const outcome& o, const std::string& counter);
/// How many blocks as busy as the busiest would do the work: those that have nothing to do add nothing.
[[nodiscard]] double busy_blocks(const outcome& o);
/// A counter over all launches. NaN where there are none.
[[nodiscard]] double over_all(const outcome& o, const std::string& counter);

}  // namespace workbook
