// Fetches from textures, loads and stores on surfaces, for the lanes of a warp.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/textures.hpp"
#include "emulator/simt/half.hpp"
#include "emulator/simt/memory_access.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {

using memory::address_mode;
using memory::channel_kind;
using memory::texel_grid;
using memory::texture_object;
using observers::access_kind;
using observers::fault_kind;

namespace {

/// Four 32-bit channels, as a fetch returns them in registers; channels that the texels don't have are zero.
struct texel {
  std::uint32_t channel[4] = {};
};

/// The place of a fetch: the program's coordinates in the order x, y, z, and the layer.
struct texture_place {
  double at[3] = {};
  std::int64_t layer = 0;
};

/// According to the programming guide, weights are 9-bit fixed-point numbers with 8 fraction bits.
constexpr double weight_steps = 256;
/// Resolution of normalised coordinates: at most this, according to measurements, and maybe less (texture_forms.py).
constexpr double normalized_steps = 1 << 22;
/// Coordinates are clamped to this distance from 0.
constexpr double farthest = 1099511627776.0;

/// Returns the raw bits of a channel, extended according to its sign.
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

/// Returns a channel of the border. If integers are converted to floating-point numbers, the border is rounded to one
/// of the numbers that can result from this conversion.
double border_channel(const texture_object& from, unsigned channel) {
  const double given = from.border[channel];
  const auto& format = from.texels.format;
  if (format.kind == channel_kind::real) return given;
  const bool is_signed = format.kind == channel_kind::signed_integer;
  const double largest = std::ldexp(1.0, static_cast<int>(format.bits) - (is_signed ? 1 : 0)) - 1;
  return std::floor(std::clamp(given, is_signed ? -1.0 : 0.0, 1.0) * largest + 0.5) / largest;
}

/// Returns the index that a fetch of texel `i` reads in a dimension of `n` texels; nullopt: the border.
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

/// The part of a fetch in one dimension: one texel, or two and the weight of the second.
struct along {
  std::int64_t first = 0;
  double weight = 0;
};

along locate(const texture_object& from, double coordinate, std::uint64_t n) {
  // Rounded as an H100 does it: float(1.0 / 7) is more than a seventh, but selects the first of seven texels.
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

/// Returns the weight of one of the four texels of a bilinear fetch. The weights are multiples of 1/256: one product is
/// rounded, and the others are the remainders (as on an H100).
double weight_of_four(const along& x, const along& y, unsigned corner) {
  const double a = x.weight * weight_steps, b = y.weight * weight_steps;
  const double both = std::floor(a * b / weight_steps + 0.5);
  const double of[] = {weight_steps - a - b + both, a - both, b - both, both};
  return of[corner] / weight_steps;
}

/// Fetches according to the CUDA programming guide, "Texture Fetching". Weights of a linear filter are multiples of
/// 1/256.
texel fetch(const texture_object& from, const texture_place& place) {
  const texel_grid& grid = from.texels;
  const unsigned dimensions = grid.dimensions();
  const std::uint64_t sizes[3] = {grid.width, grid.height, grid.depth};
  along where[3];
  for (unsigned d = 0; d < dimensions; ++d) where[d] = locate(from, place.at[d], sizes[d]);
  // A negative layer is a large unsigned number, so it selects the last layer.
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
  // A one-dimensional texture is treated as a two-dimensional one of height one that is fetched at y = 0. Therefore
  // half of a filtered result comes from the border before the only row.
  if (dimensions == 1 && !grid.layered && from.filters && from.modes[1] == address_mode::border)
    for (unsigned c = 0; c < grid.format.channels; ++c) sum[c] = 0.5 * sum[c] + 0.5 * border_channel(from, c);
  if (from.gives_reals()) {
    for (unsigned c = 0; c < grid.format.channels; ++c)
      result.channel[c] = std::bit_cast<std::uint32_t>(static_cast<float>(sum[c]));
  }
  return result;
}

/// Fetches the texel with that index from linear memory; returns zeroes if it is out of range.
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

std::string shape_in_words(unsigned dimensions, bool layered) {
  return std::to_string(dimensions) + "D" + (layered ? ", layered" : "");
}

/// Returns what is wrong with using the object in this instruction, or an empty string.
std::string objection(memory::address_space& space, const texture_object* object, std::uint64_t handle,
                      const texture_settings& s, bool wants_surface, unsigned access_bytes) {
  const std::string kind = wants_surface ? "surface" : "texture";
  if (object == nullptr)
    return space.textures.was_one(handle) ? "the object has been destroyed" : "the handle is not a " + kind + " object";
  if (object->is_surface != wants_surface)
    return std::string("the object is a ") + (object->is_surface ? "surface" : "texture") + ", not a " + kind;
  const texel_grid& grid = object->texels;
  if (grid.device != space.devices.running()) return "the object belongs to device " + std::to_string(grid.device);
  const memory::allocation* in = space.memory.find(grid.begin);
  if (in == nullptr || in->serial != grid.serial || grid.begin + grid.size_bytes > in->end())
    return "the memory of the object has been freed";
  if (s.operation == texture_operation::query) return {};
  if (grid.dimensions() != s.dimensions || grid.layered != s.layered)
    return "the object is " + shape_in_words(grid.dimensions(), grid.layered) + ", the access " +
           shape_in_words(s.dimensions, s.layered);
  if (s.operation == texture_operation::fetch) {
    if (grid.linear != s.integer_coordinates)
      return grid.linear ? "the object is plain memory, which tex1Dfetch() alone reads"
                         : "tex1Dfetch() reads plain memory, and the object is an array or has rows";
    if (object->gives_reals() != s.real_result)
      return object->gives_reals() ? "the object returns floating-point numbers, but the fetch expects integers"
                                   : "the object returns integers, but the fetch expects floating-point numbers";
  } else if (grid.format.bytes() != access_bytes) {
    return "an element has " + std::to_string(grid.format.bytes()) + " bytes, the access " +
           std::to_string(access_bytes);
  }
  return {};
}

/// The address of a lane's access to a surface.
struct surface_place {
  std::uintptr_t address = 0;
  bool outside = false;
};

surface_place place_on(const texel_grid& grid, const texture_settings& s, const std::int32_t (&at)[4]) {
  const auto bytes = static_cast<std::int64_t>(grid.format.bytes());
  const std::int64_t x = at[0] >= 0 ? at[0] / bytes : (at[0] - bytes + 1) / bytes;
  const std::int64_t wanted[3] = {x, s.dimensions > 1 ? at[1] : 0, s.layered ? at[3] : s.dimensions > 2 ? at[2] : 0};
  const std::uint64_t sizes[3] = {grid.width, std::max<std::uint64_t>(grid.height, 1),
                                  std::max<std::uint64_t>(grid.depth, 1)};
  surface_place result;
  std::uint64_t index[3];
  for (unsigned d = 0; d < 3; ++d) {
    const auto last = static_cast<std::int64_t>(sizes[d]) - 1;
    result.outside |= wanted[d] < 0 || wanted[d] > last;
    index[d] = static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted[d], 0, last));
  }
  result.address =
      grid.begin + index[2] * grid.slice_bytes + index[1] * grid.row_bytes + index[0] * grid.format.bytes();
  return result;
}

