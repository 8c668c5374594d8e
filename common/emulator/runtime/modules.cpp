#include "emulator/runtime/modules.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <optional>

#include "emulator/fat_binary/fat_binary.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/stream_order.hpp"

namespace emulator::runtime {
namespace {

/// Returns the PTX for the device. If all of it is for newer devices, returns the oldest, because the emulator runs PTX
/// for any target, independently of its simulated GPU.
const fat_binary::entry& ptx_for(const std::vector<fat_binary::entry>& entries, unsigned capability) {
  std::optional<unsigned> oldest;
  for (const fat_binary::entry& e : entries) {
    if (e.kind == fat_binary::entry_kind::ptx) oldest = std::min(oldest.value_or(e.architecture), e.architecture);
  }
  return fat_binary::select_ptx(entries, std::max(capability, oldest.value_or(0)));
}

/// Reads the resources that ptxas assigned to the module's kernels; empty if there is no machine code, or none that can
/// be read.
std::map<std::string, fat_binary::kernel_resources> resources_of(const std::vector<fat_binary::entry>& entries,
                                                                 unsigned capability, unsigned ptx_architecture) {
  const fat_binary::entry* code = fat_binary::select_machine_code(entries, capability);
  if (code == nullptr) code = fat_binary::select_machine_code(entries, ptx_architecture);
  if (code == nullptr) return {};
  try {
    return fat_binary::read_kernel_resources(fat_binary::contents(*code));
  } catch (const fat_binary::error& failed) {
    announce_once(std::string("the number of registers per thread is unknown: ") + failed.what());
    return {};
  }
}

/// Marks managed variables as memory that the host accesses directly.
void share_managed_variables(module_record& which) {
  for (const variable_record* v : which.variables) {
    const simt::placed_variable* const placed =
        v->managed ? which.loaded.here()->find_variable(v->device_name) : nullptr;
    if (placed == nullptr) continue;
    process_memory().memory.find(placed->address)->host_reaches = true;
    stream_order::instance().shared_memory_made();
  }
}

}  // namespace

loaded<simt::module> load_module(module_record& which) {
  if (which.loaded.here() != nullptr) return {which.loaded.here().get()};
  const bool managed = std::ranges::any_of(which.variables, [](const auto* v) { return v->managed; });
  if (managed && memory::current_device() != 0) {
    return {nullptr, cudaErrorNotSupported,
            "its file has __managed__ variables, which the emulator supports on device 0 only: use cudaMallocManaged"};
  }
  try {
    const auto capability = static_cast<unsigned>(device::instance().facts().capability());
    const fat_binary::registered_code code = fat_binary::read_registered(which.wrapper);
    std::vector<std::string> texts;
    for (const std::vector<fat_binary::entry>& of_a_file : code.files) {
      const fat_binary::entry& ptx = ptx_for(of_a_file, capability);
      texts.push_back(fat_binary::ptx_text(ptx));
      which.ptx_architecture = ptx.architecture;
    }
    which.loaded.here() = simt::module::load(std::move(texts), process_memory());
    share_managed_variables(which);
    const auto resources = resources_of(code.whole, capability, which.ptx_architecture);
    for (const auto& [name, needs] : resources) {
      if (simt::kernel* kernel = which.loaded.here()->find_kernel(name))
        kernel->set_machine_needs(needs.registers, needs.frame_bytes);
    }
    return {which.loaded.here().get()};
  } catch (const fat_binary::error& failed) {
    return {nullptr, cudaErrorNoKernelImageForDevice, failed.what()};
  } catch (const ptx::parse_error& failed) {
    return {nullptr, cudaErrorInvalidPtx, std::string("PTX that the emulator cannot read: ") + failed.what()};
  } catch (const simt::unsupported& failed) {
    return {nullptr, cudaErrorNotSupported, failed.what()};
  } catch (const std::bad_alloc&) {
    return {nullptr, cudaErrorMemoryAllocation, "this machine has no memory left for the program's device code"};
  }
}

loaded<simt::kernel> load_kernel(function_record& which) {
  simt::kernel*& here = which.kernel.here();
  if (here != nullptr) return {here};
  const auto [code, error, why_not] = load_module(*which.module);
  if (code == nullptr) return {nullptr, error, why_not};
  here = code->find_kernel(which.device_name);
  if (here != nullptr) return {here};
  return {nullptr, cudaErrorInvalidDeviceFunction, std::string("the PTX has no kernel ") + which.device_name};
}

loaded<const simt::placed_variable> load_variable(variable_record& which) {
  const auto [code, error, why_not] = load_module(*which.module);
  if (code == nullptr) return {nullptr, error, why_not};
  if (const auto* placed = code->find_variable(which.device_name)) return {placed};
  return {nullptr, cudaErrorInvalidSymbol, std::string("the PTX has no variable ") + which.device_name};
}

kernel_needs needs_of(const function_record& function, simt::kernel& kernel) {
  const observers::kernel_facts& facts = kernel.facts();
  kernel_needs needs;
  needs.registers_per_thread = facts.registers_per_thread;
  needs.static_shared_bytes = facts.static_shared_bytes;
  needs.dynamic_shared_limit = function.dynamic_shared_limit;
  needs.preferred_carveout = function.preferred_carveout;
  const ptx::function& declared = kernel.declaration();
  const bool made_for = declared.required_cluster[0] != 0;
  const std::uint32_t* const cluster = made_for ? declared.required_cluster : function.required_cluster;
  for (int axis = 0; axis < 3; ++axis)
    needs.required_cluster[axis] = (cluster[0] | cluster[1] | cluster[2]) == 0 ? 0 : std::max(cluster[axis], 1u);
  needs.must_have_cluster = made_for || declared.explicit_cluster;
  needs.max_cluster_blocks = declared.max_cluster_blocks;
  needs.large_clusters = function.large_clusters != 0;
  const std::uint32_t* bound = declared.required_threads[0] != 0 ? declared.required_threads : declared.max_threads;
  if (bound[0] != 0) {
    needs.max_threads_per_block = bound[0] * std::max(bound[1], 1u) * std::max(bound[2], 1u);
  }
  return needs;
}

cudaError_t place_managed_variables(module_record& which) {
  const memory::on_device first(0);
  for (variable_record* v : which.variables) {
    if (!v->managed) continue;
    const auto [placed, error, why_not] = load_variable(*v);
    if (placed == nullptr) {
      announce_once(why_not);
      return error;
    }
    *static_cast<void**>(v->host_variable) = reinterpret_cast<void*>(placed->address);
    // The host may write to it without a call, so it counts as written.
    process_memory().memory.mark_initialized(placed->address, placed->size_bytes);
  }
  return cudaSuccess;
}

void unload_modules_of_device() {
  for (module_record* m : registry::instance().modules()) {
    for (function_record* f : m->functions) f->kernel.here() = nullptr;
    m->loaded.here().reset();
  }
}

void unload_all_modules() {
  for (int d = 0; d < process_memory().devices.count(); ++d) {
    const memory::on_device each(d);
    unload_modules_of_device();
  }
}

void replace_managed_variables() {
  for (module_record* m : registry::instance().modules()) {
    const bool used = std::ranges::any_of(m->variables, [](const variable_record* v) {
      return v->managed && *static_cast<void**>(v->host_variable) != nullptr;
    });
    if (used) static_cast<void>(place_managed_variables(*m));
  }
}

}  // namespace emulator::runtime
