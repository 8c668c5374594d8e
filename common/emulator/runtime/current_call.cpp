#include "emulator/runtime/current_call.hpp"

#include <atomic>
#include <string_view>
#include <utility>

#include "emulator/emulator.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/host_watch.hpp"

namespace emulator::runtime {
namespace {

thread_local call_in_progress* current = nullptr;
thread_local const void* noted_launch_site = nullptr;

std::atomic<std::uint64_t> waiting_calls = 0;
std::atomic<std::uint64_t> calls_begun = 0, calls_ended = 0;

/// Says whether host and device wait for each other in this call.
bool waits(std::string_view call) {
  if (call.ends_with("Synchronize") || call == "cudaFree") return true;
  return call.starts_with("cudaMemcpy") && call.find("Async") == std::string_view::npos;
}

}  // namespace

call_in_progress::call_in_progress(const char* name, const void* return_address, const void* words, speaker say)
    : name_(name), return_address_(return_address), words_(words), say_(say), outer_(current) {
  // The stub launches next: whatever call comes first is the one.
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

}  // namespace emulator::runtime

std::uint64_t emulator::waiting_calls_made() {
  return runtime::waiting_calls;
}
