#pragma once
/// \file
/// What a kernel's time is made of: its ablations, timed in turn in one run, and told to its author (`--limit`).

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
struct dissection {
  std::string name;
  problem given;
  std::size_t passes = 0;
  double bytes = 0;        ///< Of the input.
  bool conflicts = false;  ///< Whether lanes meet in banks of shared memory at all: counted on the emulator.
  std::map<ablation, double> microseconds;  ///< Medians, L2 cold, queued.
  bool queued = true;                       ///< Whether every timed run was queued behind work.
  std::map<ablation, std::string> missing;  ///< Why there is no such time.
};

/// What a kernel waits for.
enum class cause { launches, block_starts, memory_bandwidth, latency, instructions, loads, barriers, conflicts };

/// Returns the words for it in lessons and records: "block starts".
[[nodiscard]] std::string_view name_of(cause what);

/// A cause, or several, and what an experiment that keeps only these takes of the whole's time.
struct experiment_share {
  std::vector<cause> causes;
  double share = 0;
};

/// Returns every experiment in the order in which the rule asks them: docs/pages/limits.md says why.
[[nodiscard]] std::vector<experiment_share> shares_of(const dissection& d, const ceilings& most);
/// What alone takes so much of the whole's time limits the kernel.
inline constexpr double limiting_share = 0.9;
/// Returns what limits a kernel, the fewest causes, by that rule: of the first group with an experiment that takes
/// `limiting_share`, the one that takes most. No causes where no two of them take as much.
[[nodiscard]] experiment_share limit_of(const dissection& d, const ceilings& most);
/// Returns "block starts", "loads and barriers", or "not known".
[[nodiscard]] std::string words_for(const experiment_share& limit);

/// The experiments, what each leaves of the time, the limit, and what lifts it.
[[nodiscard]] std::string limit_text(const dissection& d, const ceilings& most);

/// As in `plots/data/ablations_h200.json`: times in microseconds by ablation, the limit with its share.
[[nodiscard]] nlohmann::json as_json(const dissection& d, const ceilings& most);

/// Runs the kernel on the emulator, with all checks, on fewer elements. The device that is selected stays selected.
[[nodiscard]] outcome count_on_emulator(const specimen& kernel, problem given);
/// Says whether lanes met in banks of shared memory, by such a run.
[[nodiscard]] bool has_conflicts(const outcome& counted);

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
