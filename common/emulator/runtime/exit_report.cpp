// The reports that a program under `emulate` writes when it ends.

#include <signal.h>
#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/links.hpp"
#include "emulator/memory/devices.hpp"
#include "emulator/report/causes.hpp"
#include "emulator/report/finding_report.hpp"
#include "emulator/report/json.hpp"
#include "emulator/report/profile.hpp"
#include "emulator/report/suppressions.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "host/files.hpp"

namespace emulator::runtime {
namespace {

using report::cause;

/// Returns the time of the first call, which is made before main().
std::chrono::steady_clock::time_point begin_of_program() {
  static const auto begin = std::chrono::steady_clock::now();
  return begin;
}

/// Everything that a program has done, and all findings in it.
struct exit_report {
  std::vector<launch_report> launches;
  std::vector<finding> in_calls;                  ///< In runtime calls.
  std::vector<finding> suppressed;                ///< Removed from the findings above.
  std::vector<report::suppression> suppressions;  ///< With the number of times that each was used.
};

std::string suppressed_text(const exit_report& seen) {
  std::string text;
  for (const report::suppression& one : seen.suppressions) {
    if (one.used == 0)
      text += fmt::format("{}: matches no finding: {}\n", one.place, one.text);
    else
      text += fmt::format("{}: {} {} suppressed: {}\n", one.place, one.used, one.used == 1 ? "finding" : "findings",
                          one.text);
  }
  return text;
}

/// Returns the traffic on the links of several devices. With one device, the text is empty, because the only traffic
/// would be the program's own copies.
std::string links_text() {
  if (process_memory().devices.count() == 1) return {};
  std::string text;
  const auto end = [](int number) { return number == link_traffic::host ? "host" : fmt::format("{}", number); };
  for (const link_traffic& l : traffic_of_links()) {
    text += fmt::format("{:>4} -> {:<4} {:>8} {:>14} {:>14} {:>14} {:>14}\n", end(l.from), end(l.to), l.copies,
                        l.copied_bytes, l.load_bytes, l.store_bytes, l.atomic_bytes);
  }
  if (text.empty()) return {};
  return fmt::format("{:<12} {:>8} {:>14} {:>14} {:>14} {:>14}\n", "link", "copies", "copied bytes", "loaded bytes",
                     "stored bytes", "atomic bytes") +
         text;
}

/// Returns the number of checks that are on.
unsigned checks_on(const options& o) {
  unsigned count = 0;
  for (const bool on : {o.memcheck, o.racecheck, o.initcheck, o.synccheck, o.leaks}) count += on ? 1 : 0;
  return count;
}

/// Returns the findings with their source lines, and one line with the numbers of everything.
std::string exit_report_text(const exit_report& seen) {
  const report::finding_style style = report::finding_style_for(STDERR_FILENO, environment::instance().print_notes);
  std::string text = report::findings_text(seen.launches, seen.in_calls, style);
  for (const std::string& more : {links_text(), suppressed_text(seen)}) {
    if (!text.empty() && !more.empty()) text += "\n";
    text += more;
  }
  if (!text.empty()) text += "\n";
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_of_program();
  return text + report::summary_line(seen.launches, seen.in_calls, checks_on(device::instance().current_options()),
                                     took.count(), style);
}

/// Returns {"schema": 1, "launches": […], "findings": […], "suppressed": […], "unused_suppressions": […]}. `findings`
/// and `suppressed` have one entry for each cause, launches have their own findings.
std::string exit_report_json(const exit_report& seen) {
  using nlohmann::json;
  json all = {{"schema", 1},
              {"launches", json::array()},
              {"findings", json::array()},
              {"suppressed", json::array()},
              {"unused_suppressions", json::array()}};
  for (const launch_report& launch : seen.launches) all["launches"].push_back(report::to_json(launch));
  for (const cause& c : report::causes_of(seen.launches, seen.in_calls)) all["findings"].push_back(report::to_json(c));
  for (const cause& c : report::causes_of({}, seen.suppressed)) all["suppressed"].push_back(report::to_json(c.first));
  for (const report::suppression& one : seen.suppressions)
    if (one.used == 0) all["unused_suppressions"].push_back({{"place", one.place}, {"text", one.text}});
  if (process_memory().devices.count() > 1) {
    const auto end = [](int number) { return number == link_traffic::host ? json("host") : json(number); };
    all["links"] = json::array();
    for (const link_traffic& l : traffic_of_links()) {
      all["links"].push_back({{"from", end(l.from)},
                              {"to", end(l.to)},
                              {"copies", l.copies},
                              {"copied_bytes", l.copied_bytes},
                              {"load_requests", l.load_requests},
                              {"load_bytes", l.load_bytes},
                              {"store_requests", l.store_requests},
                              {"store_bytes", l.store_bytes},
                              {"atomic_requests", l.atomic_requests},
                              {"atomic_bytes", l.atomic_bytes}});
    }
  }
  return all.dump(1) + "\n";
}

pid_t& first_process() {
  static pid_t id = getpid();
  return id;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "emulator: cannot write %s\n", path.c_str());
}

/// Returns the suppressions in a file; none if the path is empty. If the file is invalid, prints an error and returns
/// none.
std::vector<report::suppression> suppressions_in(const std::string& path) {
  if (path.empty()) return {};
  try {
    return report::read_suppressions(host::read_file(path), path);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "emulator: %s\nNothing is suppressed.\n", wrong.what());
    return {};
  }
}