/// Returns lane `l` of the register at `s`, which has `bytes` per lane.
std::byte* lane_of(warp& w, slot s, unsigned l, unsigned bytes) {
  return w.file + s + std::size_t{l} * bytes;
}

std::uint32_t word_of(warp& w, slot s, unsigned l) {
  std::uint32_t word = 0;
  std::memcpy(&word, lane_of(w, s, l, 4), sizeof(word));
  return word;
}

void fetch_lane(warp& w, const op& o, const texture_settings& s, const texture_object& object, unsigned l) {
  const slot* coordinates = w.vector_registers + o.target;
  const unsigned first = s.layered ? 1 : 0;
  texel got;
  if (s.integer_coordinates) {
    got = fetch_linear(object, static_cast<std::int32_t>(word_of(w, coordinates[0], l)));
  } else {
    texture_place place;
    if (s.layered) place.layer = static_cast<std::int32_t>(word_of(w, coordinates[0], l));
    for (unsigned d = 0; d < s.dimensions; ++d)
      place.at[d] = static_cast<double>(std::bit_cast<float>(word_of(w, coordinates[first + d], l)));
    got = fetch(object, place);
  }
  for (unsigned c = 0; c < 4; ++c) {
    if (const slot to = coordinates[4 + c]; to != no_slot)
      std::memcpy(lane_of(w, to, l, 4), &got.channel[c], sizeof(std::uint32_t));
  }
}

std::uint32_t answer(const texel_grid& grid, texture_question question) {
  const std::uint64_t size = question == texture_question::width    ? grid.width
                             : question == texture_question::height ? grid.height
                                                                    : grid.depth;
  return static_cast<std::uint32_t>(size);
}

}  // namespace

