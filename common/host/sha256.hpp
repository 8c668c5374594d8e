#pragma once
/// \file
/// A hash that identifies the contents of a file.

#include <string>
#include <string_view>

namespace host {

/// Returns the SHA-256 of the bytes (FIPS 180-4) as 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace host
