#pragma once
/// \file
/// Settings for a program that links the emulator, without changing the program: environment variables.
///
/// - EMULATOR_CHECK: all, none, or a list of memcheck,racecheck,initcheck,synccheck; also with leaks: all,leaks
/// - EMULATOR_API_ERRORS: 0: failed calls are not findings of memcheck
/// - EMULATOR_COUNTERS: 1 or 0
/// - EMULATOR_GPU: the GPU whose facts the program reads: h200, a100, …
/// - EMULATOR_GPUS: the number of GPUs, 1 to 16; 4:no-peer if they cannot access each other's memory
/// - EMULATOR_LATENCIES: that GPU's latencies in cycles, for critical paths: arithmetic=4.2,shuffle=24 …
/// - EMULATOR_HOST_THREADS: host threads that run blocks; 0: one per processor
/// - EMULATOR_MAX_INSTRUCTIONS: warp instructions a block may execute
/// - EMULATOR_NATIVE_AFTER: warp instructions after which a kernel is compiled to machine code; never: not at all
/// - EMULATOR_NATIVE_BYTES: bytes of a register that machine code processes at a time: 64 (AVX-512) or 32 (AVX2)
/// - EMULATOR_NATIVE_COMPARE: 1: the interpreter repeats all plain operations of machine code, for tests
/// - EMULATOR_ORDERS: additional runs of each launch in other orders, and a seed: 64, or 64:7
/// - EMULATOR_TRACE: 1: one line per launch on standard error
/// - EMULATOR_TRACE_FILE: append the accesses of the first blocks of every launch to that file, one JSON line per
/// launch
/// - EMULATOR_REPORT: 1: print the report on standard error when the program ends
/// - EMULATOR_NOTES: 1: with that report, print all notes
/// - EMULATOR_PROFILE: 1: print the line profile of every kernel on standard error when the program ends
/// - EMULATOR_JSON: write the report to that file when the program ends
/// - EMULATOR_SUPPRESS: a file of findings to leave out of the report and of the number of findings; see
///   report/suppressions.hpp
/// - EMULATOR_SUMMARY: write the number of findings to that file when the program ends

#include <stdexcept>
#include <string>

#include "emulator/emulator.hpp"

namespace emulator::runtime {

/// The error for an invalid value. The message states the valid ones.
class bad_setting : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Switches the checks in a list on and the others off. The list is `none`, or names separated by commas; `all` means
/// all checks except leaks.
/// \throws bad_setting
void parse_checks(const std::string& list, options& into);

/// Returns the number in `text`. Messages call it `name`. \throws bad_setting
[[nodiscard]] unsigned long long parse_number(const std::string& name, const std::string& text,
                                              unsigned long long largest);

/// Parses the number of additional orders of each launch, and their seed: 64, or 64:7.
/// \throws bad_setting
void parse_orders(const std::string& name, const std::string& text, options& into);

/// Parses the number of devices, and whether they can access each other's memory: 4, or 4:no-peer. \throws bad_setting
void parse_gpus(const std::string& name, const std::string& text, int& count, bool& peers);

/// Returns the latencies for critical paths as one line, "arithmetic=4.2,shuffle=24,…", with all names of
/// `path_latencies`. `emulate` passes them to programs in this form.
[[nodiscard]] std::string text_of(const path_latencies& latencies);

/// The inverse of `text_of`. Latencies that the text does not name have their defaults.
/// \throws bad_setting  if a name is unknown, or if a value isn't a number from 0 to 1e6
[[nodiscard]] path_latencies latencies_of(const std::string& text);

/// The settings in the environment variables when the program starts.
struct environment {
  options initial_options;
  int gpus = 1;
  bool peers = true;
  bool print_report = false;
  bool print_notes = false;
  bool print_profile = false;
  std::string json_path;
  std::string summary_path;
  std::string suppressions_path;

  /// Reads the variables on first use. If one is invalid, the process ends with status 2 and a message.
  static const environment& instance();
};

/// Arranges for the requested reports to be written when the process ends. Every registration with the runtime calls
/// it.
void report_at_exit();

/// Writes the reports now, and ends the process immediately with this status.
[[noreturn]] void end_with_report(int status);

}  // namespace emulator::runtime
