#pragma once
/// \file
/// The command line of `sass`.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sass_tool {

/// What to print.
enum class task { listing, table, difference, check, names };

struct request {
  std::vector<std::string> files;
  std::vector<std::string> kernels;        ///< Names, or parts of names; empty for all.
  std::vector<std::string> difference;     ///< The names of the two kernels to compare, for task::difference.
  std::vector<std::string> architectures;  ///< "sm_90" or "all"; empty for the newest.
  task wanted = task::listing;
  std::optional<unsigned> loop;
  std::optional<std::pair<unsigned, unsigned>> lines;
  bool whole = false;     ///< Shows the prologue, too.
  std::string json_path;  ///< Empty for no JSON; "-" for standard output, to which nothing else is then printed.
  std::string nvdisasm;   ///< The disassembler; if empty, it is searched for.
};

/// Parses the command line and calls `run` with the request. Returns the exit status, as host::run_program does.
[[nodiscard]] int run_request(int argc, char** argv, int (*run)(const request&));

}  // namespace sass_tool
