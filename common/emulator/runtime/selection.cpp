// The functions of emulator.hpp: select the device and the checks, and return the results.

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "emulator/links.hpp"
#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/waiting_work.hpp"

namespace emulator {
namespace {

std::atomic<bool> gpu_selected{false};

/// Programs access managed variables through pointers that both devices share, so this asks the newly selected device
/// to set them. The stubs only ask once, before the first access.
void refresh_managed_pointers(bool on_gpu) {
  for (runtime::module_record* m : runtime::registry::instance().modules()) {
    const bool any = std::ranges::any_of(m->variables, [](const runtime::variable_record* v) { return v->managed; });
    if (!any) continue;
    if (!on_gpu) {
      static_cast<void>(runtime::place_managed_variables(*m));
      continue;
    }
    const auto initialise = runtime::real_function<char (*)(void**)>("__cudaInitModule");
    if (initialise != nullptr) initialise(m->real_handle);
  }
}

}  // namespace

bool gpu_available(std::string* why_not) {
  std::string reason;
  const auto answer = [&](bool available) {
    if (why_not != nullptr) *why_not = reason;
    return available;
  };
  if (!runtime::real_runtime::instance().load(reason)) return answer(false);
  const auto count_devices = runtime::real_function<cudaError_t (*)(int*)>("cudaGetDeviceCount");
  const auto words = runtime::real_function<const char* (*)(cudaError_t)>("cudaGetErrorString");
  const auto forget = runtime::real_function<cudaError_t (*)()>("cudaGetLastError");
  if (count_devices == nullptr || words == nullptr || forget == nullptr) {
    reason = "the CUDA runtime library lacks functions that every version has";
    return answer(false);
  }
  int count = 0;
  const cudaError_t error = count_devices(&count);
  if (error != cudaSuccess) {
    reason = outdated_driver();
    if (reason.empty()) reason = std::string("the CUDA runtime reports: ") + words(error);
    // This only asked whether there is a device. No call of the program has failed, so the error is forgotten.
    static_cast<void>(forget());
    return answer(false);
  }
  if (count == 0) reason = "the CUDA runtime finds no device";
  return answer(count > 0);
}

std::string outdated_driver() {
  return runtime::why_driver_is_too_old(runtime::installed_versions());
}

void select_device(device_kind kind) {
  const std::lock_guard lock(runtime::device::instance().mutex());
  const bool to_gpu = kind == device_kind::gpu;
  if (to_gpu == gpu_selected) return;
  runtime::waiting_work::instance().finish_all();
  if (to_gpu) {
    std::string why_not;
    if (!gpu_available(&why_not)) throw std::runtime_error("no NVIDIA GPU can be used: " + why_not);
    runtime::real_runtime::instance().send_registrations();
  }
  gpu_selected = to_gpu;
  refresh_managed_pointers(to_gpu);
}

device_kind selected_device() {
  return gpu_selected ? device_kind::gpu : device_kind::emulator;
}
void set_options(const options& wanted) {
  runtime::device::instance().set_options(wanted);
}
options current_options() {
  return runtime::device::instance().current_options();
}
std::vector<launch_report> take_reports() {
  return runtime::device::instance().take_reports();
}
std::optional<refusal> take_refusal() {
  return runtime::device::instance().take_refusal();
}

std::vector<finding> take_call_findings() {
  return runtime::device::instance().take_call_findings();
}
bool was_written(const void* pointer, std::size_t size_bytes) {
  return gpu_selected || memory::unwritten_runs(runtime::process_memory().memory,
                                                reinterpret_cast<std::uintptr_t>(pointer), size_bytes, 1)
                             .empty();
}
std::uint64_t allocations_made() {
  return runtime::process_memory().memory.allocations_made();
}
std::uint64_t warp_instructions_executed() {
  return simt::warp_instructions_executed();
}

void set_devices(int count, bool peers) {
  if (count < 1 || count > memory::max_devices)
    throw std::invalid_argument("the emulator has 1 to " + std::to_string(memory::max_devices) + " devices, not " +
                                std::to_string(count));
  static_cast<void>(runtime::device::instance());  // Its constructor reads the environment, which this call overrides.
  runtime::process_memory().devices.set(count, peers);
}

std::vector<link_traffic> traffic_of_links() {
  auto& all = runtime::process_memory().devices;
  std::vector<link_traffic> used;
  const auto end = [](int number) { return number == memory::host_end ? link_traffic::host : number; };
  for (int from = 0; from <= memory::host_end; ++from) {
    for (int to = 0; to <= memory::host_end; ++to) {
      const memory::link_counters& l = all.link(from, to);
      const link_traffic t{end(from),    end(to),          l.copies,      l.copied_bytes,    l.load_requests,
                           l.load_bytes, l.store_requests, l.store_bytes, l.atomic_requests, l.atomic_bytes};
      if (t.copies + t.load_requests + t.store_requests + t.atomic_requests != 0) used.push_back(t);
    }
  }
  return used;
}

namespace runtime {

bool on_gpu() {
  return gpu_selected.load(std::memory_order_relaxed);
}

cudaError_t missing_in_real_runtime(const char* name) {
  announce_once(std::string("the installed CUDA runtime has no ") + name);
  return cudaErrorNotSupported;
}

cudaError_t not_implemented(const char* name) {
  explain(std::string(name) + " is not implemented by the emulator");
  return device::instance().remember(cudaErrorNotSupported);
}

// For api_unimplemented.cpp, which must not include the runtime's prototypes.
int not_implemented_by_name(const char* name, const void* return_address) {
  if (on_gpu()) return missing_in_real_runtime(name);
  return on_emulator<after_fault::allowed>(name, return_address, [&] { return not_implemented(name); });
}
void* real_function_by_name(const char* name) {
  return real_runtime::instance().symbol(name);
}

}  // namespace runtime
}  // namespace emulator
