// The functions that nvcc's host code calls before main() and for every launch. They have no public prototypes. The
// ones here are taken from the compiler's output and its header crt/host_runtime.h.

#include <vector>

#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/launcher.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/router.hpp"

using namespace emulator::runtime;

namespace {

struct call_configuration {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared_bytes = 0;
  void* stream = nullptr;
  const void* noted_at = nullptr;  ///< The return address of the call that pushed it.
};

/// The configurations of <<<...>>> launches, from the call that pushes one until the stub pops it.
thread_local std::vector<call_configuration> configurations;

module_record* module_of(void** handle) {
  return reinterpret_cast<module_record*>(handle);
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  report_at_exit();
  return reinterpret_cast<void**>(registry::instance().add_module(wrapper));
}

void __cudaRegisterFatBinaryEnd(void** handle) {
  module_of(handle)->complete = true;
  // This matters for a library that is opened while a GPU is selected.
  if (on_gpu()) real_runtime::instance().send_registrations();
}

void __cudaUnregisterFatBinary(void** handle) {
  // The real runtime isn't notified. It was loaded after the program registered its code, so at exit it is unloaded
  // before this call.
  registry::instance().remove_module(module_of(handle));
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int thread_limit,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  registry::instance().add_function(module_of(handle), host_function, device_name, thread_limit);
}

static void register_variable(void** handle, void* host_variable, char* device_address, const char* device_name,
                              int external, size_t size, int constant, int global, bool managed) {
  registry::instance().add_variable(
      {module_of(handle), host_variable, device_address, device_name, external, size, constant != 0, global, managed});
}

void __cudaRegisterVar(void** handle, char* host_variable, char* device_address, const char* device_name, int external,
                       size_t size, int constant, int global) {
  register_variable(handle, host_variable, device_address, device_name, external, size, constant, global, false);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char* device_address, const char* device_name,
                              int external, size_t size, int constant, int global) {
  register_variable(handle, host_pointer, device_address, device_name, external, size, constant, global, true);
}

char __cudaInitModule(void** handle) {
  module_record* which = module_of(handle);
  if (on_gpu()) {
    real_runtime::instance().send_registrations();
    const auto real = real_function<char (*)(void**)>("__cudaInitModule");
    return real != nullptr ? real(which->real_handle) : '\0';
  }
  const cudaError_t error = on_emulator<after_fault::allowed>([&] { return place_managed_variables(*which); });
  return error == cudaSuccess ? '\1' : '\0';
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared_bytes, void* stream) {
  configurations.push_back({grid, block, dynamic_shared_bytes, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_shared_bytes, void* stream) {
  if (configurations.empty()) return device::instance().remember(cudaErrorMissingConfiguration);
  const call_configuration top = configurations.back();
  configurations.pop_back();
  if (!on_gpu()) note_launch_site(top.noted_at);
  *grid = top.grid;
  *block = top.block;
  *dynamic_shared_bytes = top.dynamic_shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  return cudaSuccess;
}

/// Stubs store the handle for the rest of the program, so it is always the emulator's handle, no matter which device is
/// selected.
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host_function) {
  function_record* found = registry::instance().find_function(host_function);
  if (found == nullptr) return device::instance().remember(cudaErrorInvalidDeviceFunction);
  *handle = reinterpret_cast<cudaKernel_t>(found);
  return cudaSuccess;
}

static cudaError_t launch(const char* real_name, const void* return_address, cudaKernel_t handle, dim3 grid, dim3 block,
                          void** arguments, size_t dynamic_shared_bytes, cudaStream_t stream) {
  if (on_gpu()) {
    using signature = cudaError_t (*)(void*, dim3, dim3, void**, size_t, cudaStream_t);
    const auto real = real_function<signature>(real_name);
    function_record* found = kernel_to_run(handle);
    if (found == nullptr && registry::instance().find_function(handle) != nullptr) return cudaErrorInvalidPtx;
    void* real_handle = found != nullptr ? real_runtime::instance().kernel_handle(*found) : handle;
    if (found != nullptr)
      dynamic_shared_bytes += extra_shared_bytes(*found, block.x * block.y * block.z, dynamic_shared_bytes);
    return forward(real_name, real, real_handle, grid, block, arguments, dynamic_shared_bytes, stream);
  }
  return on_emulator<after_fault::refused>(real_name, return_address, [&] {
    return launch_in_stream({handle, grid, block, arguments, dynamic_shared_bytes, stream, false});
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t handle, dim3 grid, dim3 block, void** arguments,
                               size_t dynamic_shared_bytes, cudaStream_t stream) {
  return launch("__cudaLaunchKernel", __builtin_return_address(0), handle, grid, block, arguments, dynamic_shared_bytes,
                stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t handle, dim3 grid, dim3 block, void** arguments,
                                    size_t dynamic_shared_bytes, cudaStream_t stream) {
  return launch("__cudaLaunchKernel_ptsz", __builtin_return_address(0), handle, grid, block, arguments,
                dynamic_shared_bytes, stream);
}

}  // extern "C"
