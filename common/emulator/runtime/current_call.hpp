#pragma once
/// \file
/// The runtime call that a host thread is executing: the data that a finding about it needs, and the handling of failed
/// calls.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "emulator/runtime/call_stack.hpp"

namespace emulator::runtime {

/// Exists while a call is executed on the emulated device.
class call_in_progress {
 public:
  /// \param name            of the function, as in its definition
  /// \param return_address  the function's return address
  call_in_progress(const char* name, const void* return_address)
      : call_in_progress(name, return_address, nullptr, {}) {}
  /// \param arguments  a function that describes the arguments; must outlive this object
  template <typename Words>
  call_in_progress(const char* name, const void* return_address, const Words& arguments)
      : call_in_progress(name, return_address, &arguments,
                         [](const void* words) { return (*static_cast<const Words*>(words))(); }) {}
  ~call_in_progress();
  call_in_progress(const call_in_progress&) = delete;
  call_in_progress& operator=(const call_in_progress&) = delete;

  /// Returns the innermost call of this host thread; null between calls.
  [[nodiscard]] static call_in_progress* innermost();

  /// Returns true if any host thread is in a call.
  [[nodiscard]] static bool any();

  /// Returns the name as in the program's source, without the suffixes that a header adds.
  [[nodiscard]] std::string name() const;
  /// Returns true if the program was built for per-thread default streams, which use different symbols.
  [[nodiscard]] bool has_default_stream_per_thread() const;
  [[nodiscard]] std::string arguments() const { return say_ != nullptr ? say_(words_) : std::string(); }
  [[nodiscard]] call_stack stack() const;

  std::string reason;          ///< Why the call is refused; empty if no reason was given.
  std::string kernel;          ///< For a launch: the kernel.
  std::string launch;          ///< For a launch: its grid, blocks and shared memory, as text.
  bool reported = false;       ///< There is a finding about this call already.
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

/// Returns the number of runtime calls since the program began.
[[nodiscard]] std::uint64_t calls_made();

/// Prints once on standard error why the current call is refused, and stores it for the finding.
void explain(const std::string& words);

/// Notes that the configuration of a <<<...>>> launch was pushed at `return_address`. The stub's launch is the next
/// call.
void note_launch_site(const void* return_address);

// Failed calls and refused launches are findings of memcheck; see docs/decisions/014-api-errors.md.

/// Creates a finding for the current call's error, unless there is one already or the call is one that programs use to
/// find out what is possible. Called under the device's mutex.
void report_failed_call(cudaError_t error);

/// The program asks for the last error, in a call that returns to `return_address`. So it knows about refused launches,
/// unless the call is made by a library of the toolkit. Called under the device's mutex.
void errors_asked_for(const void* return_address);

}  // namespace emulator::runtime
