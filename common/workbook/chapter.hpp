#pragma once
/// \file
/// The description of a chapter's program. `run_chapter` is its main function.

#include <string>
#include <vector>

#include "workbook/goal.hpp"
#include "workbook/reduction.hpp"
#include "workbook/study.hpp"

namespace workbook {

struct chapter {
  int number = 0;
  std::string title;
  std::string exercise = "reduce.cuh";  ///< The file that the student edits.
  std::string exercise_path;            ///< Its path; empty if it is unknown.
  std::string exercise_sha256;          ///< Hash of the exercise that was compiled; empty if the program contains none.
  std::vector<reduction> ladder;        ///< In chapters of the ladder, `run_chapter` makes the table's rows from it.
  study table;
  goal aim;
  std::string remark;  ///< Printed under the table; may be empty.
};

/// Runs a chapter's program as described in the docs and by `--help`.
/// \return  0 if everything that was attempted is verified and clean; 1 after a wrong result or a finding; 2 after bad
/// usage; 3 after a failure of the device
[[nodiscard]] int run_chapter(int argc, char** argv, chapter c);

}  // namespace workbook
