#pragma once
/// \file
/// The emulated device: one for the process. Calls are carried out one at a time, at once and in the order they are
/// made.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/only_one.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/device_facts.hpp"

namespace emulator::runtime {

/// What a check found in a call of the runtime, and where that call stands.
struct call_finding {
  finding what;
  call_stack where = {};
  /// The thread whose question for the last error takes this finding back; none where nothing does.
  std::thread::id taken_back_by = {};
  /// The other call that is concerned, if any.
  struct other_call {
    call_stack where;
    /// What follows its place in the message. (Places are looked up when findings are reported.)
    std::string rest_of_message;
  };
  std::optional<other_call> other = {};
};

/// The state that one device has.
class device {
 public:
  static device& instance() { return only_one<device>(); }
  device();

  /// Held during every call on this device.
  [[nodiscard]] std::recursive_mutex& mutex() { return mutex_; }

  /// The error of a kernel that faulted; cudaSuccess where none did. Every call returns it until cudaDeviceReset.
  [[nodiscard]] cudaError_t sticky_error() const { return sticky_; }
  void set_sticky_error(cudaError_t error) { sticky_ = error; }

  /// Remembers an error of this host thread for cudaGetLastError and returns it; success and cudaErrorNotReady are not.
  cudaError_t remember(cudaError_t result);
  [[nodiscard]] cudaError_t last_error() const;
  void forget_last_error();

  [[nodiscard]] const device_facts& facts() const { return *facts_; }
  [[nodiscard]] options current_options() const;
  /// \throws std::invalid_argument  for a GPU that is not known
  void set_options(const options& wanted);

  /// A thread's stack for calls that are not inlined. The emulator's frames are larger than those of machine code, so
  /// it never goes below 8 KiB.
  [[nodiscard]] std::uint64_t stack_bytes() const { return stack_bytes_; }
  void set_stack_limit(std::uint64_t wanted) { stack_bytes_ = std::max<std::uint64_t>(8192, (wanted + 15) / 16 * 16); }

  /// Keeps what a launch did until take_reports(); a bounded number of them.
  void add_report(launch_report report);
  [[nodiscard]] std::vector<launch_report> take_reports();

  /// Keeps what a check found in a call, until take_call_findings(). The same words at the same place are one finding.
  void add_call_finding(call_finding found);
  /// Returns what was found, with source lines; without what libraries of the toolkit try and see to by themselves.
  [[nodiscard]] std::vector<finding> take_call_findings();
  /// Says whether there is a finding that a question of this thread takes back, and takes it back.
  [[nodiscard]] bool has_launch_to_ask_for() const;
  void take_back_launches();
  /// Keeps why a launch was refused, until take_refusal().
  void set_refusal(refusal why);
  [[nodiscard]] std::optional<refusal> take_refusal();

  /// Frees all memory, unloads all modules, forgets errors, streams and events.
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

/// Prints one line on standard error, "emulator: " before it, unless options::announce_errors is off.
void announce(const std::string& words);
/// The same, but only the first time that these words are to be said.
void announce_once(const std::string& words);

}  // namespace emulator::runtime
