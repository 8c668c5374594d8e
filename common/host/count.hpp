#pragma once
/// \file
/// Whole numbers as people write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace host {

/// Reads digits alone.
/// \return nothing for any other text, or a number of 2^63 and more
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

/// Reads 4194304, 2^22, 4Mi, 4M or 500k: k, K, M and G are powers of 1000, Ki, Mi and Gi of 1024.
/// \return nothing where `text` is no such number, or one of 2^63 and more
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

}  // namespace host
