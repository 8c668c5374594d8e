#include "reductions/tune/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace workbook {
namespace {

/// Returns a number that looks random and is the same on every machine.
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

std::string specialities(const raced_shape& shape) {
  constexpr std::string_view laws[] = {"", ", three of four empty", ", waiting times"};
  std::string text;
  if (shape.is_uneven()) text += laws[static_cast<int>(shape.law)];
  if (shape.wide_keys) text += ", keys of 64 bits";
  if (shape.offset > 0) text += ", from element " + std::to_string(shape.offset);
  return text;
}

std::vector<drawn_shape> drawn_shapes(std::size_t count, std::uint64_t seed, std::size_t most) {
  std::uint64_t drawn = seed << 32;
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(mixed_bits(drawn++) % bound); };
  const auto between = [&](double least, double largest) {  // the result's logarithm is evenly distributed
    const double share = static_cast<double>(mixed_bits(drawn++) >> 11) / 9007199254740992.0;
    return static_cast<std::size_t>(std::exp(std::log(least) + share * (std::log(largest) - std::log(least))));
  };
  std::vector<drawn_shape> all;
  while (all.size() < count) {
    raced_shape shape{static_cast<pieces_kind>(below(6)), 1, 1};
    const std::size_t elements = between(1024, static_cast<double>(most));
    shape.length = between(1, static_cast<double>(elements) + 0.5);
    shape.count = std::max<std::size_t>(1, elements / shape.length);
    shape.law = static_cast<length_law>(below(3));
    if (below(2) == 0) shape.offset = below(4);
    shape.wide_keys = shape.is_by_key() && below(2) == 0;
    const std::string type = below(2) == 0 ? "int" : "float";
    if (!shape.is_uneven() || shape.count > 1) all.push_back({shape, type});
  }
  return all;
}

std::vector<raced_shape> raced_shapes() {
  struct size {
    std::size_t length, count;
  };
  // From tiny to huge pieces. Each length occurs with few and with many pieces.
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
      // If there is only one segment, it cannot be uneven.
      if (!shape.is_uneven() || s.count > 1) all.push_back(shape);
    }
  }
  // Large shapes that are not powers of two, for which a library was once faster.
  all.push_back({pieces_kind::rows, 1000000, 7});
  all.push_back({pieces_kind::columns, 20000, 1001});
  all.push_back({pieces_kind::uneven_segments, 100, 50, length_law::mostly_empty});
  all.push_back({pieces_kind::runs, 2, 1500});
  all.push_back({pieces_kind::runs, 5000, 1200});
  for (const bool wide_keys : {false, true})
    for (const std::size_t length : {1u, 2u, 9u, 100u, 5000u})
      all.push_back({pieces_kind::runs, length, 60000000 / length, length_law::zipf, 0, wide_keys});
  return all;
}

std::vector<int> offsets_of(const raced_shape& shape) {
  std::vector<int> offsets(shape.count + 1, 0);
  if (!shape.is_uneven()) {
    for (std::size_t s = 0; s <= shape.count; ++s) offsets[s] = static_cast<int>(s * shape.length);
    return offsets;
  }
  const auto weight = [&](std::size_t s) {
    const std::uint64_t bits = mixed_bits(s);
    if (shape.law == length_law::zipf) return 1.0 / static_cast<double>(1 + bits % shape.count);
    if (shape.law == length_law::mostly_empty) return s % 4 == 1 ? 1.0 : 0.0;  // for two pieces, too, one isn't empty
    return -std::log((static_cast<double>(bits >> 11) + 0.5) / 9007199254740992.0);
  };
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
