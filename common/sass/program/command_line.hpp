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
  bool help = false;
};

/// Reads a command line, without the program's name. \throws host::usage_error
[[nodiscard]] request parse_command_line(const std::vector<std::string>& arguments);

/// Returns the text of `--help`.
[[nodiscard]] std::string help_text();

}  // namespace sass_tool
