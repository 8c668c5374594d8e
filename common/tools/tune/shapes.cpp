#include "tools/tune/shapes.hpp"

#include <cstdint>

namespace workbook {
namespace {

/// Numbers that look random and are the same everywhere.
std::uint64_t mixed_bits(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr std::size_t power(unsigned exponent) {
  return std::size_t{1} << exponent;
}

}  // namespace

std::string_view name_of(pieces_kind kind) {
  constexpr std::string_view names[] = {"rows", "columns", "segments", "uneven segments", "by key", "uneven by key"};
  return names[static_cast<int>(kind)];
}

std::vector<raced_shape> raced_shapes() {
  struct size {
    std::size_t length, count;
  };
  // From tiny to huge pieces, each length with few and with many of them.
  const std::vector<size> common = {{1, power(24)},        {2, power(10)},    {3, power(20)},    {5, power(16)},
                                    {8, power(22)},        {16, power(20)},   {31, power(10)},   {32, power(20)},
                                    {33, power(16)},       {63, power(18)},   {100, power(14)},  {128, power(20)},
                                    {256, power(10)},      {1000, power(6)},  {1000, power(14)}, {1024, power(10)},
                                    {1024, power(18)},     {4096, power(12)}, {4096, 16},        {power(16), 4},
                                    {power(16), power(8)}, {power(20), 1},    {power(20), 64},   {power(24), 1}};
  const std::vector<size> few = {{1, power(20)},  {2, power(24)},   {5, power(20)},    {16, power(16)},
                                 {63, power(14)}, {100, power(18)}, {1000, power(14)}, {4096, power(14)},
                                 {power(16), 16}, {power(20), 16},  {power(24), 1}};
  std::vector<raced_shape> all;
  for (const pieces_kind kind : {pieces_kind::rows, pieces_kind::columns, pieces_kind::segments,
                                 pieces_kind::uneven_segments, pieces_kind::runs, pieces_kind::uneven_runs}) {
    for (const size& s : kind == pieces_kind::runs || kind == pieces_kind::uneven_runs ? few : common) {
      const raced_shape shape = {kind, s.length, s.count};
      // One segment is as even as any.
      if (!shape.is_uneven() || s.count > 1) all.push_back(shape);
    }
  }
  return all;
}

std::vector<int> offsets_of(const raced_shape& shape) {
  std::vector<int> offsets(shape.count + 1, 0);
  if (!shape.is_uneven()) {
    for (std::size_t s = 0; s <= shape.count; ++s) offsets[s] = static_cast<int>(s * shape.length);
    return offsets;
  }
  const auto weight = [&](std::size_t s) { return 1.0 / static_cast<double>(1 + mixed_bits(s) % shape.count); };
  double all = 0;
  for (std::size_t s = 0; s < shape.count; ++s) all += weight(s);
  double sum = 0;
  for (std::size_t s = 0; s < shape.count; ++s) {
    sum += weight(s);
    offsets[s + 1] = static_cast<int>(static_cast<double>(shape.elements()) * (sum / all));
  }
  offsets.back() = static_cast<int>(shape.elements());
  return offsets;
}

}  // namespace workbook
