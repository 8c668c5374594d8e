#pragma once
/// \file
/// Unpacks what `nvcc --compress-mode=speed` packs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fat_binary/byte_view.hpp"

namespace fat_binary {

/// Unpacks one LZ4 block.
/// \param unpacked_size_bytes  the exact size of the result
/// \throws error  where the block is damaged or gives another size
[[nodiscard]] std::vector<std::byte> unpack_lz4(byte_span packed, std::uint64_t unpacked_size_bytes);

}  // namespace fat_binary
