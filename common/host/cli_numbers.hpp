#pragma once
/// \file
/// Numbers on command lines that CLI11 reads: within bounds, and refused in words.

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace host {

/// Returns the number that digits alone, at most 18, mean; nothing for any other text.
[[nodiscard]] inline std::optional<std::uint64_t> whole_number(const std::string& text) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::stoull(text);
}

/// For a whole number within bounds, both included.
[[nodiscard]] inline CLI::Validator number_from(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) {
            const std::optional<std::uint64_t> value = whole_number(text);
            return value && *value >= low && *value <= high
                       ? std::string()
                       : fmt::format("'{}': give a whole number from {} to {}", text, low, high);
          },
          fmt::format("{} to {}", low, high)};
}

/// For a number within bounds, both included; not a number is none.
[[nodiscard]] inline CLI::Validator real_from(double low, double high) {
  return {[low, high](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool read = !text.empty() && end == text.c_str() + text.size();
            return read && value >= low && value <= high
                       ? std::string()
                       : fmt::format("'{}': give a number from {} to {}", text, low, high);
          },
          fmt::format("{} to {}", low, high)};
}

}  // namespace host
