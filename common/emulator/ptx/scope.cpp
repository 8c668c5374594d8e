#include "emulator/ptx/scope.hpp"

#include <charconv>

namespace emulator::ptx {

void register_scopes::open() {
  ++depth_;
  singles_.open();
  range_by_prefix_.open();
}

void register_scopes::close() {
  --depth_;
  singles_.close();
  range_by_prefix_.close();
}

bool register_scopes::add_range(std::string_view prefix, std::uint32_t count, register_place first) {
  const auto* hidden = range_by_prefix_.find(prefix);
  ranges_.push_back({count, first, depth_, hidden ? hidden->value : -1});
  return range_by_prefix_.add(prefix, static_cast<std::int32_t>(ranges_.size() - 1));
}

std::optional<register_place> register_scopes::find(std::string_view name) const {
  std::size_t split = name.size();
  while (split > 0 && name[split - 1] >= '0' && name[split - 1] <= '9') --split;
  const std::string_view digits = name.substr(split);

  const range* found = nullptr;
  std::uint32_t number = 0;
  if (!digits.empty() && (digits.size() == 1 || digits[0] != '0')) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto* innermost = error == std::errc() ? range_by_prefix_.find(name.substr(0, split)) : nullptr;
    for (std::int32_t i = innermost ? innermost->value : -1; i >= 0 && !found;) {
      const range& candidate = ranges_[static_cast<std::size_t>(i)];
      if (number < candidate.count) found = &candidate;
      i = candidate.outer;
    }
  }
  const auto* single = singles_.find(name);
  if (single && (!found || single->depth >= found->depth)) return single->value;
  if (!found) return std::nullopt;
  return register_place{found->first.index + number * found->first.width, found->first.width};
}

std::optional<std::uint32_t> forward_names::find(std::string_view name, std::uint32_t scope,
                                                 const std::vector<std::uint32_t>& parents) const {
  for (;;) {
    const auto found = names_.find({name, scope});
    if (found != names_.end()) return found->second;
    if (scope == 0) return std::nullopt;
    scope = parents[scope];
  }
}

}  // namespace emulator::ptx
