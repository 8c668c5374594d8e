#include "emulator/runtime/real_runtime.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <fstream>
#include <iterator>

#include "emulator/runtime/paths.hpp"

namespace emulator::runtime {

bool real_runtime::load(std::string& why_not) {
  const std::lock_guard lock(mutex_);
  if (!tried_) {
    tried_ = true;
    // Only the major version that the program was compiled for, because structures differ between major versions.
    const std::string name = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);
    for (const std::string& candidate : {std::string(cuda_library_folder) + "/" + name, name}) {
      library_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library_ != nullptr) break;
    }
    if (library_ == nullptr) {
      error_ = "the CUDA runtime library " + name + " is neither in " + cuda_library_folder +
               " nor where the system looks for libraries";
    }
  }
  why_not = error_;
  return library_ != nullptr;
}

bool real_runtime::loaded() {
  const std::lock_guard lock(mutex_);
  return library_ != nullptr;
}

void* real_runtime::symbol(const char* name) {
  std::string why_not;
  return load(why_not) ? dlsym(library_, name) : nullptr;
}

void real_runtime::send(module_record& which) {
  using register_function = void (*)(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
  using register_variable = void (*)(void**, void*, char*, const char*, int, size_t, int, int);
  which.real_handle = real_function<void** (*)(void*)>("__cudaRegisterFatBinary")(const_cast<void*>(which.wrapper));
  const auto add_function = real_function<register_function>("__cudaRegisterFunction");
  for (const function_record* f : which.functions) {
    add_function(which.real_handle, static_cast<const char*>(f->host_function), const_cast<char*>(f->device_name),
                 f->device_name, f->thread_limit, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  for (const variable_record* v : which.variables) {
    const char* const name = v->managed ? "__cudaRegisterManagedVar" : "__cudaRegisterVar";
    real_function<register_variable>(name)(which.real_handle, v->host_variable, v->device_address, v->device_name,
                                           v->external, v->size_bytes, v->constant ? 1 : 0, v->global);
  }
  real_function<void (*)(void**)>("__cudaRegisterFatBinaryEnd")(which.real_handle);
}

void real_runtime::send_registrations() {
  const std::lock_guard lock(mutex_);
  for (module_record* m : registry::instance().modules()) {
    if (m->complete && m->real_handle == nullptr) send(*m);
  }
}

void* real_runtime::kernel_handle(function_record& of) {
  const std::lock_guard lock(mutex_);
  if (of.real_kernel == nullptr) {
    using get_kernel = cudaError_t (*)(void**, const void*);
    const auto get = real_function<get_kernel>("__cudaGetKernel");
    if (get == nullptr || get(&of.real_kernel, of.host_function) != cudaSuccess) of.real_kernel = nullptr;
  }
  return of.real_kernel;
}

cuda_versions installed_versions() {
  cuda_versions found;
  const auto ask = [](const char* name, int& version) {
    const auto function = real_function<cudaError_t (*)(int*)>(name);
    if (function == nullptr || function(&version) != cudaSuccess) version = 0;
  };
  ask("cudaDriverGetVersion", found.driver);
  ask("cudaRuntimeGetVersion", found.runtime);
  std::ifstream file("/proc/driver/nvidia/version");
  found.release = driver_release({std::istreambuf_iterator<char>(file), {}});
  return found;
}

}  // namespace emulator::runtime
