#pragma once
/// \file
/// The options of every program that records.

#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "host/command_line.hpp"
#include "student/player/recording.hpp"

namespace player {

/// Adds `--record`, `--play`, `--beside` and the bounds. `into` must outlive the parser.
inline void add_options(host::parser& app, wanted& into) {
  const host::word_rule named{[](std::string& path) { return path.empty() ? "give the name of a file" : ""; }, ""};
  app.add_option("--record", into.recording_path,
                 "Write what the first blocks do, step by step, to this file; - is standard output")
      .check(named);
  app.add_option("--play", into.page_path, "Write a page that plays it, for a browser, to this file").check(named);
  app.add_option("--beside", into.beside_path,
                 "A recording, of another kernel or of an earlier version: the page of --play moves both in step")
      .needs("--play")
      .check(named);
  const auto add_bound = [&app](const std::string& name, std::size_t& bound, std::size_t most,
                                const std::string& what) {
    return app.add_option(name, bound, fmt::format("{} ({})", what, bound)).check(host::number_from(1, most));
  };
  const std::array added = {
      add_bound("--record-blocks", into.kept.blocks, max_blocks, "Blocks of each launch to record"),
      add_bound("--record-steps", into.kept.steps, max_steps, "Steps of each block"),
      add_bound("--record-launches", into.kept.launches, 1000, "Launches of the run")};
  app.at_end([added, &into] {
    for (const host::option& one : added)
      if (one.count() != 0 && !into.any())
        throw host::bad_arguments(one.name() + ": it needs --record or --play, because it limits what they write");
  });
}

}  // namespace player
