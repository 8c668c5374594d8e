#pragma once
/// \file
/// The implementation behind `launch.hpp`'s module and kernel.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/simt/launch.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt {

class loaded_module;

/// Returns a C++ name as its author wrote it, or `name` where it is not mangled.
[[nodiscard]] std::string demangled(const std::string& name);

class decoded_kernel final : public kernel {
 public:
  decoded_kernel(loaded_module& owner, ptx::function& function);
  [[nodiscard]] const ptx::function& declaration() const override { return function_; }
  [[nodiscard]] const observers::kernel_facts& facts() override { return code().facts; }
  void set_machine_needs(std::uint32_t registers, std::uint32_t local_bytes) override;
  /// The program, decoded on first use. \throws unsupported, ptx::parse_error
  [[nodiscard]] const program& code();

 private:
  loaded_module& owner_;
  ptx::function& function_;
  std::optional<program> program_;
  std::uint32_t registers_ = 0;
  std::optional<std::uint32_t> machine_local_bytes_;
};

class loaded_module final : public module {
 public:
  explicit loaded_module(ptx::module text);
  ~loaded_module() override;
  loaded_module(const loaded_module&) = delete;
  loaded_module& operator=(const loaded_module&) = delete;
  [[nodiscard]] kernel* find_kernel(const std::string& mangled) override;
  [[nodiscard]] const placed_variable* find_variable(const std::string& name) const override;
  [[nodiscard]] program decode(ptx::function& function);
  [[nodiscard]] std::mutex& mutex() { return mutex_; }

 private:
  void place_variables();
  /// The address that a pointer to a device function holds; nothing for other names.
  [[nodiscard]] std::optional<std::uint64_t> function_address(const std::string& name) const;
  /// The device functions whose address the module takes, with their numbers, bodies parsed.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, ptx::function*>> functions_with_address();

  ptx::module text_;
  std::unordered_map<std::string, placed_variable> variables_;
  std::unordered_map<std::string, std::unique_ptr<decoded_kernel>> kernels_;
  std::mutex mutex_;
};

}  // namespace emulator::simt
