#pragma once
/// \file
/// A chapter's command line.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/gpu.hpp"
#include "player/recording.hpp"
#include "workbook/study.hpp"

namespace workbook {

enum class device_choice { automatic, gpu, emulator };

struct command_line {
  device_choice device = device_choice::automatic;
  std::optional<std::size_t> count;    ///< Nothing: the device's default.
  problem given;                       ///< `count` is filled once the device is known.
  std::string json;                    ///< File, "-" for standard output, or empty.
  std::optional<std::string> profile;  ///< `--profile`: a kernel's name, a role, or empty for the one that matters.
  std::optional<std::string> limit;    ///< `--limit`: likewise.
  player::wanted recorded;             ///< `--record`, `--play`: of the kernel of `profile`.
  std::string group;                   ///< `--group`: a word of the headings to show; empty: all.
  model::gpu gpu;                      ///< That the emulator stands for, and whose times are predicted.
  bool all_counts = false;             ///< Every column, also where the chapter shows one for beginners.
  bool gpus_reach_each_other = true;   ///< Of the emulator's GPUs, where there are several.
  bool benchmark = false;
  bool strict_test = false;
  bool to_the_end = false;             ///< The strict test goes on after a failure.
  std::size_t lines_kept = few_lines;  ///< Of what each kernel prints.
  std::vector<std::string> benchmark_arguments;
};

/// Says whether a row of the table stands under a heading of `--group`.
[[nodiscard]] bool is_asked_for(const specimen& row, const command_line& line);

/// The command line, or the exit status where there is nothing to run: 0 after --help, 2 after bad usage.
struct parsed {
  std::optional<command_line> line;
  int status = 0;
};
[[nodiscard]] parsed parse_command_line(int argc, char** argv, const std::string& title, const study& defaults);

}  // namespace workbook
