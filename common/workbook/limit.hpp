#pragma once
/// \file
/// Explains what limits a kernel's time (`--limit`): the ablations of the kernel are timed in turn, in the same run.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/rewritten.hpp"
#include "workbook/ablation.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/study.hpp"
#include "workbook/timer.hpp"

namespace workbook {

/// The times of one kernel on one problem.
struct ablation_study {
  std::string name;
  problem given;
  std::size_t passes = 0;
  double bytes = 0;        ///< Size of the input.
  bool conflicts = false;  ///< True if there are bank conflicts in shared memory, as counted on the emulator.
  std::map<ablation, double> microseconds;  ///< Medians, L2 cold, queued.
  bool queued = true;                       ///< True if every timed run was queued after other work.
  std::map<ablation, std::string> missing;  ///< The reasons for missing times.
};

/// The causes that may dominate a kernel's time.
enum class cause { launches, block_starts, memory_bandwidth, latency, instructions, loads, barriers, conflicts };

/// Returns its name in lessons and records: "block starts".
[[nodiscard]] std::string_view name_of(cause what);

/// One or several causes, and the time of an experiment with only these, as a share of the full kernel's time.
struct experiment_share {
  std::vector<cause> causes;
  double share = 0;
};

/// Returns all experiments in the order in which the rule in docs/pages/limits.md considers them.
[[nodiscard]] std::vector<experiment_share> shares_of(const ablation_study& d, const ceilings& limits);
/// Causes limit the kernel if they alone take at least this share of the full time.
inline constexpr double limiting_share = 0.9;
/// Returns what limits a kernel: the smallest set of causes whose experiment still takes at least `limiting_share` of
/// the time. Experiments are ranked in groups, and within a group the largest share wins. Returns no causes if no
/// experiment with one or two causes takes that much.
[[nodiscard]] experiment_share limit_of(const ablation_study& d, const ceilings& limits);
/// Returns the limit as text: "block starts", "loads and barriers", or "not known".
[[nodiscard]] std::string words_for(const experiment_share& limit);

/// Returns the output of `--limit`: the experiments with their times, the limit, and what would remove it.
[[nodiscard]] std::string limit_text(const ablation_study& d, const ceilings& limits);

/// Returns a row as in `plots/data/ablations_h200.json`: times in microseconds by ablation, and the limit with its
/// share.
[[nodiscard]] nlohmann::json as_json(const ablation_study& d, const ceilings& limits);

/// Runs the kernel on the emulator with all checks, on fewer elements. Restores the device that was selected.
[[nodiscard]] outcome count_on_emulator(const specimen& kernel, problem given);
/// Returns true if a run of `count_on_emulator` had bank conflicts in shared memory.
[[nodiscard]] bool has_conflicts(const outcome& counted);

/// Times kernels with parts removed. During its lifetime, all launches of the program use edited kernels.
class ablation_timer {
 public:
  /// \throws device_error, std::logic_error
  ablation_timer();

  /// Times each ablation of the kernel, in turn. The kernel must be correct, because only times are measured. The
  /// emulator cannot measure time, so it runs each ablation once and sets no times.
  /// \param repetitions  of each ablation
  /// \throws device_error
  [[nodiscard]] ablation_study take(const specimen& kernel, const problem& given, int repetitions);

 private:
  emulator::rewritten_kernels rewritten_;
  std::optional<stop_watch> watch_;  ///< Only on a GPU.
};

}  // namespace workbook
