#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

module_record* registry::add_module(const void* wrapper) {
  const std::lock_guard lock(mutex_);
  module_record& added = modules_.emplace_back();
  added.wrapper = wrapper;
  return &added;
}

function_record* registry::add_function(module_record* of, const void* host_function, const char* device_name,
                                        int thread_limit) {
  const std::lock_guard lock(mutex_);
  function_record& added = functions_.emplace_back(function_record{of, host_function, device_name, thread_limit});
  of->functions.push_back(&added);
  function_by_address_.emplace(&added, &added);
  // The linker merges the stubs of a template, but every object file that contains it registers it. Any of the
  // registrations would do, so we keep the first one.
  function_by_address_.emplace(host_function, &added);
  return &added;
}

variable_record* registry::add_variable(const variable_record& described) {
  const std::lock_guard lock(mutex_);
  variable_record& added = variables_.emplace_back(described);
  added.module->variables.push_back(&added);
  variable_by_address_.emplace(added.host_variable, &added);
  return &added;
}

void registry::remove_module(module_record* which) {
  const std::lock_guard lock(mutex_);
  which->removed = true;
  // A different library may be loaded at the same addresses later.
  const auto is_its = [which](const auto& entry) { return entry.second->module == which; };
  std::erase_if(function_by_address_, is_its);
  std::erase_if(variable_by_address_, is_its);
}

function_record* registry::find_function(const void* host_function_or_handle) {
  const std::lock_guard lock(mutex_);
  const auto found = function_by_address_.find(host_function_or_handle);
  return found == function_by_address_.end() ? nullptr : found->second;
}

variable_record* registry::find_variable(const void* host_variable) {
  const std::lock_guard lock(mutex_);
  const auto found = variable_by_address_.find(host_variable);
  return found == variable_by_address_.end() ? nullptr : found->second;
}

std::vector<module_record*> registry::modules() {
  const std::lock_guard lock(mutex_);
  std::vector<module_record*> all;
  for (module_record& m : modules_) {
    if (!m.removed) all.push_back(&m);
  }
  return all;
}

}  // namespace emulator::runtime
