#pragma once
/// \file
/// The call of the runtime that a host thread is carrying out: what a finding about it needs to know, and
/// what becomes of one that fails.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "emulator/runtime/call_stack.hpp"

namespace emulator::runtime {

/// Exists as long as a call is carried out on the emulated device.
class call_in_progress {
 public:
  /// \param name            of the function, as its definition has it
  /// \param return_address  where the function goes back to
  call_in_progress(const char* name, const void* return_address)
      : call_in_progress(name, return_address, nullptr, {}) {}
  /// \param arguments  a function that says the arguments in words; must outlive this object
  template <typename Words>
  call_in_progress(const char* name, const void* return_address, const Words& arguments)
      : call_in_progress(name, return_address, &arguments,
                         [](const void* words) { return (*static_cast<const Words*>(words))(); }) {}
  ~call_in_progress();
  call_in_progress(const call_in_progress&) = delete;
  call_in_progress& operator=(const call_in_progress&) = delete;

  /// The innermost call of this host thread; null between calls.
  [[nodiscard]] static call_in_progress* innermost();

  /// Says whether any host thread is in a call.
  [[nodiscard]] static bool any();

  /// As programs write it: without the endings that a header adds.
  [[nodiscard]] std::string name() const;
  /// Says whether the program was built for default streams per thread: then it calls other symbols.
  [[nodiscard]] bool has_default_stream_per_thread() const;
  [[nodiscard]] std::string arguments() const { return say_ != nullptr ? say_(words_) : std::string(); }
  [[nodiscard]] call_stack stack() const;

  std::string reason;          ///< Why the call is refused; empty where nobody has said.
  std::string kernel;          ///< What a launch would have launched.
  std::string launch;          ///< Its grid, blocks and shared memory in words.
  bool reported = false;       ///< A finding tells of it already.
  bool from_chevrons = false;  ///< A launch by <<<...>>>, which returns nothing to the program.

 private:
  using speaker = std::string (*)(const void*);
  call_in_progress(const char* name, const void* return_address, const void* words, speaker say);

  const char* name_;
  const void* return_address_;
  const void* words_;
  speaker say_;
  std::uintptr_t launch_site_ = 0;
  call_in_progress* outer_;
};

/// Calls of the runtime that have begun since the program did.
[[nodiscard]] std::uint64_t calls_made();

/// Says once on standard error why the current call is refused, and keeps it for the finding.
void explain(const std::string& words);

/// What lies between <<< and >>> was noted at `return_address`, and its stub goes on to launch.
void note_launch_site(const void* return_address);

// Calls that fail, and launches that are refused, as findings of memcheck: docs/decisions/014-api-errors.md.

/// Makes a finding of the current call's error, unless a finding tells of it already or the call is one by which
/// programs find out what is possible. Used under the device's mutex.
void report_failed_call(cudaError_t error);

/// The program asks for the last error, by a call that goes back to `return_address`: it knows now of the launches that
/// were refused, unless it is a library of the toolkit that asks. Used under the device's mutex.
void errors_asked_for(const void* return_address);

}  // namespace emulator::runtime
