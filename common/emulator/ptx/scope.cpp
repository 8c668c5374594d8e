#include "emulator/ptx/scope.hpp"

#include <charconv>

namespace emulator::ptx {

void register_scopes::open() {
  singles_.open();
  ranges_.open();
}

void register_scopes::close() {
  singles_.close();
  ranges_.close();
}

bool register_scopes::add(std::string_view name, register_place place) {
  return singles_.add(name, place);
}

bool register_scopes::add_range(std::string_view prefix, std::uint32_t count, register_place first) {
  return ranges_.add(prefix, {count, first});
}

std::optional<register_place> register_scopes::find(std::string_view name) const {
  std::size_t split = name.size();
  while (split > 0 && name[split - 1] >= '0' && name[split - 1] <= '9') --split;
  const std::string_view digits = name.substr(split);

  std::optional<register_place> result;
  std::size_t depth = 0;
  if (!digits.empty() && (digits.size() == 1 || digits[0] != '0')) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto* found = error == std::errc() ? ranges_.find(name.substr(0, split)) : nullptr;
    if (found && number < found->value.count) {
      const register_place first = found->value.first;
      result = register_place{first.index + number * first.width, first.width};
      depth = found->depth;
    }
  }
  const auto* single = singles_.find(name);
  if (single && (!result || single->depth >= depth)) result = single->value;
  return result;
}

bool forward_names::add(std::string_view name, std::uint32_t scope, std::uint32_t index) {
  return names_.emplace(key{name, scope}, index).second;
}

std::optional<std::uint32_t> forward_names::find(std::string_view name, std::uint32_t scope,
                                                 const std::vector<std::uint32_t>& parents) const {
  for (;;) {
    const auto found = names_.find(key{name, scope});
    if (found != names_.end()) return found->second;
    if (scope == 0) return std::nullopt;
    scope = parents[scope];
  }
}

}  // namespace emulator::ptx
