#include "emulator/runtime/argument_words.hpp"

#include <fmt/format.h>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {
namespace {

std::string memory_in_words(const void* pointer) {
  memory::global_memory& memory = process_memory().memory;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const memory::allocation* whole = memory.find(address);
  std::string words;
  static_cast<void>(memory.classify(address, &words));
  if (whole != nullptr && whole->begin == address) return words.substr(words.find(' ') + 1);  // without "inside"
  return whole != nullptr ? fmt::format("{}, at byte {}", words, address - whole->begin) : words;
}

}  // namespace

std::string argument_in_words(std::string_view name, const void* value) {
  if (name == "symbol") {
    const variable_record* variable = registry::instance().find_variable(value);
    if (variable == nullptr) return "symbol: no variable of the device";
    return fmt::format("symbol: {} ({} bytes)", variable->device_name, variable->size_bytes);
  }
  if (name == "function") {
    const function_record* function = registry::instance().find_function(value);
    return fmt::format("function: {}", function != nullptr ? function->device_name : "not a kernel of this program");
  }
  return fmt::format("{}: {}", name, memory_in_words(value));
}

std::string argument_in_words(std::string_view name, cudaMemcpyKind value) {
  static constexpr const char* kinds[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                          "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  const auto number = static_cast<unsigned>(value);
  return number < std::size(kinds) ? fmt::format("{}: {}", name, kinds[number]) : fmt::format("{}: {}", name, number);
}

std::string argument_in_words(std::string_view name, const dim3& value) {
  return fmt::format("{}: {} x {} x {}", name, value.x, value.y, value.z);
}

std::string_view take_name(std::string_view& names) {
  const std::size_t comma = std::min(names.find(','), names.size());
  std::string_view name = names.substr(0, comma);
  names.remove_prefix(std::min(comma + 1, names.size()));
  while (name.starts_with(' ')) name.remove_prefix(1);
  if (const std::size_t inner = name.find('('); inner != std::string_view::npos) {
    name = name.substr(inner + 1, name.find(')') - inner - 1);
  }
  return name;
}

}  // namespace emulator::runtime
