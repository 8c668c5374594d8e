#pragma once
/// \file
/// What the races share: whether a run was right, and rounds in which the ways take turns.

#include <string>
#include <vector>

#include "16_many_gpus/large_sum/findings.hpp"
#include "device/buffer.hpp"
#include "workbook/arrays.hpp"
#include "workbook/study.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {

/// Runs `way` once on fresh input, and says what it did wrong beside its sums: words outside its arrays, and what the
/// emulator's checks found. Empty where nothing was. Synchronises. \throws workbook::device_error
[[nodiscard]] inline std::string faults_of_a_run(workbook::experiment& way) {
  workbook::run_once(way);
  const std::string damage = way.damage();
  const std::vector<std::string> found = take_findings();
  return !damage.empty() ? damage : found.empty() ? std::string() : found.front();
}

/// On a GPU, lets all that are right take their times in `repetitions` rounds, after two that do not count.
/// \tparam Runner  has `takes_times()`, `take_times(stop_watch&)` and `forget_times()`
template <typename Runner>
void take_turns(std::vector<Runner>& all, int repetitions) {
  if (!workbook::on_gpu() || repetitions <= 0) return;
  workbook::stop_watch watch;
  constexpr int warm_ups = 2;
  for (int k = -warm_ups; k < repetitions; ++k) {
    for (Runner& one : all) {
      if (!one.takes_times()) continue;
      one.take_times(watch);
      if (k < 0) one.forget_times();
    }
  }
}

}  // namespace chapter16
