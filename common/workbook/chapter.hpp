#pragma once
/// \file
/// A chapter's program: what it runs and what it wants of the student. `run_chapter` is its main function.

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
  std::string exercise_path;            ///< Where that stands; empty where nobody knows.
  std::string exercise_sha256;          ///< Of the exercise that was compiled; empty where none is in the program.
  std::vector<reduction> ladder;        ///< In a chapter of the ladder: what `run_chapter` makes the table's rows from.
  study table;
  goal aim;
  std::string remark;  ///< Printed under the table; may be empty.
};

/// Runs a chapter's program as docs and `--help` say.
/// \return  0 all that was attempted is verified and clean; 1 a wrong result or a finding; 2 bad usage; 3 a failure of
/// the device
[[nodiscard]] int run_chapter(int argc, char** argv, chapter c);

}  // namespace workbook
