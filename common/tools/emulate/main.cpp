// emulate: compiles any CUDA program, runs it without a GPU, prints what it did and what is wrong with it.

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "tools/emulate/command_line.hpp"
#include "tools/emulate/compiler.hpp"
#include "tools/emulate/output_file.hpp"
#include "tools/emulate/process.hpp"

namespace {

constexpr int status_bad_usage = 2;
constexpr int status_findings = 86;

/// What the emulator left behind when the program ended; nothing where the program did not end by itself.
std::optional<unsigned long long> read_finding_count(const std::string& path) {
  std::ifstream file(path);
  unsigned long long count = 0;
  if (file >> count) return count;
  return std::nullopt;
}

std::map<std::string, std::string> environment_for(const emulate::request& wanted, const std::string& json_path,
                                                   const std::string& summary_path) {
  std::map<std::string, std::string> environment = {
      {"EMULATOR_CHECK", wanted.checks},
      {"EMULATOR_GPU", wanted.gpu},
      {"EMULATOR_HOST_THREADS", std::to_string(wanted.host_threads)},
      {"EMULATOR_MAX_INSTRUCTIONS", std::to_string(wanted.max_instructions)},
      {"EMULATOR_REPORT", wanted.quiet ? "0" : "1"},
      {"EMULATOR_PROFILE", wanted.profile ? "1" : "0"},
      {"EMULATOR_TRACE", wanted.trace ? "1" : "0"},
      {"EMULATOR_TRACE_FILE", wanted.trace_path},
      {"EMULATOR_JSON", json_path},
      {"EMULATOR_SUMMARY", summary_path},
  };
  return environment;
}

int run_program(const emulate::request& wanted) {
  // Before the long work: a file that cannot be written is a mistake on the command line.
  std::optional<emulate::output_file> json;
  if (!wanted.json_path.empty() && wanted.json_path != "-") json.emplace(wanted.json_path);

  // A trace is added to, launch by launch, and begins anew here.
  if (!wanted.trace_path.empty() && !std::ofstream(wanted.trace_path)) {
    throw emulate::usage_error("--trace-file " + wanted.trace_path + ": this file cannot be written");
  }

  const emulate::temporary_folder folder;
  std::string program;
  if (const int status = emulate::build_program(wanted, folder.path(), program); status != 0) return status;

  const std::string report_path = folder.path() + "/report.json";
  const std::string summary_path = folder.path() + "/summary";
  std::vector<std::string> command = {program};
  command.insert(command.end(), wanted.program_arguments.begin(), wanted.program_arguments.end());
  const bool wants_json = json || wanted.json_path == "-";
  const emulate::ending result =
      emulate::run(command, environment_for(wanted, wants_json ? report_path : "", summary_path), false);
  const std::optional<unsigned long long> findings = read_finding_count(summary_path);
  if (!findings) {
    fmt::print(stderr, "emulate: the program ended {}before its report could be written\n",
               result.signal != 0 ? fmt::format("by signal {} ({}) ", result.signal, strsignal(result.signal)) : "");
    return result.status;
  }
  if (wants_json) {
    std::ifstream report(report_path);
    if (json) {
      std::ofstream(json->temporary_path()) << report.rdbuf();
      json->finish();
    } else {
      std::cout << report.rdbuf();
    }
  }
  return result.status == 0 && *findings > 0 ? status_findings : result.status;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const emulate::request wanted = emulate::parse_command_line({argv + 1, argv + argc});
    if (wanted.counters) {
      std::cout << emulate::counters_text();
      return 0;
    }
    if (wanted.help) {
      std::cout << emulate::help_text();
      return 0;
    }
    return run_program(wanted);
  } catch (const emulate::usage_error& wrong) {
    fmt::print(stderr, "emulate: {}\nTry `emulate --help`.\n", wrong.what());
  } catch (const std::exception& failed) {
    fmt::print(stderr, "emulate: {}\n", failed.what());
  }
  return status_bad_usage;
}
