#pragma once
/// \file
/// What a user says to a program that links the emulator without changing the program: environment variables.
///
/// - EMULATOR_CHECK: all, none, or a list of memcheck,racecheck,initcheck,synccheck; leaks beside them: all,leaks
/// - EMULATOR_API_ERRORS: 0: calls that fail are no findings of memcheck
/// - EMULATOR_COUNTERS: 1 or 0
/// - EMULATOR_GPU: whose facts the program reads: h200, a100, …
/// - EMULATOR_GPUS: how many of them there are, 1 to 16; 4:no-peer where none reaches another's memory
/// - EMULATOR_LATENCIES: of that GPU, in cycles, what paths are followed with: arithmetic=4.2,shuffle=24 …
/// - EMULATOR_HOST_THREADS: threads of the host that run blocks; 0: one per processor
/// - EMULATOR_MAX_INSTRUCTIONS: warp instructions a block may execute
/// - EMULATOR_NATIVE_AFTER: warp instructions after which a kernel becomes machine code; never: it does not
/// - EMULATOR_NATIVE_BYTES: of a register that machine code works on at a time: 64 (AVX-512) or 32 (AVX2)
/// - EMULATOR_NATIVE_COMPARE: 1: the interpreter does what machine code has done, stretch by stretch, too: for tests
/// - EMULATOR_ORDERS: other orders in which each launch is run, too, and a seed: 64, or 64:7
/// - EMULATOR_TRACE: 1: one line per launch on standard error
/// - EMULATOR_TRACE_FILE: add each access of the first blocks of every launch to that file, one JSON line per launch
/// - EMULATOR_REPORT: 1: print the report on standard error when the program ends
/// - EMULATOR_PROFILE: 1: print the line profile of every kernel on standard error when the program ends
/// - EMULATOR_JSON: write the report to that file when the program ends
/// - EMULATOR_SUPPRESS: a file of findings that the report and the number of findings leave out:
/// report/suppressions.hpp
/// - EMULATOR_SUMMARY: write the number of findings to that file when the program ends

#include <stdexcept>
#include <string>

#include "emulator/emulator.hpp"

namespace emulator::runtime {

/// A value that cannot be understood; the message says which are.
class bad_setting : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Sets the checks that a list names in `into`: none, or names joined with commas; `all` is all of
/// them but leaks.
/// \throws bad_setting
void parse_checks(const std::string& list, options& into);

/// Returns the number that `text` stands for; `name` is what the message calls it. \throws bad_setting
[[nodiscard]] unsigned long long parse_number(const std::string& name, const std::string& text,
                                              unsigned long long largest);

/// Reads in how many other orders launches are run, too, and the seed that they are made from: 64, or 64:7.
/// \throws bad_setting
void parse_orders(const std::string& name, const std::string& text, options& into);

/// Reads how many devices there are, and whether they reach each other's memory: 4, or 4:no-peer. \throws bad_setting
void parse_gpus(const std::string& name, const std::string& text, int& count, bool& peers);

/// The latencies that paths are followed with, as a line of text: "arithmetic=4.2,shuffle=24,…", every one by the name
/// that `path_latencies` has for it. Programs get them from `emulate` that way.
[[nodiscard]] std::string text_of(const path_latencies& latencies);

/// The other way round; what the text does not name is as by default.
/// \throws bad_setting  where a name is unknown, or a value is no number from 0 to 1e6
[[nodiscard]] path_latencies latencies_of(const std::string& text);

/// The environment as it was when the program began.
struct environment {
  options initial_options;
  int gpus = 1;
  bool peers = true;
  bool print_report = false;
  bool print_profile = false;
  std::string json_path;
  std::string summary_path;
  std::string suppressions_path;

  /// Reads it on first use. A variable that cannot be understood ends the process with status 2 and a message.
  static const environment& instance();
};

/// Writes what the environment asks for when the process ends; called by everything that registers with the runtime.
void report_at_exit();

/// Writes the same now, and ends the process at once with this status.
[[noreturn]] void end_with_report(int status);

}  // namespace emulator::runtime
