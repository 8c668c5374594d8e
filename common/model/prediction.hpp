#pragma once
/// \file
/// The time of a launch, predicted.
///
/// A launch is limited by one of a few things, each of which would need a time of its own if the others were free:
///
/// | term          | time |
/// | ------------- | ---- |
/// | block starts  | blocks * the machine's time per start |
/// | latency       | how often the multiprocessors fill up with blocks * a block's life: turnover, path, waits |
/// | memory        | sectors * 32 bytes / the best rate |
/// | instructions  | warp instructions / what a multiprocessor issues per cycle; divisions by themselves |
/// | L1 cache      | lines of 128 bytes that warps ask for, one per cycle |
/// | shared memory | passes, one per cycle |
///
/// The last three are parts of a multiprocessor that work side by side: the largest is its work. Work, latency and
/// memory hide behind each other in part: the root of the sum of their squares. Blocks start while others run: the
/// larger of that root and the starts is the launch's time. All but latency also wait once: for a block's life
/// (starts), for memory (the others). What the longest block needs beyond the others comes on top (the grid's last one
/// finds in L2 what the others have left; any other one waits for memory), and a launch's own time. Roofline is the
/// case in which memory or instructions are the largest; Little's law, bytes in flight = rate * latency, the one in
/// which latency is; waves are its factor.

#include <string>
#include <vector>

#include "model/counts.hpp"
#include "model/machine.hpp"

namespace model {

/// Constants that no machine file has. They were chosen once, by the records of the chapters' kernels; the test of the
/// model chooses them again without each kernel that it is judged by.
struct constants {
  double instructions_per_cycle = 2.5;  ///< Of PTX, per multiprocessor: what ptxas makes of them is not known here.
  double cold_us = 1.4;                 ///< Of the first launch, if it waits for memory: no cache has anything yet.
  double last_wave = 0.15;              ///< Of the time of a full multiprocessor: blocks do not all end together.
};

struct term {
  std::string name;  ///< "block starts", "latency", "memory", "instructions", "L1 cache" or "shared memory"
  double us = 0;
};

struct prediction {
  double us = 0;
  std::vector<term> terms;  ///< Falling. What each would need alone.
  double launch_us = 0;     ///< Of `us`, what every launch costs.
  std::string unknown;      ///< Why there is no time; empty where there is one.
  /// What takes most: the largest term, and the second where it takes at least `nearly` as much; "launches" where they
  /// take more than half. Nothing where there is no time.
  [[nodiscard]] std::vector<std::string> limits() const;
  /// The same in words: "block starts, latency".
  [[nodiscard]] std::string limit() const;
};

/// Where a second term takes this share of the largest, mending the largest alone would gain little.
inline constexpr double nearly = 0.75;

/// Predicts one launch. \param first  it is the first of several, and its input is in no cache
[[nodiscard]] prediction predict(const machine& m, const counts& c, bool first = true, const constants& k = {});

/// Predicts launches that follow each other in a stream. Terms are summed by name.
[[nodiscard]] prediction predict(const machine& m, const std::vector<counts>& launches, const constants& k = {});

/// How far predictions are off, as the test of the model holds them to: in percent.
inline constexpr int mean_error_percent = 7;
inline constexpr int ninth_decile_percent = 17;

/// The same, of a chapter whose kernels are no sums of the ladder, and were recorded.
struct chapter_error {
  int chapter = 0;
  int mean_percent = mean_error_percent;
  int ninth_decile_percent = model::ninth_decile_percent;
};
inline constexpr chapter_error errors_of_chapters[] = {{0, 7, 10},   {10, 19, 39}, {11, 32, 64},
                                                       {13, 10, 23}, {14, 4, 8},   {15, 13, 26}};

/// Returns how far predictions for a chapter's kernels are off; those for all kernels of the book if it is not listed.
constexpr chapter_error error_of_chapter(int chapter) {
  for (const chapter_error& of : errors_of_chapters)
    if (of.chapter == chapter) return of;
  return {.chapter = chapter};
}

}  // namespace model
