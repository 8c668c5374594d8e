// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). Sums and products wrap.
// Long because the ISA has that many integer instructions; each is a few lines.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

template <typename T>
struct double_width;
template <>
struct double_width<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct double_width<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct double_width<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct double_width<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct double_width<std::int64_t> {
  using type = wide_signed;
};
template <>
struct double_width<std::uint64_t> {
  using type = wide_unsigned;
};
template <typename T>
using wide = typename double_width<T>::type;
template <typename T>
using bits_of = std::make_unsigned_t<T>;

/// Arithmetic on the unsigned type of the same width wraps without undefined behaviour.
template <typename T, typename F>
constexpr T wrapped(T a, T b, F f) {
  using U = std::conditional_t<(sizeof(T) < 4), std::uint32_t, bits_of<T>>;
  return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
}

template <typename T>
struct add {
  T operator()(T a, T b) const {
    return wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
};
template <typename T>
struct sub {
  T operator()(T a, T b) const {
    return wrapped(a, b, [](auto x, auto y) { return x - y; });
  }
};
template <typename T>
struct mul_lo {
  T operator()(T a, T b) const {
    return wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};
template <typename T>
struct mul_hi {
  T operator()(T a, T b) const {
    return static_cast<T>((static_cast<wide<T>>(a) * static_cast<wide<T>>(b)) >> (8 * sizeof(T)));
  }
};
// What the ISA leaves open is what the hardware does: x / 0 is all ones, x % 0 is x.
template <typename T>
struct divide {
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return sub<T>{}(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
template <typename T>
struct remainder {
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
template <typename T>
struct minimum {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct maximum {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T>
struct add_saturate {
  T operator()(T a, T b) const {
    const auto sum = static_cast<std::int64_t>(a) + static_cast<std::int64_t>(b);
    if (sum > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    if (sum < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    return static_cast<T>(sum);
  }
};
template <typename T>
struct sub_saturate {
  T operator()(T a, T b) const {
    const auto difference = static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
    if (difference > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    if (difference < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    return static_cast<T>(difference);
  }
};

template <typename T, template <typename> class F>
void binary(warp& w, const op& o) {
  map2<T, T, T>(w, o, F<T>{});
}

// Division does not vectorise, so only the active lanes are computed.
template <typename T, template <typename> class F>
void binary_scalar(warp& w, const op& o) {
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  // The same divisor in all lanes is the common case; a power of two needs no division.
  if constexpr (std::is_unsigned_v<T>) {
    const T first = b[std::countr_zero(w.mask)];
    if (std::has_single_bit(first)) {
      T differs = 0;
      for (unsigned l = 0; l < warp_size; ++l) {
        differs = static_cast<T>(differs | ((b[l] ^ first) & (0 - static_cast<T>(w.mask >> l & 1u))));
      }
      if (differs == 0) {
        const int shift = std::countr_zero(first);
        if constexpr (std::is_same_v<F<T>, divide<T>>)
          map1<T, T>(w, o, [shift](T x) { return static_cast<T>(x >> shift); });
        else
          map1<T, T>(w, o, [first](T x) { return static_cast<T>(x & (first - 1)); });
        return;
      }
    }
  }
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = F<T>{}(a[l], b[l]);
  }
}

template <typename T>
void mul_wide(warp& w, const op& o) {
  map2<wide<T>, T, T>(w, o,
                      [](T a, T b) { return static_cast<wide<T>>(static_cast<wide<T>>(a) * static_cast<wide<T>>(b)); });
}
template <typename T>
void mad_lo(warp& w, const op& o) {
  map3<T, T, T, T>(w, o, [](T a, T b, T c) { return add<T>{}(mul_lo<T>{}(a, b), c); });
}
template <typename T>
void mad_hi(warp& w, const op& o) {
  map3<T, T, T, T>(w, o, [](T a, T b, T c) { return add<T>{}(mul_hi<T>{}(a, b), c); });
}
template <typename T>
void mad_wide(warp& w, const op& o) {
  map3<wide<T>, T, T, wide<T>>(
      w, o, [](T a, T b, wide<T> c) { return add<wide<T>>{}(static_cast<wide<T>>(a) * static_cast<wide<T>>(b), c); });
}
template <typename T>
void negate(warp& w, const op& o) {
  map1<T, T>(w, o, [](T a) { return sub<T>{}(T{0}, a); });
}
template <typename T>
void absolute(warp& w, const op& o) {
  map1<T, T>(w, o, [](T a) { return a < 0 ? sub<T>{}(T{0}, a) : a; });
}
template <typename T>
void sum_of_differences(warp& w, const op& o) {
  map3<T, T, T, bits_of<T>>(w, o, [](T a, T b, bits_of<T> c) {
    const bits_of<T> distance = a < b ? static_cast<bits_of<T>>(b) - static_cast<bits_of<T>>(a)
                                      : static_cast<bits_of<T>>(a) - static_cast<bits_of<T>>(b);
    return static_cast<T>(c + distance);
  });
}
template <typename T>
void mul24(warp& w, const op& o) {
  map2<T, T, T>(w, o, [](T a, T b) {
    const auto cut = [](T x) { return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8); };
    return mul_lo<T>{}(cut(a), cut(b));
  });
}
template <typename T>
void mad24(warp& w, const op& o) {
  map3<T, T, T, T>(w, o, [](T a, T b, T c) {
    const auto cut = [](T x) { return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8); };
    return add<T>{}(mul_lo<T>{}(cut(a), cut(b)), c);
  });
}

// Extended-precision arithmetic: the carry lives beside the registers, one bit a lane.
template <typename T, bool Subtract, bool CarryIn, bool CarryOut>
void add_carry(warp& w, const op& o) {
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const T in = CarryIn ? static_cast<T>(w.carry >> l & 1u) : T{0};
    T result;
    bool out;
    if constexpr (Subtract) {  // the condition code holds a borrow
      result = static_cast<T>(a[l] - b[l] - in);
      out = a[l] < b[l] || (in != 0 && a[l] == b[l]);
    } else {
      result = static_cast<T>(a[l] + b[l] + in);
      out = result < a[l] || (in != 0 && result == a[l]);
    }
    if constexpr (CarryOut) w.carry = (w.carry & ~(1u << l)) | (static_cast<std::uint32_t>(out) << l);
    d[l] = result;
  }
}
/// \tparam S  the type of the instruction, by which the high half of a product depends on the sign
template <typename S, bool High, bool CarryIn, bool CarryOut>
void mad_carry(warp& w, const op& o) {
  using T = bits_of<S>;
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  const T* c = w.lanes<T>(o.c);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const T product =
        High ? static_cast<T>(mul_hi<S>{}(static_cast<S>(a[l]), static_cast<S>(b[l]))) : mul_lo<T>{}(a[l], b[l]);
    const T in = CarryIn ? static_cast<T>(w.carry >> l & 1u) : T{0};
    const T result = static_cast<T>(product + c[l] + in);
    const bool out = result < product || (in != 0 && result == product);
    if constexpr (CarryOut) w.carry = (w.carry & ~(1u << l)) | (static_cast<std::uint32_t>(out) << l);
    d[l] = result;
  }
}

template <typename A, typename B>
void dot4(warp& w, const op& o) {
  map3<std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>(
      w, o, [](std::uint32_t a, std::uint32_t b, std::int32_t c) {
        std::uint32_t sum = static_cast<std::uint32_t>(c);
        for (int k = 0; k < 4; ++k) {
          const std::int32_t x = static_cast<A>(a >> (8 * k) & 0xffu);
          const std::int32_t y = static_cast<B>(b >> (8 * k) & 0xffu);
          sum += static_cast<std::uint32_t>(x * y);
        }
        return static_cast<std::int32_t>(sum);
      });
}

// o.imm: by how much `b` is shifted first.
template <typename A, typename B>
void dot2(warp& w, const op& o) {
  map3<std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>(
      w, o, [shift = o.imm](std::uint32_t a, std::uint32_t b, std::int32_t c) {
        std::uint32_t sum = static_cast<std::uint32_t>(c);
        for (int k = 0; k < 2; ++k) {
          const std::int32_t x = static_cast<A>(a >> (16 * k) & 0xffffu);
          const std::int32_t y = static_cast<B>(b >> (shift + 8 * k) & 0xffu);
          sum += static_cast<std::uint32_t>(x * y);
        }
        return static_cast<std::int32_t>(sum);
      });
}

/// Picks the instantiation for an integer type.
#define WORKBOOK_BY_INTEGER(type, function, ...)    \
  [&]() -> handler {                                \
    switch (type) {                                 \
      case scalar_type::u16:                        \
      case scalar_type::b16:                        \
        return function<std::uint16_t __VA_ARGS__>; \
      case scalar_type::s16:                        \
        return function<std::int16_t __VA_ARGS__>;  \
      case scalar_type::u32:                        \
      case scalar_type::b32:                        \
        return function<std::uint32_t __VA_ARGS__>; \
      case scalar_type::s32:                        \
        return function<std::int32_t __VA_ARGS__>;  \
      case scalar_type::u64:                        \
      case scalar_type::b64:                        \
        return function<std::uint64_t __VA_ARGS__>; \
      case scalar_type::s64:                        \
        return function<std::int64_t __VA_ARGS__>;  \
      default:                                      \
        return nullptr;                             \
    }                                               \
  }()
#define WORKBOOK_COMMA ,

scalar_type widened(scalar_type type) {
  switch (type) {
    case scalar_type::u16:
      return scalar_type::u32;
    case scalar_type::s16:
      return scalar_type::s32;
    case scalar_type::u32:
      return scalar_type::u64;
    case scalar_type::s32:
      return scalar_type::s64;
    default:
      return scalar_type::none;
  }
}

bool is_integer(scalar_type type) {
  switch (type) {
    case scalar_type::u16:
    case scalar_type::s16:
    case scalar_type::b16:
    case scalar_type::u32:
    case scalar_type::s32:
    case scalar_type::b32:
    case scalar_type::u64:
    case scalar_type::s64:
    case scalar_type::b64:
      return true;
    default:
      return false;
  }
}

handler wide_product(scalar_type type, bool with_sum) {
  switch (type) {
    case scalar_type::u16:
      return with_sum ? mad_wide<std::uint16_t> : mul_wide<std::uint16_t>;
    case scalar_type::s16:
      return with_sum ? mad_wide<std::int16_t> : mul_wide<std::int16_t>;
    case scalar_type::u32:
      return with_sum ? mad_wide<std::uint32_t> : mul_wide<std::uint32_t>;
    case scalar_type::s32:
      return with_sum ? mad_wide<std::int32_t> : mul_wide<std::int32_t>;
    default:
      return nullptr;
  }
}

template <typename S>
handler carry_handler(const ptx::instruction& i) {
  using T = bits_of<S>;
  const bool out = i.has("cc");
  if (i.opcode == "add") return add_carry<T, false, false, true>;
  if (i.opcode == "addc") return out ? add_carry<T, false, true, true> : add_carry<T, false, true, false>;
  if (i.opcode == "sub") return add_carry<T, true, false, true>;
  if (i.opcode == "subc") return out ? add_carry<T, true, true, true> : add_carry<T, true, true, false>;
  const bool high = i.has("hi");
  if (i.opcode == "mad") return high ? mad_carry<S, true, false, true> : mad_carry<S, false, false, true>;
  if (i.opcode == "madc" && out) return high ? mad_carry<S, true, true, true> : mad_carry<S, false, true, true>;
  if (i.opcode == "madc") return high ? mad_carry<S, true, true, false> : mad_carry<S, false, true, false>;
  return nullptr;
}

operation find_carry(const ptx::instruction& i, scalar_type type) {
  handler run = nullptr;
  const bool is_signed = type == scalar_type::s32 || type == scalar_type::s64;
  if (ptx::size_bytes(type) == 4) run = is_signed ? carry_handler<std::int32_t>(i) : carry_handler<std::uint32_t>(i);
  if (ptx::size_bytes(type) == 8) run = is_signed ? carry_handler<std::int64_t>(i) : carry_handler<std::uint64_t>(i);
  const bool three = i.opcode == "mad" || i.opcode == "madc";
  return {run, type, type, type, three ? type : scalar_type::none};
}

operation find_dot(const ptx::instruction& i) {
  if (i.modifiers.size() != 2) return {};
  const bool sa = i.modifiers[0] == "s32", sb = i.modifiers[1] == "s32";
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  const handler run = sa ? (sb ? dot4<s8, s8> : dot4<s8, u8>) : (sb ? dot4<u8, s8> : dot4<u8, u8>);
  return {run, scalar_type::s32, scalar_type::u32, scalar_type::u32, scalar_type::s32};
}

operation find_dot_of_two(const ptx::instruction& i) {
  if (i.modifiers.size() != 3) return {};
  const bool sa = i.modifiers[1] == "s32", sb = i.modifiers[2] == "s32";
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  const handler run = sa ? (sb ? dot2<s16, s8> : dot2<s16, u8>) : (sb ? dot2<u16, s8> : dot2<u16, u8>);
  return {run, scalar_type::s32, scalar_type::u32, scalar_type::u32, scalar_type::s32, i.has("hi") ? 16 : 0};
}

}  // namespace

operation find_integer(const ptx::instruction& i) {
  if (i.modifiers.empty()) return {};
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  if (i.opcode == "dp4a") return find_dot(i);
  if (i.opcode == "dp2a") return find_dot_of_two(i);
  if (!is_integer(t)) return {};
  const std::string& name = i.opcode;
  if (i.has("cc") || name == "addc" || name == "subc" || name == "madc") return find_carry(i, t);
  if (i.has("sat")) {
    if (t != scalar_type::s32) return {};
    if (name == "add") return {binary<std::int32_t, add_saturate>, t, t, t};
    if (name == "sub") return {binary<std::int32_t, sub_saturate>, t, t, t};
    return {};
  }
  if (i.has("relu")) return {};
  if (name == "add") return {WORKBOOK_BY_INTEGER(t, binary, WORKBOOK_COMMA add), t, t, t};
  if (name == "sub") return {WORKBOOK_BY_INTEGER(t, binary, WORKBOOK_COMMA sub), t, t, t};
  if (name == "min") return {WORKBOOK_BY_INTEGER(t, binary, WORKBOOK_COMMA minimum), t, t, t};
  if (name == "max") return {WORKBOOK_BY_INTEGER(t, binary, WORKBOOK_COMMA maximum), t, t, t};
  if (name == "div") return {WORKBOOK_BY_INTEGER(t, binary_scalar, WORKBOOK_COMMA divide), t, t, t};
  if (name == "rem") return {WORKBOOK_BY_INTEGER(t, binary_scalar, WORKBOOK_COMMA remainder), t, t, t};
  if (name == "neg") return {WORKBOOK_BY_INTEGER(t, negate), t, t};
  if (name == "abs") return {WORKBOOK_BY_INTEGER(t, absolute), t, t};
  if (name == "sad") return {WORKBOOK_BY_INTEGER(t, sum_of_differences), t, t, t, t};
  if (name == "mul" || name == "mad") {
    const bool sum = name == "mad";
    if (i.has("wide")) return {wide_product(t, sum), widened(t), t, t, sum ? widened(t) : scalar_type::none};
    if (sum) return {i.has("hi") ? WORKBOOK_BY_INTEGER(t, mad_hi) : WORKBOOK_BY_INTEGER(t, mad_lo), t, t, t, t};
    if (i.has("hi")) return {WORKBOOK_BY_INTEGER(t, binary, WORKBOOK_COMMA mul_hi), t, t, t};
    return {WORKBOOK_BY_INTEGER(t, binary, WORKBOOK_COMMA mul_lo), t, t, t};
  }
  if ((name == "mul24" || name == "mad24") && i.has("lo") && ptx::size_bytes(t) == 4) {
    const bool s = t == scalar_type::s32;
    if (name == "mul24") return {s ? mul24<std::int32_t> : mul24<std::uint32_t>, t, t, t};
    return {s ? mad24<std::int32_t> : mad24<std::uint32_t>, t, t, t, t};
  }
  return {};
}

}  // namespace emulator::simt
