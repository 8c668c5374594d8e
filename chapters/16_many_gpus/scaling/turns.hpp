#pragma once
/// \file
/// The parts that all races share: the test of a run's result, and rounds in which all methods run in turn.

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "16_many_gpus/large_sum/findings.hpp"
#include "reductions/buffer.hpp"
#include "workbook/arrays.hpp"
#include "workbook/study.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {

/// A method that takes part in a race.
/// \tparam Row    a class derived from `raced`
/// \tparam Way    a class derived from `workbook::experiment`
/// \tparam Times  the times of one round: its members of type double are microseconds
template <typename Row, typename Way, typename Times>
struct racer {
  Row row;
  std::unique_ptr<Way> way;
  std::vector<Times> times;

  /// Runs the method once on fresh input, and returns true if all is right. Stores what is wrong apart from the sums in
  /// the row: words outside of arrays, or findings of the checks. Synchronises. \throws workbook::device_error
  [[nodiscard]] bool is_right() {
    workbook::run_once(*way);
    const std::string damage = way->damage();
    const std::vector<std::string> found = take_findings();
    row.why_not = !damage.empty() ? damage : found.empty() ? std::string() : found.front();
    return way->error() == 0 && row.why_not.empty();
  }
  /// Prepares the method with `make`, and runs it. If that fails, stores the reason in the row: the message of CUDA or
  /// NCCL, or which GPUs cannot reach each other. \param goes_on  returns true if the race continues in spite of the
  /// exception; otherwise the exception is thrown again
  template <typename Make, typename GoesOn>
  void prepare(const Make& make, const GoesOn& goes_on) {
    try {
      way = make();
      row.took_part = true;
      row.right = is_right();
    } catch (const std::exception& e) {
      way = nullptr;
      row.took_part = false;
      row.why_not = e.what();
      if (!goes_on(e)) throw;
    }
  }
  [[nodiscard]] double median_of(double Times::*which) const {
    std::vector<double> all;
    for (const Times& one : times) all.push_back(one.*which);
    return workbook::median(std::move(all));
  }
};

/// On a GPU, times all methods that are right in `repetitions` rounds, after two rounds that don't count.
/// \param times_of  (racer, stop_watch): returns the times of one round
template <typename Racer, typename TimesOf>
void take_turns(std::vector<Racer>& all, int repetitions, const TimesOf& times_of) {
  if (!workbook::on_gpu() || repetitions <= 0) return;
  workbook::stop_watch watch;
  constexpr int warm_ups = 2;
  for (int k = -warm_ups; k < repetitions; ++k) {
    for (Racer& one : all) {
      if (one.way == nullptr || !one.row.right) continue;
      const auto taken = times_of(one, watch);
      if (k >= 0) one.times.push_back(taken);
    }
  }
}

}  // namespace chapter16
