#pragma once
/// \file
/// NVIDIA's own CUDA runtime, loaded when a GPU is selected. In the program, the emulator defines functions with the
/// same names, so the library is only opened by dlopen, and its functions are called through pointers.

#include <mutex>
#include <string>

#include "emulator/runtime/driver_version.hpp"
#include "emulator/runtime/registry.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

/// The real runtime library, loaded once.
class real_runtime {
 public:
  static real_runtime& instance() { return singleton<real_runtime>(); }

  /// Loads the library if necessary. If there is none, returns false and the reason in `why_not`.
  [[nodiscard]] bool load(std::string& why_not);
  /// Returns the address of a function, or null. Loads the library if necessary.
  [[nodiscard]] void* symbol(const char* name);
  /// Returns true if the library has been loaded.
  [[nodiscard]] bool loaded();

  /// Sends the library those registrations of the program that it hasn't received yet.
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

/// Returns a function of the real runtime by name, or null if the library lacks it.
template <typename Function>
[[nodiscard]] Function real_function(const char* name) {
  return reinterpret_cast<Function>(real_runtime::instance().symbol(name));
}

}  // namespace emulator::runtime
