// Conversions and moves (PTX ISA, "Data Movement and Conversion Instructions": cvt, mov, cvta is in decode.cpp).

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

enum class to_integer { none, nearest, zero, down, up };

template <typename T>
T rounded(T x, to_integer mode) {
  switch (mode) {
    case to_integer::nearest:
      return std::nearbyint(x);
    case to_integer::zero:
      return std::trunc(x);
    case to_integer::down:
      return std::floor(x);
    case to_integer::up:
      return std::ceil(x);
    default:
      return x;
  }
}

/// Float to integer: what lies outside the range is clamped to it. NaN gives 0 between single precision and up to 32
/// bits, else the highest bit alone.
template <typename D, typename S>
D to_whole(S x, to_integer mode) {
  if (x != x) {
    constexpr bool zero = sizeof(S) == 4 && sizeof(D) < 8;
    return zero ? D{0} : static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  }
  x = rounded(x, mode);
  // 2^N as the first value above the range is exact in both float types; so is the smallest.
  const S above = std::ldexp(S{1}, static_cast<int>(8 * sizeof(D)) - (std::is_signed_v<D> ? 1 : 0));
  if (x >= above) return std::numeric_limits<D>::max();
  if (x <= static_cast<S>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  return static_cast<D>(x);
}

template <typename D, typename S, to_integer Mode, bool Saturate, bool Flush>
D convert_one(S x) {
  if constexpr (Flush) x = flushed(x);
  if constexpr (std::is_floating_point_v<D>) {
    D r;
    if constexpr (std::is_floating_point_v<S>)
      r = canonical(static_cast<D>(Mode == to_integer::none ? x : rounded(x, Mode)));
    else
      r = static_cast<D>(x);
    if constexpr (Flush) r = flushed(r);
    if constexpr (Saturate) r = !(r > D{0}) ? D{0} : r > D{1} ? D{1} : r;
    return r;
  } else if constexpr (std::is_floating_point_v<S>) {
    return to_whole<D>(x, Mode);
  } else if constexpr (Saturate) {
    if (std::cmp_greater(x, std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    if (std::cmp_less(x, std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    return static_cast<D>(x);
  } else {
    return static_cast<D>(x);
  }
}

/// Reads a lane of a register that is `bytes` wide and may be wider than T.
template <typename T>
T read_lane(const std::byte* reg, unsigned bytes, unsigned lane) {
  T value;
  std::memcpy(&value, reg + lane * bytes, sizeof(T));
  return value;
}

/// Writes a lane of a register that may be wider than T: extended by T's sign.
template <typename T>
void write_lane(std::byte* reg, unsigned bytes, unsigned lane, T value) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value);
    std::memcpy(reg + lane * bytes, &wide, bytes);
  } else {
    std::memcpy(reg + lane * bytes, &value, sizeof(T));
  }
}

template <typename D, typename S, to_integer Mode, bool Saturate, bool Flush>
void convert_lanes(warp& w, const op& o) {
  if (o.element_bytes == sizeof(S) && o.register_bytes == sizeof(D)) {
    map1<D, S>(w, o, [](S x) { return convert_one<D, S, Mode, Saturate, Flush>(x); });
    return;
  }
  const std::byte* a = w.file + o.a;
  std::byte* d = w.file + o.dst;
  for (unsigned l = 0; l < warp_size; ++l) {
    if ((w.mask >> l & 1u) == 0) continue;
    const S x = read_lane<S>(a, o.element_bytes, l);
    write_lane<D>(d, o.register_bytes, l, convert_one<D, S, Mode, Saturate, Flush>(x));
  }
}

/// Bit of `op::imm` for `.ftz`; no rounding mode of a host uses it.
constexpr std::int32_t flush_bit = 1;

// o.imm: the host's rounding mode for conversions that round to a float, and flush_bit.
template <typename D, typename S, to_integer Mode, bool Saturate>
void convert(warp& w, const op& o) {
  const auto lanes = [&] {
    if constexpr (std::is_same_v<D, float> || std::is_same_v<S, float>) {
      if ((o.imm & flush_bit) != 0) return convert_lanes<D, S, Mode, Saturate, true>(w, o);
    }
    convert_lanes<D, S, Mode, Saturate, false>(w, o);
  };
  const int rounding = o.imm & ~flush_bit;
  if (!std::is_floating_point_v<D> || rounding == FE_TONEAREST) return lanes();
  const int before = std::fegetround();
  std::fesetround(rounding);
  lanes();
  std::fesetround(before);
}

struct request {
  to_integer mode = to_integer::none;
  bool saturate = false;
  bool flush = false;
  int host_rounding = FE_TONEAREST;
};

template <typename D, typename S>
handler pick(const request& r) {
  if constexpr (std::is_integral_v<S>) {
    return r.saturate ? convert<D, S, to_integer::none, true> : convert<D, S, to_integer::none, false>;
  } else if constexpr (std::is_integral_v<D>) {
    switch (r.mode) {
      case to_integer::nearest:
        return convert<D, S, to_integer::nearest, false>;
      case to_integer::down:
        return convert<D, S, to_integer::down, false>;
      case to_integer::up:
        return convert<D, S, to_integer::up, false>;
      default:
        return convert<D, S, to_integer::zero, false>;
    }
  } else {
    switch (r.mode) {
      case to_integer::nearest:
        return r.saturate ? convert<D, S, to_integer::nearest, true> : convert<D, S, to_integer::nearest, false>;
      case to_integer::zero:
        return r.saturate ? convert<D, S, to_integer::zero, true> : convert<D, S, to_integer::zero, false>;
      case to_integer::down:
        return r.saturate ? convert<D, S, to_integer::down, true> : convert<D, S, to_integer::down, false>;
      case to_integer::up:
        return r.saturate ? convert<D, S, to_integer::up, true> : convert<D, S, to_integer::up, false>;
      default:
        return r.saturate ? convert<D, S, to_integer::none, true> : convert<D, S, to_integer::none, false>;
    }
  }
}

template <typename S>
handler pick_destination(scalar_type d, const request& r) {
  switch (d) {
    case scalar_type::u8:
      return pick<std::uint8_t, S>(r);
    case scalar_type::s8:
      return pick<std::int8_t, S>(r);
    case scalar_type::u16:
      return pick<std::uint16_t, S>(r);
    case scalar_type::s16:
      return pick<std::int16_t, S>(r);
    case scalar_type::u32:
      return pick<std::uint32_t, S>(r);
    case scalar_type::s32:
      return pick<std::int32_t, S>(r);
    case scalar_type::u64:
      return pick<std::uint64_t, S>(r);
    case scalar_type::s64:
      return pick<std::int64_t, S>(r);
    case scalar_type::f32:
      return pick<float, S>(r);
    case scalar_type::f64:
      return pick<double, S>(r);
    default:
      return nullptr;
  }
}

handler pick_both(scalar_type d, scalar_type s, const request& r) {
  switch (s) {
    case scalar_type::u8:
      return pick_destination<std::uint8_t>(d, r);
    case scalar_type::s8:
      return pick_destination<std::int8_t>(d, r);
    case scalar_type::u16:
      return pick_destination<std::uint16_t>(d, r);
    case scalar_type::s16:
      return pick_destination<std::int16_t>(d, r);
    case scalar_type::u32:
      return pick_destination<std::uint32_t>(d, r);
    case scalar_type::s32:
      return pick_destination<std::int32_t>(d, r);
    case scalar_type::u64:
      return pick_destination<std::uint64_t>(d, r);
    case scalar_type::s64:
      return pick_destination<std::int64_t>(d, r);
    case scalar_type::f32:
      return pick_destination<float>(d, r);
    case scalar_type::f64:
      return pick_destination<double>(d, r);
    default:
      return nullptr;
  }
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
  request r;
  for (const std::string& m : i.modifiers) {
    if (m == "rni") r.mode = to_integer::nearest;
    if (m == "rzi") r.mode = to_integer::zero;
    if (m == "rmi") r.mode = to_integer::down;
    if (m == "rpi") r.mode = to_integer::up;
    if (m == "rz") r.host_rounding = FE_TOWARDZERO;
    if (m == "rm") r.host_rounding = FE_DOWNWARD;
    if (m == "rp") r.host_rounding = FE_UPWARD;
    if (m == "sat") r.saturate = true;
    if (m == "ftz") r.flush = true;
    if (m == "relu" || m == "satfinite" || m == "rna" || m == "rs" || m == "pack") return {};
  }
  const std::int32_t imm = r.host_rounding | (r.flush ? flush_bit : 0);
  return {pick_both(d, s, r), d, s, scalar_type::none, scalar_type::none, imm};
}

handler find_move(unsigned bytes) {
  switch (bytes) {
    case 1:
      return move_predicate;
    case 2:
      return move<std::uint16_t>;
    case 4:
      return move<std::uint32_t>;
    case 8:
      return move<std::uint64_t>;
    default:
      return nullptr;
  }
}

namespace {

// The parts' registers stand in program::vector_registers, which the decoder hands over through op::target (index) and
// warp::parts; op::imm is their number.
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

}  // namespace

handler find_pack(unsigned whole_bytes, unsigned part_bytes) {
  if (whole_bytes == 8 && part_bytes == 4) return pack<std::uint64_t, std::uint32_t>;
  if (whole_bytes == 8 && part_bytes == 2) return pack<std::uint64_t, std::uint16_t>;
  if (whole_bytes == 4 && part_bytes == 2) return pack<std::uint32_t, std::uint16_t>;
  return nullptr;
}

handler find_unpack(unsigned whole_bytes, unsigned part_bytes) {
  if (whole_bytes == 8 && part_bytes == 4) return unpack<std::uint64_t, std::uint32_t>;
  if (whole_bytes == 8 && part_bytes == 2) return unpack<std::uint64_t, std::uint16_t>;
  if (whole_bytes == 4 && part_bytes == 2) return unpack<std::uint32_t, std::uint16_t>;
  return nullptr;
}

}  // namespace emulator::simt