bool memory_unit::surface_lane(block& b, warp& w, const op& o, std::uint32_t pc, const texture_object& object,
                               unsigned l) {
  const texture_settings s = texture_settings::unpacked(o.imm);
  const bool load = s.operation == texture_operation::surface_load;
  const access_kind kind = load ? access_kind::load : access_kind::store;
  const texel_grid& grid = object.texels;
  const slot* registers = w.vector_registers + o.target;
  std::int32_t at[4] = {};
  for (unsigned d = 0; d < s.dimensions; ++d)
    at[d] = static_cast<std::int32_t>(word_of(w, registers[(s.layered ? 1u : 0u) + d], l));
  if (s.layered) at[3] = static_cast<std::int32_t>(word_of(w, registers[0], l));
  if (at[0] % static_cast<std::int32_t>(grid.format.bytes()) != 0)
    return stop_lanes(b, w, pc, fault_kind::bad_texture, 1u << l,
                      "x is counted in bytes, and " + std::to_string(at[0]) + " isn't a multiple of the element's " +
                          std::to_string(grid.format.bytes()),
                      kind);
  const surface_place place = place_on(grid, s, at);
  if (place.outside && s.edge == surface_edge::trap) {
    std::string words = "(" + std::to_string(at[0]) + " bytes";
    for (unsigned d = 1; d < s.dimensions; ++d) words += ", " + std::to_string(at[d]);
    words += s.layered ? "), layer " + std::to_string(at[3]) : ")";
    words += ", of a surface of " + std::to_string(grid.width * grid.format.bytes()) + " bytes";
    if (s.dimensions > 1) words += " x " + std::to_string(grid.height);
    if (grid.depth != 0) words += " x " + std::to_string(grid.depth);
    return stop_lanes(b, w, pc, fault_kind::surface_out_of_bounds, 1u << l, std::move(words), kind);
  }
  const bool nothing = place.outside && s.edge == surface_edge::zero;
  std::byte bytes[32] = {};
  const unsigned size = grid.format.bytes();
  memory::global_memory& memory = b.launch->space->memory;
  if (touched_ != nullptr && !nothing) {
    if (const memory::allocation* in = memory.find(place.address))
      touched_->note(*in, place.address, size, load ? memory::touch::read : memory::touch::write);
  }
  if (load) {
    if (!nothing) std::memcpy(bytes, reinterpret_cast<const std::byte*>(place.address), size);
    for (unsigned e = 0; e < s.elements; ++e) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes + e * o.element_bytes, o.element_bytes);
      if (registers[4 + e] != no_slot)
        std::memcpy(lane_of(w, registers[4 + e], l, o.register_bytes), &value, o.register_bytes);
    }
    return true;
  }
  if (nothing) return true;
  for (unsigned e = 0; e < s.elements; ++e)
    std::memcpy(bytes + e * o.element_bytes, lane_of(w, registers[4 + e], l, o.register_bytes), o.element_bytes);
  if (order_ != nullptr) {
    std::uint64_t addresses[warp_size];
    addresses[l] = place.address;
    order_->before_write(b, w, pc, addresses, 1u << l, size, nullptr);
  }
  std::memcpy(reinterpret_cast<std::byte*>(place.address), bytes, size);
  memory.mark_initialized(place.address, size);
  return true;
}

bool memory_unit::texture(block& b, warp& w, const op& o, std::uint32_t pc) {
  const texture_settings s = texture_settings::unpacked(o.imm);
  const bool on_surface =
      s.operation == texture_operation::surface_load || s.operation == texture_operation::surface_store;
  const bool wants_surface = on_surface || s.asks_surface;
  const bool from_last = order_ != nullptr && order_->lanes_fall();
  const std::uint64_t* handles = w.lanes<std::uint64_t>(o.a);
  std::shared_ptr<const texture_object> object;
  std::uint64_t handle = 0;
  for (std::uint32_t m = w.mask; m != 0;) {
    const auto l = static_cast<unsigned>(from_last ? std::bit_width(m) - 1 : std::countr_zero(m));
    m &= ~(1u << l);
    if (object == nullptr || handles[l] != handle) {
      handle = handles[l];
      object = b.launch->space->textures.find(handle);
      std::string wrong =
          objection(*b.launch->space, object.get(), handle, s, wants_surface, s.elements * o.element_bytes);
      if (!wrong.empty()) {
        const bool stores = s.operation == texture_operation::surface_store;
        return stop_lanes(b, w, pc, fault_kind::bad_texture, 1u << l, std::move(wrong),
                          stores ? access_kind::store : access_kind::load);
      }
      if (touched_ != nullptr && s.operation == texture_operation::fetch)
        touched_->note(*b.launch->space->memory.find(object->texels.begin), object->texels.begin,
                       object->texels.size_bytes, memory::touch::read);
    }
    if (s.operation == texture_operation::fetch)
      fetch_lane(w, o, s, *object, l);
    else if (s.operation == texture_operation::query)
      w.lanes<std::uint32_t>(o.dst)[l] = answer(object->texels, s.question);
    else if (!surface_lane(b, w, o, pc, *object, l))
      return false;
  }
  return !on_surface || order_ == nullptr || go_on_behind(b, w, o, pc);
}

}  // namespace emulator::simt
