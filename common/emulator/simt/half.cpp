// half and bfloat16, one and two in a register (PTX ISA, "Half Precision Floating Point Instructions", and the forms of
// cvt, set and setp for these types).

#include "emulator/simt/half.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

bool is_half(scalar_type t) {
  return t == scalar_type::f16 || t == scalar_type::f16x2 || t == scalar_type::bf16 || t == scalar_type::bf16x2;
}
bool is_bfloat(scalar_type t) {
  return t == scalar_type::bf16 || t == scalar_type::bf16x2;
}
bool is_pair(scalar_type t) {
  return t == scalar_type::f16x2 || t == scalar_type::bf16x2;
}

template <typename Format>
std::uint16_t flushed_bits(std::uint16_t x) {
  return (x & 0x7fffu) < (1u << Format::fraction_bits) ? static_cast<std::uint16_t>(x & 0x8000u) : x;
}

template <typename Format>
std::uint16_t finish(double result, const modifiers& how) {
  if (how.saturate) result = saturated(result);
  if (how.relu && result <= 0) result = 0;
  const std::uint16_t bits = encode<Format>(result);
  return how.flush ? flushed_bits<Format>(bits) : bits;
}

template <typename Format>
double read(std::uint16_t x, const modifiers& how) {
  return Format::decode(how.flush ? flushed_bits<Format>(x) : x);
}

/// Applies `f` to the numbers in each lane's registers: one, or two if `Pair`.
template <bool Pair, typename F>
void each(warp& w, const op& o, F f) {
  const auto at = [&w](slot s, std::size_t k) -> std::uint16_t {
    return s == no_slot ? std::uint16_t{0} : w.lanes<std::uint16_t>(s)[k];
  };
  std::uint16_t* const d = w.lanes<std::uint16_t>(o.dst);
  constexpr std::size_t parts = Pair ? 2 : 1;
  for (const std::size_t l : lanes_in(w.mask)) {
    for (std::size_t k = l * parts; k < (l + 1) * parts; ++k) d[k] = f(at(o.a, k), at(o.b, k), at(o.c, k));
  }
}

constexpr auto add_numbers = [](double a, double b, double) { return sum_to_odd(a, b); };
constexpr auto subtract = [](double a, double b, double) { return sum_to_odd(a, -b); };
constexpr auto multiply = [](double a, double b, double) { return a * b; };
constexpr auto fuse = [](double a, double b, double c) { return sum_to_odd(a * b, c); };
constexpr auto power_of_two = [](double a, double, double) { return std::exp2(a); };
constexpr auto tangent = [](double a, double, double) { return std::tanh(a); };

// o.imm: the modifiers.
template <typename Format, bool Pair, auto F>
void calculate(warp& w, const op& o) {
  each<Pair>(w, o, [how = modifiers::unpacked(o.imm)](std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    return finish<Format>(F(read<Format>(a, how), read<Format>(b, how), read<Format>(c, how)), how);
  });
}

/// Bit of o.imm after the modifiers: a NaN wins (`.NaN`).
constexpr std::int32_t nan_wins = 1 << modifiers::packed_bits;

template <typename Format, bool Pair, bool Largest>
void choose(warp& w, const op& o) {
  const bool flush = modifiers::unpacked(o.imm).flush, wins = (o.imm & nan_wins) != 0;
  each<Pair>(w, o, [flush, wins](std::uint16_t a, std::uint16_t b, std::uint16_t) -> std::uint16_t {
    if (flush) a = flushed_bits<Format>(a), b = flushed_bits<Format>(b);
    const double x = Format::decode(a), y = Format::decode(b);
    if (x != x || y != y) return wins || (x != x && y != y) ? half_nan : x != x ? b : a;
    if (x == y) return Largest == std::signbit(x) ? b : a;  // of two zeros, the positive one is larger
    return (x < y) == Largest ? b : a;
  });
}

template <bool Pair, std::uint16_t Keep, std::uint16_t Flip>
void change_sign(warp& w, const op& o) {
  each<Pair>(w, o, [](std::uint16_t a, std::uint16_t, std::uint16_t) {
    return static_cast<std::uint16_t>((a & Keep) ^ Flip);
  });
}

/// Returns the handler `f(format, pair)` for the 16-bit numbers of `t`.
template <typename F>
handler by_format(scalar_type t, F f) {
  return by_switch(is_pair(t),
                   [&](auto pair) { return is_bfloat(t) ? f(bfloat_format{}, pair) : f(half_format{}, pair); });
}

template <auto F>
handler for_type(scalar_type t) {
  return by_format(
      t, []<typename Format, typename Pair>(Format, Pair) -> handler { return calculate<Format, Pair::value, F>; });
}
template <bool Largest>
handler choice_for(scalar_type t) {
  return by_format(
      t, []<typename Format, typename Pair>(Format, Pair) -> handler { return choose<Format, Pair::value, Largest>; });
}
template <std::uint16_t Keep, std::uint16_t Flip>
handler sign_for(scalar_type t) {
  return by_switch(is_pair(t), [](auto pair) -> handler { return change_sign<decltype(pair)::value, Keep, Flip>; });
}

