#pragma once
/// \file
/// A chapter's program: what it runs and what it wants of the student. `run_chapter` is its main function.

#include <functional>
#include <string>
#include <vector>

#include "workbook/measure.hpp"
#include "workbook/reduction.hpp"
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

struct chapter {
  int number = 0;
  std::string title;
  std::vector<reduction> ladder;  ///< In the order of the table; empty where the chapter is a study.
  std::optional<study> kernels;   ///< Kernels that are no ladder.
  std::vector<column> counts;     ///< A ladder's table on the emulator; empty: adds, conflicts, barriers, instructions.
  goal aim;
  std::string remark;                   ///< Printed under the table; may be empty.
  std::string exercise = "reduce.cuh";  ///< The file that the student edits.
};

/// Runs a chapter's program as docs and `--help` say.
/// \return  0 all that was attempted is verified and clean; 1 a wrong result or a finding; 2 bad usage; 3 a failure of
/// the device
[[nodiscard]] int run_chapter(int argc, char** argv, const chapter& c);

// Counts of the launch that executes the most instructions, for goals and tables. NaN where there are none.
[[nodiscard]] double per_block(const outcome& o, const std::string& counter);
[[nodiscard]] double per_element(const outcome& o, const std::string& counter, std::size_t count);
[[nodiscard]] double total(const outcome& o, const std::string& counter);
[[nodiscard]] double per_warp(const outcome& o, const std::string& counter);

}  // namespace workbook
