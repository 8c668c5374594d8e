#include "host/count.hpp"

#include <charconv>
#include <utility>

namespace host {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value >> 63 != 0) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  if (text.starts_with("2^")) {
    const std::optional<std::uint64_t> exponent = whole_number(text.substr(2));
    return exponent && *exponent < 63 ? std::optional(std::uint64_t{1} << *exponent) : std::nullopt;
  }
  static constexpr std::pair<std::string_view, std::uint64_t> units[] = {
      {"Ki", 1u << 10}, {"Mi", 1u << 20}, {"Gi", 1u << 30}, {"k", 1000},
      {"K", 1000},      {"M", 1000000},   {"G", 1000000000}};
  for (const auto& [suffix, factor] : units) {
    if (!text.ends_with(suffix)) continue;
    const std::optional<std::uint64_t> value = whole_number(text.substr(0, text.size() - suffix.size()));
    return value && *value <= (~std::uint64_t{0} >> 1) / factor ? std::optional(*value * factor) : std::nullopt;
  }
  return whole_number(text);
}

}  // namespace host