// Comparisons. o.imm: the comparison's number; for `set`, bits 8 and 9 hold the value for true.
constexpr const char* comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

bool compare_numbers(double a, double b, std::int32_t which) {
  const bool unordered = a != a || b != b;
  switch (which) {
    case 0:
      return a == b;
    case 1:
      return !unordered && a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a >= b;
    case 12:
      return !unordered;
    case 13:
      return unordered;
    default:
      return unordered || compare_numbers(a, b, which - 6);
  }
}

template <typename Format, bool Pair>
void set_predicates(warp& w, const op& o) {
  constexpr std::size_t parts = Pair ? 2 : 1;
  const auto* a = w.lanes<std::uint16_t>(o.a);
  const auto* b = w.lanes<std::uint16_t>(o.b);
  std::uint32_t result[2] = {0, 0};
  for (std::size_t l = 0; l < warp_size; ++l) {
    for (std::size_t k = 0; k < parts; ++k) {
      const bool holds =
          compare_numbers(Format::decode(a[l * parts + k]), Format::decode(b[l * parts + k]), o.imm & 0xff);
      result[k] |= (holds ? 1u : 0u) << l;
    }
  }
  if (o.dst != no_slot) set_predicate(w, o.dst, result[0]);
  if (o.target != no_pc) set_predicate(w, o.target, Pair ? result[1] : ~result[0]);
}

enum truth : std::int32_t { one_half = 0, one_bfloat = 1, ones_16 = 2, ones_32 = 3 };

template <typename Format, bool Pair>
void set_values(warp& w, const op& o) {
  const std::int32_t true_is = o.imm >> 8;
  if (true_is == ones_32) {
    const auto* a = w.lanes<std::uint16_t>(o.a);
    const auto* b = w.lanes<std::uint16_t>(o.b);
    write_lanes(w.lanes<std::uint32_t>(o.dst), w.mask, [&](unsigned l) {
      return compare_numbers(Format::decode(a[l]), Format::decode(b[l]), o.imm & 0xff) ? 0xffffffffu : 0u;
    });
    return;
  }
  const std::uint16_t value = true_is == ones_16 ? 0xffff : true_is == one_half ? 0x3c00 : 0x3f80;
  each<Pair>(w, o, [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
    return compare_numbers(Format::decode(a), Format::decode(b), o.imm & 0xff) ? value : std::uint16_t{0};
  });
}

operation find_comparison(const ptx::instruction& i, scalar_type t) {
  const auto* name = std::find_if(std::begin(comparisons), std::end(comparisons),
                                  [&](const char* c) { return i.modifiers.front() == c; });
  if (name == std::end(comparisons) || i.has("and") || i.has("or") || i.has("xor") || i.has("ftz")) return {};
  auto imm = static_cast<std::int32_t>(name - std::begin(comparisons));
  if (i.opcode == "setp") {
    const auto run = []<typename Format, typename Pair>(Format, Pair) -> handler {
      return set_predicates<Format, Pair::value>;
    };
    return {by_format(t, run), scalar_type::pred, t, t, scalar_type::none, imm};
  }
  const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
  if (is_half(d))
    imm |= (is_bfloat(d) ? one_bfloat : one_half) << 8;
  else if (ptx::size_bytes(d) == 2 || is_pair(t))
    imm |= ones_16 << 8;
  else if (ptx::size_bytes(d) == 4 && d != scalar_type::f32)
    imm |= ones_32 << 8;
  else
    return {};
  const unsigned written = is_pair(t) || imm >> 8 == ones_32 ? 4 : 2;
  if (ptx::size_bytes(d) != written) return {};
  const auto run = []<typename Format, typename Pair>(Format, Pair) -> handler {
    return set_values<Format, Pair::value>;
  };
  return {by_format(t, run), d, t, t, scalar_type::none, imm};
}

// Conversions. o.imm: the modifiers, then six bits each for the types of the result and the operand.
constexpr int result_at = modifiers::packed_bits, operand_at = result_at + 6;

/// Converts a 64-bit magnitude to a double, rounded to odd.
double magnitude_of(std::uint64_t x) {
  if (x < std::uint64_t{1} << 53) return static_cast<double>(x);
  const std::uint64_t kept = x >> 11 | ((x & 0x7ffu) != 0 ? 1u : 0u);
  return static_cast<double>(kept) * 2048.0;
}

template <typename T>
double lane_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_floating_point_v<T>) return value;
  if (value < 0) return -magnitude_of(std::uint64_t{0} - static_cast<std::uint64_t>(value));
  return magnitude_of(static_cast<std::uint64_t>(value));
}

double read_number(const std::byte* at, scalar_type t) {
  std::uint16_t half = 0;
  std::memcpy(&half, at, sizeof half);
  if (t == scalar_type::f16) return half_format::decode(half);
  if (t == scalar_type::bf16) return bfloat_format::decode(half);
  return by_number(t, [at]<typename T>(T) { return lane_as<T>(at); });
}

