#pragma once
/// \file
/// Device code that no object file of this program has brought along: kernels from a file, launched by name.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace emulator {

/// The kernels of one fat binary, as `nvcc --fatbin` writes it. Its host code, if there ever was any, is not needed.
class device_code {
 public:
  /// \param container  the file's bytes
  /// \throws std::runtime_error  where they are no fat binary, or a damaged one
  explicit device_code(const std::vector<std::byte>& container);
  ~device_code();
  device_code(const device_code&) = delete;
  device_code& operator=(const device_code&) = delete;

  /// Returns what the runtime's calls take as `const void* func`, by the mangled name; null where the
  /// code has no such kernel. \throws std::runtime_error  where the emulated device cannot read the code
  [[nodiscard]] const void* kernel(const std::string& mangled);
  /// Returns the bytes of each parameter of a kernel, in order. `kernel` is one that the function above returned.
  [[nodiscard]] std::vector<std::uint32_t> parameter_sizes(const void* kernel) const;

  /// A variable of the device's memory.
  struct placed_variable {
    void* address;
    std::size_t size_bytes;
  };
  /// Returns where a variable stands; nothing where the code has no such variable. \throws std::runtime_error  as above
  [[nodiscard]] std::optional<placed_variable> variable(const std::string& mangled) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace emulator
