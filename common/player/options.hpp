#pragma once
/// \file
/// The options of every program that records.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "host/cli_numbers.hpp"
#include "player/recording.hpp"

namespace player {

/// Adds `--record`, `--play` and their bounds. `into` must outlive the parser.
inline void add_options(CLI::App& app, wanted& into) {
  app.add_option("--record", into.recording_path,
                 "Write what the first blocks do, step by step, to this file; - is standard output");
  app.add_option("--play", into.page_path, "Write a page that plays it, for a browser, to this file");
  app.add_option("--record-blocks", into.kept.blocks,
                 fmt::format("Blocks of each launch to record ({})", into.kept.blocks))
      ->check(host::number_from(1, most_blocks));
  app.add_option("--record-steps", into.kept.steps, fmt::format("Steps of each block ({})", into.kept.steps))
      ->check(host::number_from(1, most_steps));
  app.add_option("--record-launches", into.kept.launches, fmt::format("Launches of the run ({})", into.kept.launches))
      ->check(host::number_from(1, 1000));
}

}  // namespace player
