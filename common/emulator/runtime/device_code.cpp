#include "emulator/device_code.hpp"

#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>

#include "emulator/fat_binary/fat_binary.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator {
namespace {

constexpr std::int32_t wrapper_magic = 0x466243b1;

/// Aligned like a container in an object file.
struct alignas(16) portion {
  std::byte bytes[16];
};

}  // namespace

struct device_code::state {
  std::vector<portion> container;
  fat_binary::wrapper wrapper{};
  runtime::module_record* module = nullptr;
  /// Mangled names. Elements of a set never move, so their addresses can replace the host stubs of an object file.
  std::set<std::string> kernels;
};

device_code::device_code(const std::vector<std::byte>& container) : state_(std::make_unique<state>()) {
  // The container is checked here, because its size is known. The wrapper has only its address.
  if (fat_binary::read_entries({container.data(), container.size()}).empty())
    throw std::runtime_error("the fat binary contains no code");
  state_->container.resize(container.size() / sizeof(portion) + 1);
  std::memcpy(state_->container.data(), container.data(), container.size());
  state_->wrapper = {wrapper_magic, 1, state_->container.data(), nullptr};
  state_->module = runtime::registry::instance().add_module(&state_->wrapper);
  state_->module->complete = true;
}

device_code::~device_code() {
  runtime::registry::instance().remove_module(state_->module);
}

const void* device_code::kernel(const std::string& mangled) {
  const std::lock_guard lock(runtime::device::instance().mutex());
  if (const auto known = state_->kernels.find(mangled); known != state_->kernels.end()) return &*known;
  const auto [code, error, why_not] = runtime::load_module(*state_->module);
  if (code == nullptr) throw std::runtime_error(why_not);
  if (code->find_kernel(mangled) == nullptr) return nullptr;
  const std::string& name = *state_->kernels.insert(mangled).first;
  runtime::registry::instance().add_function(state_->module, &name, name.c_str(), /*thread_limit=*/-1);
  return &name;
}

std::optional<device_code::placed_variable> device_code::variable(const std::string& mangled) const {
  const std::lock_guard lock(runtime::device::instance().mutex());
  const auto [code, error, why_not] = runtime::load_module(*state_->module);
  if (code == nullptr) throw std::runtime_error(why_not);
  const simt::placed_variable* found = code->find_variable(mangled);
  if (found == nullptr) return {};
  return placed_variable{reinterpret_cast<void*>(found->address), found->size_bytes};
}

std::vector<std::uint32_t> device_code::parameter_sizes(const void* kernel) const {
  const std::lock_guard lock(runtime::device::instance().mutex());
  std::vector<std::uint32_t> sizes;
  runtime::function_record* record = runtime::registry::instance().find_function(kernel);
  simt::kernel* found = record == nullptr ? nullptr : runtime::load_kernel(*record).what;
  if (found == nullptr) return sizes;
  for (const ptx::variable& parameter : found->declaration().parameters)
    sizes.push_back(static_cast<std::uint32_t>(parameter.size_bytes()));
  return sizes;
}

}  // namespace emulator
