#pragma once
/// \file
/// The emulated device, one per process. Calls are executed immediately, one at a time and in the order in which they
/// are made.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/device_facts.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

/// A finding in a runtime call, and the place of the call.
struct call_finding {
  finding what;
  call_stack where = {};
  /// If this thread asks for the last error, the finding is withdrawn; no thread if it stays.
  std::thread::id taken_back_by = {};
  /// The second call that is involved, if there is one.
  struct other_call {
    call_stack where;
    /// The rest of the message after the place, which is looked up when findings are reported.
    std::string rest_of_message;
  };
  std::optional<other_call> other = {};
};

/// The state of one device.
class device {
 public:
  static device& instance() { return singleton<device>(); }
  device();

  /// Locked during every call on this device.
  [[nodiscard]] std::recursive_mutex& mutex() { return mutex_; }

  /// Returns the error of a faulted kernel, or cudaSuccess. Every call returns it until cudaDeviceReset.
  [[nodiscard]] cudaError_t sticky_error() const { return sticky_; }
  void set_sticky_error(cudaError_t error) { sticky_ = error; }

  /// Stores an error of this host thread for cudaGetLastError, and returns it. Success and cudaErrorNotReady are not
  /// stored.
  cudaError_t remember(cudaError_t result);
  [[nodiscard]] cudaError_t last_error() const;
  void forget_last_error();

  [[nodiscard]] const device_facts& facts() const { return *facts_; }
  [[nodiscard]] options current_options() const;
  /// \throws std::invalid_argument  if the GPU is unknown
  void set_options(const options& wanted);

  /// Returns the size of a thread's stack for calls that are not inlined. The emulator's frames are larger than those
  /// of machine code, so it is at least 8 KiB.
  [[nodiscard]] std::uint64_t stack_bytes() const { return stack_bytes_; }
  void set_stack_limit(std::uint64_t wanted) { stack_bytes_ = std::max<std::uint64_t>(8192, (wanted + 15) / 16 * 16); }

  /// Stores the report of a launch until take_reports(), up to a maximum number of reports.
  void add_report(launch_report report);
  [[nodiscard]] std::vector<launch_report> take_reports();

  /// Stores a finding in a call until take_call_findings(). Findings of one kind with the same call stack are merged;
  /// without a call stack, they must have the same text, too.
  void add_call_finding(call_finding found);
  /// Returns the findings with source lines. Errors that libraries of the toolkit handle themselves are left out.
  [[nodiscard]] std::vector<finding> take_call_findings();
  /// Returns true if there is a finding to be withdrawn when this thread asks for the last error.
  [[nodiscard]] bool has_launch_to_ask_for() const;
  void take_back_launches();
  /// Stores why a launch was refused, until take_refusal().
  void set_refusal(refusal why);
  [[nodiscard]] std::optional<refusal> take_refusal();

  /// Frees all memory, unloads all modules, and removes errors, streams and events.
  void reset();

  device(const device&) = delete;
  device& operator=(const device&) = delete;

 private:
  void apply_capacity();

  mutable std::recursive_mutex mutex_;
  cudaError_t sticky_ = cudaSuccess;
  const device_facts* facts_ = nullptr;
  options options_;
  std::uint64_t stack_bytes_ = 8192;
  std::vector<launch_report> reports_;
  std::vector<call_finding> call_findings_;
  std::optional<refusal> refusal_;
  bool dropping_said_ = false;
};

/// Prints one line on standard error, starting with "emulator: ", unless options::announce_errors is off.
void announce(const std::string& words);
/// The same, but a text that has been printed before is not printed again.
void announce_once(const std::string& words);

}  // namespace emulator::runtime
