#pragma once
/// \file
/// Parsing of whole numbers with units.

#include <cstdint>
#include <optional>
#include <string_view>

namespace host {

/// Parses a number of digits only.
/// \return nothing for any other text, or for 2^63 and more
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

/// Parses 4194304, 2^22, 4Mi, 4M or 500k: k, K, M and G are powers of 1000, Ki, Mi and Gi of 1024.
/// \return nothing if `text` isn't such a number, or is 2^63 or more
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

}  // namespace host
