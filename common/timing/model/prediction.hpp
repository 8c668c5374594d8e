#pragma once
/// \file
/// Predicts the time of a launch.
///
/// A launch is limited by a few resources. If all other resources were free, each would need the following time:
///
/// | term          | time |
/// | ------------- | ---- |
/// | block starts  | blocks * the machine's time per start |
/// | latency       | how often the SMs fill up with blocks * a block's life: turnover, path, waits |
/// | memory        | sectors * 32 bytes / the best rate |
/// | instructions  | warp instructions / the SM's issue rate per cycle; divisions separately |
/// | L1 cache      | lines of 128 bytes that warps access, one per cycle |
/// | shared memory | passes, one per cycle |
///
/// The last three are units of a streaming multiprocessor (SM) that work in parallel, so the largest of them is the
/// SM's work. Work, latency and memory overlap partly: together they take the root of the sum of their squares. Blocks
/// start while others run, so the launch's time is the larger of that root and the block starts. Each term except
/// latency also includes one wait: for a block's life (starts) or for memory (the others). The extra time of the
/// slowest block is added, and the overhead of the launch. If the slowest block is the grid's last one, it finds the
/// others' results in L2; any other block waits for memory. If memory or instructions dominate, the model is the
/// roofline. If latency dominates, it is Little's law, bytes in flight = rate * latency, with the number of waves as a
/// factor.

#include <string>
#include <vector>

#include "timing/model/counts.hpp"
#include "timing/model/machine.hpp"

namespace model {

/// Constants that are not in a machine's file. They were fitted once to the records of the chapters' kernels. The
/// model's test fits them again, and each time leaves out the kernel that it then predicts.
struct constants {
  double instructions_per_cycle = 2.5;  ///< PTX instructions per SM, as the machine code from ptxas isn't known here.
  double cold_us = 1.4;                 ///< Added to the first launch if it waits for memory, as all caches are cold.
  double last_wave = 0.15;              ///< Fraction of a full SM's time, added because blocks don't all end together.
};

struct term {
  std::string name;  ///< "block starts", "latency", "memory", "instructions", "L1 cache" or "shared memory"
  double us = 0;
};

struct prediction {
  double us = 0;
  std::vector<term> terms;  ///< In descending order, with the time that each would need alone.
  double launch_us = 0;     ///< The launch overhead, which is part of `us`.
  std::string unknown;      ///< Why there is no time, or empty.
  /// Returns the terms that dominate: the largest one, and the second one if it takes at least `nearly` of the largest.
  /// Returns "launches" if these take more than half of the time. Empty if there is no time.
  [[nodiscard]] std::vector<std::string> limits() const;
  /// Returns the same terms as text: "block starts, latency".
  [[nodiscard]] std::string limit() const;
};

/// If the second term takes at least this share of the largest one, improving only the largest one would gain little.
inline constexpr double nearly = 0.75;

/// Predicts one launch. \param first  true if it is the first of several, so that its input is not in any cache
[[nodiscard]] prediction predict(const machine& m, const counts& c, bool first = true, const constants& k = {});

/// Predicts launches that follow each other in a stream. Terms with the same name are added.
[[nodiscard]] prediction predict(const machine& m, const std::vector<counts>& launches, const constants& k = {});

/// Errors of predictions in percent: limits that the model's test enforces.
inline constexpr int mean_error_percent = 7;
inline constexpr int ninth_decile_percent = 17;

/// The limits for a chapter whose kernels aren't sums of the ladder, and have been recorded.
struct chapter_error {
  int chapter = 0;
  int mean_percent = mean_error_percent;
  int ninth_decile_percent = model::ninth_decile_percent;
};
inline constexpr chapter_error errors_of_chapters[] = {{0, 7, 10},   {10, 19, 39}, {11, 32, 64},
                                                       {13, 10, 23}, {14, 4, 8},   {15, 13, 26}};

/// Returns the errors of predictions for a chapter's kernels. If it isn't listed, these are the errors for all kernels.
constexpr chapter_error error_of_chapter(int chapter) {
  for (const chapter_error& of : errors_of_chapters)
    if (of.chapter == chapter) return of;
  return {.chapter = chapter};
}

}  // namespace model
