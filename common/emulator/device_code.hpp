#pragma once
/// \file
/// Kernels that are loaded from a file and launched by name, instead of being linked into this program.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace emulator {

/// The kernels of one fat binary, as `nvcc --fatbin` writes it. The program needs no host code for them.
class device_code {
 public:
  /// \param container  the file's bytes
  /// \throws std::runtime_error  if the bytes aren't a fat binary, or if the fat binary is damaged
  explicit device_code(const std::vector<std::byte>& container);
  ~device_code();
  device_code(const device_code&) = delete;
  device_code& operator=(const device_code&) = delete;

  /// Returns the pointer that represents a kernel in calls of the runtime (`const void* func`), or null if the code has
  /// no kernel of this mangled name.
  /// \throws std::runtime_error  if the emulated device cannot read the code
  [[nodiscard]] const void* kernel(const std::string& mangled);
  /// Returns the size in bytes of each parameter of a kernel, in order. `kernel` was returned by the function above.
  [[nodiscard]] std::vector<std::uint32_t> parameter_sizes(const void* kernel) const;

  /// A variable in the memory of the device.
  struct placed_variable {
    void* address;
    std::size_t size_bytes;
  };
  /// Returns where a variable is, or nothing if the code has no such variable. \throws std::runtime_error  as above
  [[nodiscard]] std::optional<placed_variable> variable(const std::string& mangled) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace emulator
