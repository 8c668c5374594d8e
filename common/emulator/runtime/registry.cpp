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
  function_record& added = functions_.emplace_back();
  added.module = of;
  added.host_function = host_function;
  added.device_name = device_name;
  added.thread_limit = thread_limit;
  of->functions.push_back(&added);
  function_by_address_.emplace(&added, &added);
  // A template's stub, merged by the linker, is registered by every object file that has it: the first one is as good.
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
  // Another library may be loaded at the same addresses later.
  for (const function_record* f : which->functions) {
    function_by_address_.erase(f);
    const auto found = function_by_address_.find(f->host_function);
    if (found != function_by_address_.end() && found->second == f) function_by_address_.erase(found);
  }
  for (const variable_record* v : which->variables) {
    const auto found = variable_by_address_.find(v->host_variable);
    if (found != variable_by_address_.end() && found->second == v) variable_by_address_.erase(found);
  }
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
