#pragma once
/// \file
/// The fat binaries, kernels and variables that a program's object files register before main() begins. Registration
/// only records them: nothing is read, parsed or sent to a GPU before its first use.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

struct module_record;

/// One object for each device, because each device has its own copy of variables and code.
template <typename T>
class for_each_device {
 public:
  /// Returns the object of the current device.
  [[nodiscard]] T& here() { return all_[static_cast<std::size_t>(memory::current_device())]; }

 private:
  std::array<T, memory::max_devices> all_{};
};

/// A kernel that an object file registered. Its address is also the program's kernel handle.
struct function_record {
  module_record* module = nullptr;
  const void* host_function = nullptr;  ///< Address of the host stub, which a program passes as `const void* func`.
  const char* device_name = nullptr;    ///< Mangled.
  int thread_limit = -1;
  for_each_device<simt::kernel*> kernel = {};  ///< On the emulated devices; null until first use.
  void* real_kernel = nullptr;                 ///< The real runtime's handle; null until first use.
  std::uint64_t dynamic_shared_limit = 0;      ///< cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set.
  int preferred_carveout = -1;
  int large_clusters = 0;                         ///< cudaFuncAttributeNonPortableClusterSizeAllowed.
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< cudaFuncAttributeRequiredClusterWidth etc.; 0: not set.
};

/// A `__device__`, `__constant__` or `__managed__` variable.
struct variable_record {
  module_record* module = nullptr;
  void* host_variable = nullptr;   ///< Address of the host's shadow or, for a managed variable, of the host's pointer.
  char* device_address = nullptr;  ///< As registered, because the real runtime needs it.
  const char* device_name = nullptr;
  int external = 0;
  std::size_t size_bytes = 0;
  bool constant = false;
  int global = 0;
  bool managed = false;
};

/// One fat binary and everything registered with it. Its address is the program's handle.
struct module_record {
  const void* wrapper = nullptr;
  std::vector<function_record*> functions;
  std::vector<variable_record*> variables;
  bool complete = false;                                  ///< __cudaRegisterFatBinaryEnd was called.
  bool removed = false;                                   ///< __cudaUnregisterFatBinary was called.
  void** real_handle = nullptr;                           ///< Set if it was sent to the real runtime.
  for_each_device<std::unique_ptr<simt::module>> loaded;  ///< On the emulated devices.
  unsigned ptx_architecture = 0;                          ///< Architecture of the loaded PTX: 90 for compute_90.
};

/// All registrations of the process. Can be used before static objects are constructed and after they are destroyed.
class registry {
 public:
  static registry& instance() { return singleton<registry>(); }

  module_record* add_module(const void* wrapper);
  function_record* add_function(module_record* of, const void* host_function, const char* device_name,
                                int thread_limit);
  variable_record* add_variable(const variable_record& described);
  void remove_module(module_record* which);

  /// Returns the kernel for a host stub's address or for a kernel handle, or null.
  [[nodiscard]] function_record* find_function(const void* host_function_or_handle);
  /// Returns the variable whose host shadow is at this address, or null.
  [[nodiscard]] variable_record* find_variable(const void* host_variable);
  [[nodiscard]] std::vector<module_record*> modules();

 private:
  std::mutex mutex_;
  // Deques, because addresses of records are handles and must not change.
  std::deque<module_record> modules_;
  std::deque<function_record> functions_;
  std::deque<variable_record> variables_;
  std::unordered_map<const void*, function_record*> function_by_address_;
  std::unordered_map<const void*, variable_record*> variable_by_address_;
};

}  // namespace emulator::runtime
