// Conversions and moves (PTX ISA, "Data Movement and Conversion Instructions": cvt and mov).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"
#include "emulator/simt/rounding.hpp"

namespace emulator::simt {

modifiers read_modifiers(const ptx::instruction& i, std::size_t types) {
  // In the order of `rounding` and `to_integer`.
  static constexpr std::string_view modes[] = {"rn", "rz", "rm", "rp"};
  static constexpr std::string_view whole[] = {"", "rni", "rzi", "rmi", "rpi"};
  modifiers m;
  for (std::size_t k = 0; k + types < i.modifiers.size(); ++k) {
    const std::string& name = i.modifiers[k];
    if (const auto* mode = std::ranges::find(modes, name); mode != std::end(modes))
      m.mode = static_cast<rounding>(mode - modes);
    else if (const auto* to = std::ranges::find(whole, name); to != std::end(whole))
      m.whole = static_cast<to_integer>(to - whole);
    else if (name == "ftz")
      m.flush = true;
    else if (name == "sat")
      m.saturate = true;
    else if (name == "relu")
      m.relu = true;
    else if (name == "satfinite")
      m.finite = true;
    else
      m.unknown = true;
  }
  return m;
}

namespace {

using ptx::scalar_type;

/// Converts a float to an integer and clamps values that are out of range. For a NaN, returns 0 when converting from
/// single precision to at most 32 bits, else the value with only the highest bit set.
template <typename D, typename S>
D to_whole(S x, to_integer mode) {
  if (x != x) {
    constexpr bool zero = sizeof(S) == 4 && sizeof(D) < 8;
    return zero ? D{0} : static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  }
  x = rounded(x, mode);
  // 2^N, the first value above the range, is exact in both float types, and so is the lowest value.
  const S above = std::ldexp(S{1}, static_cast<int>(8 * sizeof(D)) - (std::is_signed_v<D> ? 1 : 0));
  if (x >= above) return std::numeric_limits<D>::max();
  if (x <= static_cast<S>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  return static_cast<D>(x);
}

/// The modifiers of `cvt` if it names none.
template <typename D, typename S>
constexpr modifiers plain_conversion{.whole = std::is_integral_v<D> && std::is_floating_point_v<S> ? to_integer::zero
                                                                                                   : to_integer::none};

template <typename D, typename S>
D convert_one(S x, const modifiers& how) {
  if constexpr (std::is_floating_point_v<D>) {
    if (how.flush) x = flushed(x);
    D r = static_cast<D>(x);
    if constexpr (std::is_floating_point_v<S>) r = canonical(static_cast<D>(rounded(x, how.whole)));
    if (how.flush) r = flushed(r);
    if (how.saturate) r = saturated(r);
    return r;
  } else if constexpr (std::is_floating_point_v<S>) {
    return to_whole<D>(how.flush ? flushed(x) : x, how.whole);
  } else if (how.saturate) {
    if (std::cmp_greater(x, std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    if (std::cmp_less(x, std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  }
  return static_cast<D>(x);
}

/// Reads a lane of a register that is `bytes` wide and may be wider than T.
template <typename T>
T read_lane(const std::byte* reg, unsigned bytes, unsigned lane) {
  T value;
  std::memcpy(&value, reg + lane * bytes, sizeof(T));
  return value;
}

/// Writes a lane of a register that may be wider than T; the value is extended according to T's sign.
template <typename T>
void write_lane(std::byte* reg, unsigned bytes, unsigned lane, T value) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value);
    std::memcpy(reg + lane * bytes, &wide, bytes);
  } else {
    std::memcpy(reg + lane * bytes, &value, sizeof(T));
  }
}

/// Sets each active lane of the result to `f` of the operand.
template <typename D, typename S, typename F>
void convert_lanes(warp& w, const op& o, F f) {
  if constexpr (sizeof(S) > 1 && sizeof(D) > 1) {
    if (o.element_bytes == sizeof(S) && o.register_bytes == sizeof(D)) return map1<D, S>(w, o, f);
  }
  const std::byte* a = w.file + o.a;
  std::byte* d = w.file + o.dst;
  for (unsigned l = 0; l < warp_size; ++l) {
    if ((w.mask >> l & 1u) == 0) continue;
    write_lane<D>(d, o.register_bytes, l, f(read_lane<S>(a, o.element_bytes, l)));
  }
}

template <typename D, typename S>
void convert_plainly(warp& w, const op& o) {
  convert_lanes<D, S>(w, o, [](S x) { return convert_one<D, S>(x, plain_conversion<D, S>); });
}

// o.imm: the modifiers.
template <typename D, typename S>
void convert(warp& w, const op& o) {
  const modifiers how = modifiers::unpacked(o.imm);
  const rounding_scope scope(how.mode);
  convert_lanes<D, S>(w, o, [how](S x) { return convert_one<D, S>(x, how); });
}

/// The rounding of a float to the 10 fraction bits that tensor cores use.
enum class to_tf32 : std::int32_t { nearest, nearest_away, zero, relu = 4 };

// The dropped bits become zero. A NaN becomes a canonical NaN, except that `.rna` only drops bits. An H100 does the
// same. o.imm: `to_tf32`.
void convert_to_tf32(warp& w, const op& o) {
  constexpr std::uint32_t gone = 0x1fff, half = 0x1000, infinity = 0x7f800000;
  const auto how = static_cast<to_tf32>(o.imm & 3);
  const bool relu = (o.imm & static_cast<std::int32_t>(to_tf32::relu)) != 0;
  map1<std::uint32_t, std::uint32_t>(w, o, [=](std::uint32_t x) {
    const std::uint32_t size = x & 0x7fffffffu;
    if (size > infinity && how != to_tf32::nearest_away) return 0x7fffffffu & ~gone;
    if (relu && size != x) return 0u;
    const std::uint32_t up = how == to_tf32::nearest_away ? half
                             : how == to_tf32::nearest    ? half - 1 + (x >> 13 & 1u)
                                                          : 0;
    return (x + (size < infinity ? up : 0)) & ~gone;
  });
}

operation find_to_tf32(const ptx::instruction& i) {
  const bool away = i.has("rna"), nearest = i.has("rn"), zero = i.has("rz"), relu = i.has("relu");
  if (i.modifiers.size() != (relu ? 4u : 3u) || (!away && !nearest && !zero)) return {};
  const to_tf32 how = away ? to_tf32::nearest_away : nearest ? to_tf32::nearest : to_tf32::zero;
  const std::int32_t imm = static_cast<std::int32_t>(how) | (relu ? static_cast<std::int32_t>(to_tf32::relu) : 0);
  return {convert_to_tf32, scalar_type::b32, scalar_type::f32, scalar_type::none, scalar_type::none, imm};
}

template <typename T>
void move(warp& w, const op& o) {
  map1<T, T>(w, o, [](T a) { return a; });
}
void move_predicate(warp& w, const op& o) {
  set_predicate(w, o.dst, w.predicate(o.a));
}

}  // namespace

operation find_conversion(const ptx::instruction& i) {
  if (i.opcode != "cvt" || i.modifiers.size() < 2) return {};
  const scalar_type s = ptx::parse_scalar_type(i.modifiers.back());
  const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
  if (d == scalar_type::tf32 && s == scalar_type::f32) return find_to_tf32(i);
  modifiers how = read_modifiers(i, 2);
  if (how.relu || how.finite || how.unknown) return {};
  const handler run = by_number(s, [&]<typename S>(S) {
    return by_number(d, [&]<typename D>(D) -> handler {
      if (std::is_integral_v<D> || std::is_integral_v<S>) {
        const bool to_float = std::is_floating_point_v<D>;
        how.whole = how.whole == to_integer::none ? plain_conversion<D, S>.whole : how.whole;
        if (to_float || std::is_integral_v<S>) how.whole = to_integer::none;
      }
      return how.packed() == plain_conversion<D, S>.packed() ? convert_plainly<D, S> : convert<D, S>;
    });
  });
  return {run, d, s, scalar_type::none, scalar_type::none, how.packed()};
}

handler find_move(unsigned bytes) {
  if (bytes == 1) return move_predicate;
  return by_width(bytes, []<typename T>(T) -> handler { return move<T>; });
}

namespace {

// The parts' registers are in `warp::vector_registers`, starting at index op::target; op::imm is their number.
template <typename Whole, typename Part>
void pack(warp& w, const op& o) {
  alignas(64) Whole t[warp_size] = {};
  for (int k = 0; k < o.imm; ++k) {
    const Part* part = w.lanes<Part>(w.vector_registers[o.target + static_cast<unsigned>(k)]);
    for (unsigned l = 0; l < warp_size; ++l)
      t[l] |= static_cast<Whole>(static_cast<Whole>(part[l]) << (8 * sizeof(Part) * static_cast<unsigned>(k)));
  }
  blend(w.lanes<Whole>(o.dst), t, w.mask);
}
template <typename Whole, typename Part>
void unpack(warp& w, const op& o) {
  alignas(64) Whole source[warp_size];
  std::memcpy(source, w.file + o.a, sizeof source);
  for (int k = 0; k < o.imm; ++k) {
    const slot to = w.vector_registers[o.target + static_cast<unsigned>(k)];
    if (to == no_slot) continue;
    alignas(64) Part t[warp_size];
    for (unsigned l = 0; l < warp_size; ++l)
      t[l] = static_cast<Part>(source[l] >> (8 * sizeof(Part) * static_cast<unsigned>(k)));
    blend(w.lanes<Part>(to), t, w.mask);
  }
}

/// Returns the handler `f(Whole{}, Part{})` for registers of these widths; null if there is none.
template <typename F>
handler by_parts(unsigned whole_bytes, unsigned part_bytes, F f) {
  if (whole_bytes == 8 && part_bytes == 4) return f(std::uint64_t{}, std::uint32_t{});
  if (whole_bytes == 8 && part_bytes == 2) return f(std::uint64_t{}, std::uint16_t{});
  if (whole_bytes == 4 && part_bytes == 2) return f(std::uint32_t{}, std::uint16_t{});
  return nullptr;
}

}  // namespace

handler find_pack(unsigned whole_bytes, unsigned part_bytes) {
  return by_parts(whole_bytes, part_bytes,
                  []<typename Whole, typename Part>(Whole, Part) -> handler { return pack<Whole, Part>; });
}

handler find_unpack(unsigned whole_bytes, unsigned part_bytes) {
  return by_parts(whole_bytes, part_bytes,
                  []<typename Whole, typename Part>(Whole, Part) -> handler { return unpack<Whole, Part>; });
}

}  // namespace emulator::simt
