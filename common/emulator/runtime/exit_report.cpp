// What a program that runs under `emulate` leaves behind when it ends.

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "emulator/report/profile.hpp"
#include "emulator/report/suppressions.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/exit_report_text.hpp"
#include "host/files.hpp"

namespace emulator::runtime {
namespace {

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

/// What a file suppresses; nothing where the path is empty, or the file is wrong, which is said.
std::vector<report::suppression> suppressions_in(const std::string& path) {
  if (path.empty()) return {};
  try {
    return report::read_suppressions(host::read_file(path), path);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "emulator: %s\nNothing is suppressed.\n", wrong.what());
    return {};
  }
}

/// Writes all that was asked for, once.
void write_reports() {
  static std::atomic<bool> done{false};
  // A process that the program forked ends too, and must not write over the report of its parent.
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
  // The program's own output first.
  std::cout.flush();
  std::fflush(stdout);
  if (wanted.print_report) std::fputs(exit_report_text(seen).c_str(), stderr);
  if (wanted.print_profile) {
    std::fputs(report::profile_text(seen.launches, report::style_for(STDERR_FILENO)).c_str(), stderr);
  }
  if (!wanted.json_path.empty()) write_file(wanted.json_path, exit_report_json(seen));
  if (!wanted.summary_path.empty()) write_file(wanted.summary_path, std::to_string(findings) + "\n");
}

/// A program that fails an assertion or crashes on the host has a report too. The signal came from the program's own
/// code, not from the middle of the emulator's; should it hang all the same, the alarm ends it.
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
    std::atexit(write_reports);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) ::signal(signal, report_then_die);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace emulator::runtime

/// Linked by `emulate` into every program, so that one without a kernel leaves its (empty) report too.
extern "C" const bool emulator_reports_at_exit = (emulator::runtime::report_at_exit(), true);