/// Clamps an integral number to the range of a type of `bits`. For a NaN, returns 0 or, in 64 bits, only the highest
/// bit.
std::uint64_t clamped(double x, unsigned bits, bool is_signed) {
  if (x != x) return bits < 64 ? 0 : std::uint64_t{1} << 63;
  const double above = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  if (is_signed) {
    const auto largest = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
    if (x >= above) return static_cast<std::uint64_t>(largest);
    if (x <= -above) return static_cast<std::uint64_t>(-largest - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }
  if (x >= above) return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return x <= 0 ? 0 : static_cast<std::uint64_t>(x);
}

void convert_half(warp& w, const op& o) {
  const auto d = static_cast<scalar_type>(o.imm >> result_at & 0x3f);
  const auto s = static_cast<scalar_type>(o.imm >> operand_at & 0x3f);
  const modifiers how = modifiers::unpacked(o.imm);
  for (const std::size_t l : lanes_in(w.mask)) {
    double x = rounded(read_number(w.file + o.a + l * o.element_bytes, s), how.whole);
    if (how.saturate) x = saturated(x);
    if (how.relu && x <= 0) x = 0;
    std::uint64_t bits = 0;
    if (d == scalar_type::f16)
      bits = encode<half_format>(x, how.mode, how.finite);
    else if (d == scalar_type::bf16)
      bits = encode<bfloat_format>(x, how.mode, how.finite);
    else if (d == scalar_type::f32)
      bits = std::bit_cast<std::uint32_t>(canonical(static_cast<float>(x)));
    else if (d == scalar_type::f64)
      bits = std::bit_cast<std::uint64_t>(x);
    else
      bits = clamped(x, 8 * ptx::size_bytes(d), is_signed(d));
    std::memcpy(w.file + o.dst + l * o.register_bytes, &bits, o.register_bytes);
  }
}

/// Converts two floats to one register: the first operand becomes the upper half.
template <typename Format>
void convert_two(warp& w, const op& o) {
  const modifiers how = modifiers::unpacked(o.imm);
  const float* a = w.lanes<float>(o.a);
  const float* b = w.lanes<float>(o.b);
  const auto one = [&](float x) -> std::uint32_t {
    return encode<Format>(how.relu && x <= 0 ? 0.0 : double{x}, how.mode, how.finite);
  };
  write_lanes(w.lanes<std::uint32_t>(o.dst), w.mask, [&](unsigned l) { return one(a[l]) << 16 | one(b[l]); });
}

operation find_cvt(const ptx::instruction& i, scalar_type s) {
  const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
  const modifiers how = read_modifiers(i, 2);
  if (how.flush || how.unknown) return {};
  if (is_pair(d)) {
    if (s != scalar_type::f32) return {};
    return {
        is_bfloat(d) ? convert_two<bfloat_format> : convert_two<half_format>, d, s, s, scalar_type::none, how.packed()};
  }
  if (is_pair(s) || (!is_half(d) && !is_half(s)) || s == scalar_type::none || d == scalar_type::none) return {};
  const auto types = static_cast<std::int32_t>(d) << result_at | static_cast<std::int32_t>(s) << operand_at;
  return {convert_half, d, s, scalar_type::none, scalar_type::none, how.packed() | types};
}

}  // namespace

operation find_half(const ptx::instruction& i) {
  if (i.modifiers.empty()) return {};
  const std::string& n = i.opcode;
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  if (n == "cvt") return i.modifiers.size() < 2 ? operation{} : find_cvt(i, t);
  if (!is_half(t) || i.has("xorsign") || i.has("oob")) return {};
  if (n == "setp" || (n == "set" && i.modifiers.size() >= 3)) return find_comparison(i, t);
  const modifiers how = read_modifiers(i);
  const std::int32_t imm = how.packed();
  constexpr auto none = scalar_type::none;
  if (n == "add") return {for_type<add_numbers>(t), t, t, t, none, imm};
  if (n == "sub") return {for_type<subtract>(t), t, t, t, none, imm};
  if (n == "mul") return {for_type<multiply>(t), t, t, t, none, imm};
  if (n == "fma") return {for_type<fuse>(t), t, t, t, t, imm};
  if (n == "ex2") return {for_type<power_of_two>(t), t, t, none, none, imm};
  if (n == "tanh") return {for_type<tangent>(t), t, t, none, none, imm};
  if ((n == "min" || n == "max") && i.operands.size() == 3) {
    const handler run = n == "max" ? choice_for<true>(t) : choice_for<false>(t);
    return {run, t, t, t, none, imm | (i.has("NaN") ? nan_wins : 0)};
  }
  if (how.flush) return {};
  if (n == "neg") return {sign_for<0xffff, 0x8000>(t), t, t};
  if (n == "abs") return {sign_for<0x7fff, 0>(t), t, t};
  return {};
}

}  // namespace emulator::simt
