#pragma once
/// \file
/// The command line of `emulate`.

#include <optional>
#include <string>
#include <vector>

#include "student/player/recording.hpp"
#include "timing/model/gpu.hpp"

namespace emulate {

struct request {
  std::vector<std::string> sources;            ///< .cu, .cpp, .cc, .cxx, .c; at least one if there is no `program`.
  std::string program;                         ///< One that is already linked with the emulator; otherwise empty.
  std::vector<std::string> objects;            ///< .o, .a, .so: linked as they are.
  std::vector<std::string> compiler_options;   ///< For nvcc, in the order given.
  std::vector<std::string> program_arguments;  ///< After `--`.
  std::string checks = "all";
  bool api_errors = true;    ///< Calls that fail are findings.
  std::string json_path;     ///< Empty: none; "-": standard output.
  std::string sarif_path;    ///< Likewise.
  std::string suppressions;  ///< A file; empty: none.
  std::string kept_program;  ///< Where the built program is stored; empty: nowhere.
  std::string annotations;   ///< "github", or empty.
  std::string trace_path;    ///< Empty: none.
  player::wanted recorded;   ///< `--record`, `--play`.
  std::string gpus = "1";    ///< Number of devices; 4:no-peer if none can access another's memory.
  std::string gpu = "h200";  ///< A name, or a file of `make machine`.
  model::gpu chosen;         ///< The GPU with that name, or of that file.
  std::string nvcc;          ///< Empty: to be searched for.
  std::string orders = "0";  ///< The number of other orders, and a seed: 64:7.
  bool interpreter = false;  ///< No machine code.
  unsigned host_threads = 0;
  unsigned long long max_instructions = 0;
  bool allow_missing = false;  ///< Link without functions of libraries that have no emulation.
  bool quiet = false;
  bool notes = false;  ///< Print all notes.
  bool profile = false;
  bool trace = false;
  bool counters = false;  ///< Only print the list of counters.
};

/// Parses a command line, without the program's name. \throws host::usage_error
/// \return nothing if `--help` was requested, which has been printed then
[[nodiscard]] std::optional<request> parse_command_line(const std::vector<std::string>& arguments);

/// Returns the text of `--counters`: name, meaning and formula of each.
[[nodiscard]] std::string counters_text();

}  // namespace emulate
