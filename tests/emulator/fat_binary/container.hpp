#pragma once
/// \file
/// Makes containers of PTX by hand.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fat_binary::test {

/// The fields of one entry in a container.
struct made_entry {
  std::uint16_t kind = 1;
  std::uint32_t architecture = 90;
  std::uint64_t flags = 0x11;
  std::string payload = ".version 9.0\n";
  std::string name = "made.cu";
};

template <class Number>
void put(std::vector<std::byte>& bytes, std::size_t offset, Number value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Returns a container of uncompressed entries.
inline std::vector<std::byte> make_container(const std::vector<made_entry>& entries) {
  std::vector<std::byte> result;
  for (const made_entry& e : entries) {
    const std::size_t begin = 16 + result.size(), header = 64 + (e.name.size() + 7) / 8 * 8;
    const std::size_t payload = (e.payload.size() + 7) / 8 * 8;
    std::vector<std::byte> bytes(header + payload);
    put(bytes, 0, e.kind);
    put<std::uint16_t>(bytes, 2, 0x101);
    put(bytes, 4, static_cast<std::uint32_t>(header));
    put<std::uint64_t>(bytes, 8, payload);
    put(bytes, 28, e.architecture);
    put<std::uint32_t>(bytes, 32, 64);
    put(bytes, 36, static_cast<std::uint32_t>(e.name.size()));
    put(bytes, 40, e.flags);
    std::memcpy(bytes.data() + 64, e.name.data(), e.name.size());
    std::memcpy(bytes.data() + header, e.payload.data(), e.payload.size());
    result.resize(begin - 16);
    result.insert(result.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> head;
  put<std::uint32_t>(head, 0, 0xba55ed50);
  put<std::uint16_t>(head, 4, 1);
  put<std::uint16_t>(head, 6, 16);
  put<std::uint64_t>(head, 8, result.size());
  result.insert(result.begin(), head.begin(), head.end());
  return result;
}

}  // namespace fat_binary::test
