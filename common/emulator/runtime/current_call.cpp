#include "emulator/runtime/current_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/emulator.hpp"
#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/host_watch.hpp"
#include "emulator/runtime/process_memory.hpp"

namespace emulator::runtime {
namespace {

thread_local call_in_progress* current = nullptr;
thread_local const void* noted_launch_site = nullptr;

std::atomic<std::uint64_t> waiting_calls = 0;
std::atomic<std::uint64_t> calls_begun = 0, calls_ended = 0;

/// Returns true if the host waits for the device in this call.
bool waits(std::string_view call) {
  if (call.ends_with("Synchronize") || call == "cudaFree") return true;
  return call.starts_with("cudaMemcpy") && call.find("Async") == std::string_view::npos;
}

/// Returns true if this error is an answer to the program's question, and not a mistake.
bool is_question(const std::string& call, cudaError_t error) {
  static constexpr std::array questions = {
      "cudaDeviceCanAccessPeer",  "cudaDeviceGetAttribute",   "cudaDeviceGetP2PAttribute",
      "cudaFuncGetAttributes",    "cudaGetDriverEntryPoint",  "cudaGetDriverEntryPointByVersion",
      "cudaPointerGetAttributes", "cudaStreamGetCaptureInfo", "cudaStreamIsCapturing"};
  if (error == cudaErrorNotReady || error == cudaErrorPeerAccessAlreadyEnabled) return true;
  return std::any_of(questions.begin(), questions.end(), [&](const char* question) { return call == question; });
}

/// Returns what an error means if the call itself has given no reason.
std::string usual_reason(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidValue:
      return "an argument has an invalid value";
    case cudaErrorInvalidPitchValue:
      return "the rows are longer than the pitch, the distance between the beginnings of two rows";
    case cudaErrorInvalidSymbol:
      return "the symbol is not a __device__ or __constant__ variable of this program: pass the variable itself, not "
             "its address or its name as text";
    case cudaErrorInvalidMemcpyDirection:
      return "the direction is invalid for this copy";
    case cudaErrorInvalidDevice:
      return process_memory().devices.count() == 1
                 ? "there is only one device, and its number is 0"
                 : "there is no device of that number, or it is the current one where another is wanted";
    case cudaErrorInvalidDeviceFunction:
      return "the function isn't a kernel of this program";
    case cudaErrorInvalidResourceHandle:
      return "invalid stream or event handle: it was never created, or has been destroyed";
    case cudaErrorMemoryAllocation: {
      const memory::global_memory& memory = process_memory().memory;
      return fmt::format("the device has {} bytes, and {} of them are in use", memory.capacity(), memory.used());
    }
    default:
      return cudaGetErrorString(error);
  }
}

/// Returns `words` without the call's name at its start, because the sentence contains it already.
std::string without_name(std::string words, const std::string& call) {
  if (words.starts_with(call + ": ")) words.erase(0, call.size() + 2);
  return words;
}

finding finding_of(const call_in_progress& call, cudaError_t error) {
  finding found;
  const bool unsupported = error == cudaErrorNotSupported;
  const std::string why = without_name(call.reason.empty() ? usual_reason(error) : call.reason, call.name());
  if (!call.kernel.empty()) {
    found.kind = unsupported ? finding_kind::unsupported_launch : finding_kind::refused_launch;
    found.kernel = call.kernel;
    found.message = fmt::format("Kernel {} was not launched ({}): {}. The launch asks for {}.", call.kernel,
                                cudaGetErrorName(error), why, call.launch);
    found.parts.headline = fmt::format("the kernel was not launched ({})", cudaGetErrorName(error));
    found.parts.reason = why;
    found.parts.label = "the launch asks for " + call.launch;
    found.cure = call.from_chevrons ? "The kernel has not run, so its results are missing. Fix the launch, and call "
                                      "cudaGetLastError() after each <<<...>>>, which returns nothing itself."
                                    : "The kernel has not run, so its results are missing. Fix the launch, and check "
                                      "the result of the call.";
    return found;
  }
  found.kind = unsupported ? finding_kind::unsupported_call : finding_kind::failed_call;
  found.message = fmt::format("{} failed ({}): {}.", call.name(), cudaGetErrorName(error), why);
  found.parts.headline = fmt::format("{} failed ({})", call.name(), cudaGetErrorName(error));
  found.parts.reason = why;
  if (const std::string arguments = call.arguments(); !arguments.empty()) {
    found.message += fmt::format(" Its arguments: {}.", arguments);
    found.parts.label = arguments;
  }
  found.cure = unsupported ? "The program may be right, but the emulator does not support this call. What the program "
                             "does without it says nothing of it."
                           : "The call had no effect. Fix its arguments, and check the result of every call.";
  return found;
}

}  // namespace

call_in_progress::call_in_progress(const char* name, const void* return_address, const void* words, speaker say)
    : name_(name), return_address_(return_address), words_(words), say_(say), outer_(current) {
  // If the configuration of a <<<...>>> launch has just been pushed, this call is the launch.
  launch_site_ = reinterpret_cast<std::uintptr_t>(std::exchange(noted_launch_site, nullptr));
  from_chevrons = launch_site_ != 0;
  current = this;
  calls_begun.fetch_add(1, std::memory_order_relaxed);
  if (outer_ != nullptr) return;
  if (waits(this->name())) ++waiting_calls;
  host_watch::instance().call_begins();
}

call_in_progress::~call_in_progress() {
  if (outer_ == nullptr) host_watch::instance().call_ends();
  current = outer_;
  calls_ended.fetch_add(1, std::memory_order_relaxed);
}

bool call_in_progress::any() {
  return calls_begun.load(std::memory_order_relaxed) != calls_ended.load(std::memory_order_relaxed);
}

std::uint64_t calls_made() {
  return calls_begun.load(std::memory_order_relaxed);
}

call_in_progress* call_in_progress::innermost() {
  return current;
}

bool call_in_progress::has_default_stream_per_thread() const {
  const std::string_view name(name_);
  return name.ends_with("_ptsz") || name.ends_with("_ptds");
}

std::string call_in_progress::name() const {
  std::string plain = name_;
  for (const char* ending : {"_ptsz", "_ptds", "_v2", "_v3"}) {
    if (plain.ends_with(ending)) plain.resize(plain.size() - std::string(ending).size());
  }
  return plain;
}

call_stack call_in_progress::stack() const {
  call_stack found = stack_from(return_address_);
  found.launch_site = launch_site_;
  return found;
}

void explain(const std::string& words) {
  announce_once(words);
  if (current != nullptr && current->reason.empty()) current->reason = words;
}

void note_launch_site(const void* return_address) {
  noted_launch_site = return_address;
}

void report_failed_call(cudaError_t error) {
  call_in_progress* call = call_in_progress::innermost();
  if (call == nullptr || call->reported || is_question(call->name(), error)) return;
  const options watched = device::instance().current_options();
  if (!watched.memcheck || !watched.api_errors) return;
  call->reported = true;
  call_finding found{finding_of(*call, error), call->stack(), {}};
  if (call->from_chevrons) found.taken_back_by = std::this_thread::get_id();
  device::instance().add_call_finding(std::move(found));
}

void errors_asked_for(const void* return_address) {
  device& here = device::instance();
  if (!here.has_launch_to_ask_for()) return;
  if (!made_by_library(frames_of({stack_from(return_address)}).front())) here.take_back_launches();
}

}  // namespace emulator::runtime

std::uint64_t emulator::waiting_calls_made() {
  return runtime::waiting_calls;
}
