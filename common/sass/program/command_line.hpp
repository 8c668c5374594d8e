#pragma once
/// \file
/// What a user asks of `sass`.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sass_tool {

/// What to print.
enum class task { listing, table, difference, check, names };

struct request {
  std::vector<std::string> files;
  std::vector<std::string> kernels;        ///< Names, or parts of names; empty: all.
  std::vector<std::string> difference;     ///< Two, for task::difference.
  std::vector<std::string> architectures;  ///< "sm_90"; "all"; empty: the newest.
  task wanted = task::listing;
  std::optional<unsigned> loop;
  std::optional<std::pair<unsigned, unsigned>> lines;
  bool whole = false;     ///< The prologue, too.
  std::string json_path;  ///< Empty: none; "-": standard output, and nothing else there.
  std::string nvdisasm;   ///< Empty: to be found.
};

/// Reads the command line and calls `run` with what it asks for. Returns the exit status, as host::run_program does.
[[nodiscard]] int run_request(int argc, char** argv, int (*run)(const request&));

}  // namespace sass_tool
