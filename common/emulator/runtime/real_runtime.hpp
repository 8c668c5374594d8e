#pragma once
/// \file
/// NVIDIA's own CUDA runtime, loaded when a GPU is asked for. The emulator takes its names in the program, so that it
/// is found by dlopen only and its functions are called through pointers.

#include <mutex>
#include <string>

#include "emulator/only_one.hpp"
#include "emulator/runtime/driver_version.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

/// The real runtime library, loaded once.
class real_runtime {
 public:
  static real_runtime& instance() { return only_one<real_runtime>(); }

  /// Loads the library, if need be. Returns false, with the reason in `why_not`, where there is none.
  [[nodiscard]] bool load(std::string& why_not);
  /// Returns the address of a function, or null; loads the library, if need be.
  [[nodiscard]] void* symbol(const char* name);
  /// Says whether the library has been loaded.
  [[nodiscard]] bool loaded();

  /// Sends what the program registered, and was not sent before.
  void send_registrations();
  /// Returns the library's own handle of a kernel, or null.
  [[nodiscard]] void* kernel_handle(function_record& of);

 private:
  void send(module_record& which);

  std::recursive_mutex mutex_;
  void* library_ = nullptr;
  bool tried_ = false;
  std::string error_;
};

/// Returns the versions of the driver and of the real runtime; zeros if the library cannot be loaded.
[[nodiscard]] cuda_versions installed_versions();

/// Returns a function of the real runtime by name; ends the call with null where the library lacks it.
template <typename Function>
[[nodiscard]] Function real_function(const char* name) {
  return reinterpret_cast<Function>(real_runtime::instance().symbol(name));
}

}  // namespace emulator::runtime
