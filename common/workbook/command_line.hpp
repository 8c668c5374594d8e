#pragma once
/// \file
/// A chapter's command line.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "student/player/recording.hpp"
#include "timing/model/gpu.hpp"
#include "workbook/study.hpp"

namespace workbook {

enum class device_choice { automatic, gpu, emulator };

struct command_line {
  device_choice device = device_choice::automatic;
  std::optional<std::size_t> count;    ///< Empty for the device's default.
  problem given;                       ///< Its `count` is set when the device is known.
  std::string json;                    ///< A file, "-" for standard output, or empty.
  std::optional<std::string> profile;  ///< `--profile`: a kernel's name, a role, or "" for the default kernel.
  std::optional<std::string> limit;    ///< `--limit`: a kernel, as for `--profile`.
  player::wanted recorded;             ///< `--record` and `--play`: they record the kernel of `profile`.
  std::string group;                   ///< `--group`: a part of the headings to show; empty for all.
  model::gpu gpu;                      ///< The GPU that is emulated and whose times are predicted.
  bool all_counts = false;             ///< Shows all columns, even if the chapter has one for beginners.
  bool gpus_reach_each_other = true;   ///< For the emulator: false if several GPUs cannot access each other's memory.
  bool benchmark = false;
  bool strict_test = false;
  bool to_the_end = false;             ///< The strict test continues after a failure.
  std::size_t lines_kept = few_lines;  ///< Lines of each kernel's output to keep.
  std::vector<std::string> benchmark_arguments;
};

/// Returns true if a row's heading matches `--group`.
[[nodiscard]] bool is_asked_for(const specimen& row, const command_line& line);

/// The command line, or the exit status if there is nothing to run: 0 after --help, 2 after bad usage.
struct parsed {
  std::optional<command_line> line;
  int status = 0;
};
[[nodiscard]] parsed parse_command_line(int argc, char** argv, const std::string& title, const study& defaults);

}  // namespace workbook
