#pragma once
/// \file
/// What a kernel's time is made of: its ablations, timed in turn in one run.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/rewritten.hpp"
#include "workbook/ablation.hpp"
#include "workbook/study.hpp"
#include "workbook/timer.hpp"

namespace workbook {

/// The times of one kernel on one problem.
struct dissection {
  std::string name;
  problem given;
  std::size_t passes = 0;
  double bytes = 0;                         ///< Of the input.
  std::map<ablation, double> microseconds;  ///< Medians, L2 cold, queued.
  std::map<ablation, std::string> missing;  ///< Why there is no such time.
};

/// Times kernels with parts taken out. While it lives, all launches of the program are of edited kernels.
class dissector {
 public:
  /// \throws device_error, std::logic_error
  dissector();

  /// Times what is left of the kernel in each ablation, in turns. The specimen must be right: this looks at times only.
  /// On the emulator, which has no time, each is run once and no time is set.
  /// \param repetitions  of each
  /// \throws device_error
  [[nodiscard]] dissection take(const specimen& kernel, const problem& given, int repetitions);

 private:
  emulator::rewritten_kernels rewritten_;
  std::optional<stop_watch> watch_;  ///< On a GPU.
};

}  // namespace workbook
