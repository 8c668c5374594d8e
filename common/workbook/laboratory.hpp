#pragma once
/// \file
/// Runs reductions, verifies and counts them, and times them on a GPU. Reductions that run on the same problem share
/// its input.

#include <memory>
#include <vector>

#include "workbook/reduction.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// The name of the student's row until the kernel has been launched.
inline constexpr const char* unnamed_exercise = "your kernel";

/// Makes the rows of a table from reductions.
[[nodiscard]] std::vector<specimen> rows_of(const std::vector<reduction>& ladder);

class shared_input;

/// Runs reductions on one problem. The input stays on the device between runs.
class laboratory {
 public:
  explicit laboratory(const problem& p);
  [[nodiscard]] outcome run(const reduction& rung, const effort& how);
  /// Runs the rung once with the emulator's current options, for benchmarks. Returns true if the sum is right.
  [[nodiscard]] bool launch(const reduction& rung);

 private:
  problem problem_;
  std::shared_ptr<shared_input> input_;
};

}  // namespace workbook
