// emulate: compiles any CUDA program, runs it without a GPU, prints what it did and what is wrong with it.

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "emulator/emulate/command_line.hpp"
#include "emulator/emulate/compiler.hpp"
#include "emulator/emulate/installation.hpp"
#include "emulator/emulate/sarif.hpp"
#include "emulator/runtime/environment.hpp"
#include "host/files.hpp"
#include "host/output_file.hpp"
#include "host/process.hpp"
#include "host/program.hpp"
#include "student/player/recording.hpp"
#include "timing/model/reports.hpp"

namespace {

constexpr int status_findings = 86;

/// Returns the number of findings that the emulator stored at the end, or nothing if the program did not end normally.
std::optional<unsigned long long> read_finding_count(const std::string& path) {
  std::ifstream file(path);
  unsigned long long count = 0;
  if (file >> count) return count;
  return std::nullopt;
}

std::map<std::string, std::string> environment_for(const emulate::request& wanted, const std::string& json_path,
                                                   const std::string& summary_path, const std::string& trace_path) {
  const char* const native_after = std::getenv("EMULATOR_NATIVE_AFTER");
  return {
      {"EMULATOR_CHECK", wanted.checks},
      {"EMULATOR_API_ERRORS", wanted.api_errors ? "1" : "0"},
      {"EMULATOR_GPU", wanted.chosen.emulated},
      {"EMULATOR_GPUS", wanted.gpus},
      {"EMULATOR_LATENCIES", emulator::runtime::text_of(wanted.chosen.latencies())},
      {"EMULATOR_HOST_THREADS", std::to_string(wanted.host_threads)},
      {"EMULATOR_MAX_INSTRUCTIONS", std::to_string(wanted.max_instructions)},
      {"EMULATOR_NATIVE_AFTER", wanted.interpreter        ? "never"
                                : native_after != nullptr ? native_after
                                                          : ""},
      {"EMULATOR_ORDERS", wanted.orders},
      {"EMULATOR_REPORT", wanted.quiet ? "0" : "1"},
      {"EMULATOR_NOTES", wanted.notes ? "1" : "0"},
      {"EMULATOR_PROFILE", wanted.profile ? "1" : "0"},
      {"EMULATOR_TRACE", wanted.trace ? "1" : "0"},
      {"EMULATOR_TRACE_FILE", trace_path},
      {"EMULATOR_JSON", json_path},
      {"EMULATOR_SUMMARY", summary_path},
      {"EMULATOR_SUPPRESS", wanted.suppressions},
  };
}

/// Copies the program to the place that was requested.
void keep(const std::string& program, const std::string& where) {
  std::error_code failed;
  std::filesystem::copy_file(program, where, std::filesystem::copy_options::overwrite_existing, failed);
  if (failed) throw host::usage_error("--keep " + where + ": this file cannot be written: " + failed.message());
}

int run_program(const emulate::request& wanted) {
  // Before the long work, because a file that cannot be written is a mistake on the command line.
  host::output_file json(wanted.json_path);
  host::output_file sarif(wanted.sarif_path);
  player::files recorded(wanted.recorded);

  // The emulator appends each launch to the trace, so an old trace is cleared here.
  if (!wanted.trace_path.empty() && !std::ofstream(wanted.trace_path)) {
    throw host::usage_error("--trace-file " + wanted.trace_path + ": this file cannot be written");
  }

  host::remove_abandoned_folders();
  const host::temporary_folder folder;
  std::string program = wanted.program;
  if (program.empty()) {
    if (const int status = emulate::build_program(wanted, folder.path(), program); status != 0) return status;
    if (!wanted.kept_program.empty()) keep(program, wanted.kept_program);
  }

  const std::string report_path = folder.path() + "/report.json";
  const std::string summary_path = folder.path() + "/summary";
  std::vector<std::string> command = {program};
  command.insert(command.end(), wanted.program_arguments.begin(), wanted.program_arguments.end());
  const bool needs_report = json.wanted() || sarif.wanted() || wanted.profile || !wanted.annotations.empty();
  const std::string trace_path = wanted.recorded.any() ? recorded.trace_path() : wanted.trace_path;
  const host::ending result =
      host::run(command, environment_for(wanted, needs_report ? report_path : "", summary_path, trace_path), false);
  // The trace contains what the program did, even if it didn't end normally.
  recorded.write();
  const std::optional<unsigned long long> findings = read_finding_count(summary_path);
  if (!findings) {
    fmt::print(stderr,
               "emulate: the program ended {}before its report could be written: what it did is not known to be right "
               "(exit() and the end of main() let it be written, _exit() and quick_exit() do not)\n",
               result.signal != 0 ? fmt::format("by signal {} ({}) ", result.signal, strsignal(result.signal)) : "");
    return result.status == 0 ? status_findings : result.status;
  }
  const int status = result.status == 0 && *findings > 0 ? status_findings : result.status;
  if (!needs_report) return status;
  nlohmann::json report = nlohmann::json::parse(host::read_file(report_path));
  if (json.wanted()) {
    report["predictions"] = model::predictions_of(wanted.chosen, report);
    json.write(report.dump(1) + "\n");
  }
  if (wanted.profile) std::fputs(model::predicted_text(wanted.chosen, report).c_str(), stderr);
  const std::string root = emulate::source_root();
  if (!wanted.annotations.empty()) std::fputs(emulate::github_annotations(report, root).c_str(), stderr);
  if (sarif.wanted()) sarif.write(emulate::sarif_text(report, root, emulate::this_installation().version, status));
  return status;
}

}  // namespace

int main(int argc, char* argv[]) {
  return host::guarded("emulate", host::status_bad_usage, [&] {
    const std::optional<emulate::request> wanted = emulate::parse_command_line({argv + 1, argv + argc});
    if (!wanted) return 0;
    if (!wanted->counters) return run_program(*wanted);
    std::fputs(emulate::counters_text().c_str(), stdout);
    return 0;
  });
}
