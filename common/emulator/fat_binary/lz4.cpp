// Unpacks the output of `nvcc --compress-mode=speed`.

#include "emulator/fat_binary/fat_binary.hpp"

namespace fat_binary {
namespace {

constexpr const char* what = "LZ4 block";
constexpr std::uint64_t shortest_match = 4;

/// Reads a length. If it is 15 in the token, further bytes are added to it, up to the first one below 255.
std::uint64_t read_length(byte_span packed, std::uint64_t& at, unsigned in_token) {
  std::uint64_t length = in_token;
  if (in_token < 15) return length;
  std::uint8_t more = 255;
  while (more == 255) length += more = load<std::uint8_t>(packed, at++, what);
  return length;
}

}  // namespace

std::vector<std::byte> unpack_lz4(byte_span packed, std::uint64_t unpacked_size_bytes) {
  std::vector<std::byte> result;
  // No block can be expanded by more than a factor of 255, so a larger size must not make us allocate memory.
  if (unpacked_size_bytes / 256 > packed.size()) throw error("damaged LZ4 block: it is too short for its size");
  result.reserve(static_cast<std::size_t>(unpacked_size_bytes));
  for (std::uint64_t at = 0; at < packed.size();) {
    const auto token = load<std::uint8_t>(packed, at++, what);
    const std::uint64_t literals = read_length(packed, at, token >> 4);
    const byte_span bytes = slice(packed, at, literals, what);
    if (literals > unpacked_size_bytes - result.size()) throw error("damaged LZ4 block: it is too long");
    result.insert(result.end(), bytes.begin(), bytes.end());
    at += literals;
    if (at == packed.size()) break;  // The last sequence has no match.

    const auto distance = load<std::uint16_t>(packed, at, what);
    at += sizeof distance;
    const std::uint64_t length = read_length(packed, at, token & 15) + shortest_match;
    if (distance == 0 || distance > result.size()) throw error("damaged LZ4 block: a copy from before its start");
    if (length > unpacked_size_bytes - result.size()) throw error("damaged LZ4 block: it is too long");
    // Byte by byte, because source and target may overlap and then repeat a pattern.
    for (std::uint64_t i = 0; i < length; ++i) result.push_back(result[result.size() - distance]);
  }
  if (result.size() != unpacked_size_bytes) throw error("damaged LZ4 block: it is too short");
  return result;
}

}  // namespace fat_binary
