#pragma once
/// \file
/// A chapter's goal: a count that must fall, and how far the student's kernel has brought it.

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workbook/measure.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// A count that must fall. The target is what the reference needs, so it holds for every type and block size; another
/// good solution may need a little more.
struct goal {
  std::string text;                             ///< "no two lanes of a warp meet in a bank"
  std::string metric;                           ///< "bank conflicts per block"
  std::function<double(const outcome&)> value;  ///< Empty: to be correct and clean is all.
  /// How much of the way from the chapter before to the reference may be missing, 0 to 1. Proved to be enough, and not
  /// too much, by the second solutions of tests/chapters and by the exercises as they are given.
  double slack = 0.1;
};

/// The goal, evaluated.
struct goal_state {
  bool counted = false;
  double target = NAN, before = NAN, yours = NAN;
  double allowed = NAN;           ///< The target and its slack.
  bool one_launch_a_pass = true;  ///< Otherwise some of the work would stand in a launch that is not counted.
  bool judged = true;             ///< On no elements every kernel is right, which shows nothing.
  bool reached = false;
};
[[nodiscard]] goal_state evaluate(const goal& aim, const std::vector<outcome>& rows);

/// "Goal: …", and on further lines how far it is.
/// \param untried  the chapter whose strict test has still to try the rest; nothing where it has
[[nodiscard]] std::string goal_text(const goal& aim, const std::vector<outcome>& rows, std::optional<int> untried);
/// A table's column of the goal's count: "bank conflicts" over "per block". The goal has a count.
[[nodiscard]] column column_of(const goal& aim);
/// The goal as the JSON of a chapter has it.
[[nodiscard]] nlohmann::json goal_json(const goal& aim, const std::vector<outcome>& rows);

// Counts of the launch that executes the most instructions, for goals and tables. NaN where there are none.
[[nodiscard]] double per_block(const outcome& o, const std::string& counter);
[[nodiscard]] double per_element(const outcome& o, const std::string& counter);
[[nodiscard]] double total(const outcome& o, const std::string& counter);
[[nodiscard]] double per_warp(const outcome& o, const std::string& counter);

}  // namespace workbook