/// Writes all requested reports, once.
void write_reports() {
  static std::atomic<bool> done{false};
  // If the program has forked, the child process ends as well, and must not overwrite the report of its parent.
  if (getpid() != first_process() || done.exchange(true)) return;
  const environment& wanted = environment::instance();
  exit_report seen;
  seen.launches = device::instance().take_reports();
  seen.in_calls = device::instance().take_call_findings();
  if (device::instance().current_options().leaks) {
    const std::vector<finding> leaks = find_leaks();
    seen.in_calls.insert(seen.in_calls.end(), leaks.begin(), leaks.end());
    if (!wanted.print_report) {
      for (const finding& leak : leaks) announce(leak.message);
    }
  }
  seen.suppressions = suppressions_in(wanted.suppressions_path);
  seen.suppressed = report::suppress(seen.suppressions, seen.launches, seen.in_calls);
  unsigned long long findings = seen.in_calls.size();
  for (const launch_report& launch : seen.launches) findings += launch.findings.size();
  // Flush the program's own output first.
  std::cout.flush();
  std::fflush(stdout);
  if (wanted.print_report) std::fputs(exit_report_text(seen).c_str(), stderr);
  if (wanted.print_profile) {
    std::fputs(report::profile_text(seen.launches, report::style_for(STDERR_FILENO)).c_str(), stderr);
  }
  if (!wanted.json_path.empty()) write_file(wanted.json_path, exit_report_json(seen));
  if (!wanted.summary_path.empty()) write_file(wanted.summary_path, std::to_string(findings) + "\n");
}

/// Writes the reports of a program that fails an assertion or crashes on the host. We assume that the signal came from
/// the program's own code, not from the middle of the emulator. If writing hangs because it didn't, the alarm ends the
/// process.
void report_then_die(int signal) {
  ::signal(signal, SIG_DFL);
  ::signal(SIGALRM, SIG_DFL);
  alarm(10);
  write_reports();
  raise(signal);
}

}  // namespace

void report_at_exit() {
  static const bool once = [] {
    const environment& wanted = environment::instance();
    if (!wanted.initial_options.leaks && !wanted.print_report && !wanted.print_profile && wanted.json_path.empty() &&
        wanted.summary_path.empty())
      return true;
    static_cast<void>(first_process());
    static_cast<void>(begin_of_program());
    std::atexit(write_reports);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) ::signal(signal, report_then_die);
    return true;
  }();
  static_cast<void>(once);
}

void end_with_report(int status) {
  // Writing may hang, because a call in progress holds a lock that it needs. Then the alarm ends the program.
  ::signal(SIGALRM, SIG_DFL);
  alarm(10);
  write_reports();
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace emulator::runtime

/// `emulate` links this into every program, so that a program without a kernel has an (empty) report, too.
extern "C" const bool emulator_reports_at_exit = (emulator::runtime::report_at_exit(), true);
