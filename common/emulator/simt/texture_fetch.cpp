#include "emulator/simt/texture_fetch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "emulator/simt/half.hpp"

namespace emulator::simt {
namespace {

using memory::address_mode;
using memory::channel_kind;
using memory::texel_grid;
using memory::texture_object;

/// The guide: weights are 9-bit fixed-point numbers with 8 bits behind the point.
constexpr double weight_steps = 256;
/// Of a normalised coordinate so many parts are told apart; measured (texture_forms.py): no more, and maybe fewer.
constexpr double normalized_steps = 1 << 22;
/// Beyond it a coordinate is as far outside as can be.
constexpr double farthest = 1099511627776.0;

/// The raw bits of a channel, extended by its sign.
std::uint32_t raw_channel(const texel_grid& grid, const std::byte* at, unsigned channel) {
  const auto read = [&](auto value) {
    std::memcpy(&value, at + channel * sizeof(value), sizeof(value));
    return static_cast<std::uint32_t>(value);
  };
  const bool is_signed = grid.format.kind == channel_kind::signed_integer;
  switch (grid.format.bits) {
    case 8:
      return is_signed ? read(std::int8_t{}) : read(std::uint8_t{});
    case 16:
      return is_signed ? read(std::int16_t{}) : read(std::uint16_t{});
    default:
      return read(std::uint32_t{});
  }
}

double real_channel(const texture_object& from, const std::byte* at, unsigned channel) {
  const texel_grid& grid = from.texels;
  const std::uint32_t raw = raw_channel(grid, at, channel);
  if (grid.format.kind == channel_kind::real)
    return grid.format.bits == 16 ? half_format::decode(static_cast<std::uint16_t>(raw)) : std::bit_cast<float>(raw);
  const double largest =
      std::ldexp(1.0, static_cast<int>(grid.format.bits) - (grid.format.kind == channel_kind::signed_integer ? 1 : 0)) -
      1;
  if (grid.format.kind == channel_kind::unsigned_integer) return raw / largest;
  return std::max(static_cast<std::int32_t>(raw) / largest, -1.0);
}

/// A channel of the border. Where integers become numbers it is rounded as one of them would be.
double border_channel(const texture_object& from, unsigned channel) {
  const double given = from.border[channel];
  const auto& format = from.texels.format;
  if (format.kind == channel_kind::real) return given;
  const bool is_signed = format.kind == channel_kind::signed_integer;
  const double largest = std::ldexp(1.0, static_cast<int>(format.bits) - (is_signed ? 1 : 0)) - 1;
  return std::floor(std::clamp(given, is_signed ? -1.0 : 0.0, 1.0) * largest + 0.5) / largest;
}

/// Where along a dimension of `n` texels a fetch finds texel `i`; nothing: in the border.
std::optional<std::uint64_t> wrapped(address_mode mode, std::int64_t i, std::uint64_t n) {
  const auto size = static_cast<std::int64_t>(n);
  const auto modulo = [](std::int64_t x, std::int64_t by) { return (x % by + by) % by; };
  switch (mode) {
    case address_mode::wrap:
      return static_cast<std::uint64_t>(modulo(i, size));
    case address_mode::mirror: {
      const std::int64_t at = modulo(i, 2 * size);
      return static_cast<std::uint64_t>(at < size ? at : 2 * size - 1 - at);
    }
    case address_mode::clamp:
      return static_cast<std::uint64_t>(std::clamp<std::int64_t>(i, 0, size - 1));
    case address_mode::border:
      break;
  }
  if (i < 0 || i >= size) return {};
  return static_cast<std::uint64_t>(i);
}

/// What a fetch needs of one dimension: one texel, or two and the weight of the second.
struct along {
  std::int64_t first = 0;
  double weight = 0;
};

along locate(const texture_object& from, double coordinate, std::uint64_t n) {
  // As an H100 rounds it: float(1.0 / 7) is above a seventh, and of seven texels it finds the first.
  double x = from.normalized ? std::floor(coordinate * normalized_steps) / normalized_steps * static_cast<double>(n)
                             : coordinate;
  x = std::isnan(x) ? 0 : std::clamp(x, -farthest, farthest);
  if (!from.filters) {
    return {static_cast<std::int64_t>(std::floor(x)), 0};
  }
  const double steps = std::floor(x * weight_steps + 0.5) - weight_steps / 2;
  const double first = std::floor(steps / weight_steps);
  return {static_cast<std::int64_t>(first), (steps - first * weight_steps) / weight_steps};
}

/// The weight of one of the four texels of a bilinear fetch: what the texels have is shared out in parts of 1/256, so
/// that one product is rounded and the others are what is left (as an H100 does it).
double weight_of_four(const along& x, const along& y, unsigned corner) {
  const double a = x.weight * weight_steps, b = y.weight * weight_steps;
  const double both = std::floor(a * b / weight_steps + 0.5);
  const double of[] = {weight_steps - a - b + both, a - both, b - both, both};
  return of[corner] / weight_steps;
}

}  // namespace

texel fetch(const texture_object& from, const texture_place& place) {
  const texel_grid& grid = from.texels;
  const unsigned dimensions = grid.dimensions();
  const std::uint64_t sizes[3] = {grid.width, grid.height, grid.depth};
  along where[3];
  for (unsigned d = 0; d < dimensions; ++d) where[d] = locate(from, place.at[d], sizes[d]);
  // As an unsigned number: in front of the first layer is behind the last.
  const std::uint64_t layer =
      grid.layered ? std::min<std::uint64_t>(static_cast<std::uint32_t>(place.layer), grid.depth - 1) : 0;
  texel result;
  double sum[4] = {};
  const unsigned corners = from.filters ? 1u << dimensions : 1u;
  for (unsigned corner = 0; corner < corners; ++corner) {
    double weight = 1;
    std::uint64_t index[3] = {};
    bool in_border = false;
    for (unsigned d = 0; d < dimensions; ++d) {
      const bool second = (corner >> d & 1u) != 0;
      weight *= second ? where[d].weight : 1 - where[d].weight;
      const auto at = wrapped(from.modes[d], where[d].first + (second ? 1 : 0), sizes[d]);
      in_border |= !at;
      index[d] = at.value_or(0);
    }
    if (dimensions == 2 && from.filters) weight = weight_of_four(where[0], where[1], corner);
    if (weight == 0) continue;
    const std::uint64_t slice = grid.layered ? layer : index[2];
    const auto* at = reinterpret_cast<const std::byte*>(grid.begin + slice * grid.slice_bytes +
                                                        index[1] * grid.row_bytes + index[0] * grid.format.bytes());
    for (unsigned c = 0; c < grid.format.channels; ++c) {
      if (!from.gives_reals())
        result.channel[c] = in_border ? std::bit_cast<std::uint32_t>(from.border[c]) : raw_channel(grid, at, c);
      else
        sum[c] += weight * (in_border ? border_channel(from, c) : real_channel(from, at, c));
    }
  }
  // One dimension is two of height one, fetched at 0, where a filter takes half of what is in front of the only row.
  if (dimensions == 1 && !grid.layered && from.filters && from.modes[1] == address_mode::border)
    for (unsigned c = 0; c < grid.format.channels; ++c) sum[c] = 0.5 * sum[c] + 0.5 * border_channel(from, c);
  if (from.gives_reals()) {
    for (unsigned c = 0; c < grid.format.channels; ++c)
      result.channel[c] = std::bit_cast<std::uint32_t>(static_cast<float>(sum[c]));
  }
  return result;
}

texel fetch_linear(const texture_object& from, std::int64_t index) {
  texel result;
  const texel_grid& grid = from.texels;
  if (index < 0 || index >= static_cast<std::int64_t>(grid.width)) return result;
  const auto* at =
      reinterpret_cast<const std::byte*>(grid.begin + static_cast<std::uint64_t>(index) * grid.format.bytes());
  for (unsigned c = 0; c < grid.format.channels; ++c)
    result.channel[c] = from.gives_reals() ? std::bit_cast<std::uint32_t>(static_cast<float>(real_channel(from, at, c)))
                                           : raw_channel(grid, at, c);
  return result;
}

}  // namespace emulator::simt
