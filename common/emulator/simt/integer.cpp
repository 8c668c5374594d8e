// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). Sums and products wrap.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

/// The integer type with twice the width and the same signedness.
template <typename T>
using wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, wide_signed, wide_unsigned>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;
template <typename T>
using bits_of = std::make_unsigned_t<T>;

/// Computes in the unsigned type of the same width, which wraps without undefined behaviour.
template <typename T, typename F>
constexpr T wrapped(T a, T b, F f) {
  using U = std::conditional_t<(sizeof(T) < 4), std::uint32_t, bits_of<T>>;
  return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
}

constexpr auto add = [](auto a, auto b) { return wrapped(a, b, [](auto x, auto y) { return x + y; }); };
constexpr auto sub = [](auto a, auto b) { return wrapped(a, b, [](auto x, auto y) { return x - y; }); };
constexpr auto mul_lo = [](auto a, auto b) { return wrapped(a, b, [](auto x, auto y) { return x * y; }); };
constexpr auto mul_hi = []<typename T>(T a, T b) {
  return static_cast<T>((static_cast<wide<T>>(a) * static_cast<wide<T>>(b)) >> (8 * sizeof(T)));
};
// The ISA doesn't define division by zero, so the results are those of the hardware: x / 0 is all ones, x % 0 is x.
constexpr auto divide = []<typename T>(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return sub(T{0}, a);
  }
  return static_cast<T>(a / b);
};
constexpr auto remainder = []<typename T>(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return T{0};
  }
  return static_cast<T>(a % b);
};
constexpr auto minimum = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto maximum = [](auto a, auto b) { return a < b ? b : a; };

inline std::int32_t saturated(std::int64_t x) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}
constexpr auto add_saturated = [](std::int32_t a, std::int32_t b) { return saturated(std::int64_t{a} + b); };
constexpr auto subtract_saturated = [](std::int32_t a, std::int32_t b) { return saturated(std::int64_t{a} - b); };

constexpr auto mad_lo = [](auto a, auto b, auto c) { return add(mul_lo(a, b), c); };
constexpr auto mad_hi = [](auto a, auto b, auto c) { return add(mul_hi(a, b), c); };
constexpr auto negate = [](auto a) { return sub(decltype(a){0}, a); };
constexpr auto absolute = [](auto a) { return a < 0 ? negate(a) : a; };
constexpr auto sum_of_differences = []<typename T>(T a, T b, T c) { return add(c, a < b ? sub(b, a) : sub(a, b)); };
/// Returns the product of the operands' low 24 bits.
constexpr auto mul24 = []<typename T>(T a, T b) {
  const auto cut = [](T x) { return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8); };
  return mul_lo(cut(a), cut(b));
};
constexpr auto mad24 = [](auto a, auto b, auto c) { return add(mul24(a, b), c); };

template <typename T, auto F>
void apply(warp& w, const op& o) {
  map_all<T>(w, o, F);
}

// Division does not vectorise, so only the active lanes are computed.
template <typename T, auto F>
void binary_scalar(warp& w, const op& o) {
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  // Most often all lanes have the same divisor; for a power of two, no division is needed.
  if constexpr (std::is_unsigned_v<T>) {
    const T first = b[std::countr_zero(w.mask)];
    if (std::has_single_bit(first)) {
      T differs = 0;
      for (unsigned l = 0; l < warp_size; ++l) {
        differs = static_cast<T>(differs | ((b[l] ^ first) & (0 - static_cast<T>(w.mask >> l & 1u))));
      }
      if (differs == 0) {
        const int shift = std::countr_zero(first);
        if constexpr (same_function<F, divide>)
          map1<T, T>(w, o, [shift](T x) { return static_cast<T>(x >> shift); });
        else
          map1<T, T>(w, o, [first](T x) { return static_cast<T>(x & (first - 1)); });
        return;
      }
    }
  }
  for (const unsigned l : lanes_in(w.mask)) d[l] = F(a[l], b[l]);
}

template <typename T>
void mul_wide(warp& w, const op& o) {
  map2<wide<T>, T, T>(w, o,
                      [](T a, T b) { return static_cast<wide<T>>(static_cast<wide<T>>(a) * static_cast<wide<T>>(b)); });
}
template <typename T>
void mad_wide(warp& w, const op& o) {
  map3<wide<T>, T, T, wide<T>>(
      w, o, [](T a, T b, wide<T> c) { return add(static_cast<wide<T>>(a) * static_cast<wide<T>>(b), c); });
}
// Extended-precision arithmetic: the carry is stored outside of the registers, one bit per lane.
template <typename T, bool Subtract, bool CarryIn, bool CarryOut>
void add_carry(warp& w, const op& o) {
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  for (const unsigned l : lanes_in(w.mask)) {
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
/// \tparam S  the type of the instruction; the high half of a product depends on its signedness
template <typename S, bool High, bool CarryIn, bool CarryOut>
void mad_carry(warp& w, const op& o) {
  using T = bits_of<S>;
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  const T* c = w.lanes<T>(o.c);
  for (const unsigned l : lanes_in(w.mask)) {
    const T product = High ? static_cast<T>(mul_hi(static_cast<S>(a[l]), static_cast<S>(b[l]))) : mul_lo(a[l], b[l]);
    const T in = CarryIn ? static_cast<T>(w.carry >> l & 1u) : T{0};
    const T result = static_cast<T>(product + c[l] + in);
    const bool out = result < product || (in != 0 && result == product);
    if constexpr (CarryOut) w.carry = (w.carry & ~(1u << l)) | (static_cast<std::uint32_t>(out) << l);
    d[l] = result;
  }
}

/// Adds the products of `Count` numbers in `a`, of type A, and the same number of bytes of `b`. o.imm: the number of
/// bits by which `b` is shifted first.
template <typename A, typename B, unsigned Count>
void dot(warp& w, const op& o) {
  map3<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
      w, o, [shift = static_cast<unsigned>(o.imm)](std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
        for (unsigned k = 0; k < Count; ++k) {
          const std::int32_t x = static_cast<A>(a >> (8 * sizeof(A) * k));
          const std::int32_t y = static_cast<B>(b >> (shift + 8 * k));
          sum += static_cast<std::uint32_t>(x * y);
        }
        return sum;
      });
}

template <auto F>
handler handler_for(scalar_type type) {
  return by_integer(type, []<typename T>(T) -> handler { return apply<T, F>; });
}
template <auto F>
handler division_for(scalar_type type) {
  return by_integer(type, []<typename T>(T) -> handler { return binary_scalar<T, F>; });
}

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

handler wide_product(scalar_type type, bool with_sum) {
  return by_integer(type, [with_sum]<typename T>(T) -> handler {
    if constexpr (sizeof(T) < 8) return with_sum ? mad_wide<T> : mul_wide<T>;
    return nullptr;
  });
}

/// Finds a product, or a product and a sum, of the operands' width.
operation find_product(const ptx::instruction& i, scalar_type t) {
  const bool sum = i.opcode == "mad", high = i.has("hi");
  if (i.has("wide")) return {wide_product(t, sum), widened(t), t, t, sum ? widened(t) : scalar_type::none};
  if (!sum) return {high ? handler_for<mul_hi>(t) : handler_for<mul_lo>(t), t, t, t};
  return {high ? handler_for<mad_hi>(t) : handler_for<mad_lo>(t), t, t, t, t};
}

/// With `.cc` the carry is written; `addc`, `subc` and `madc` read it.
template <typename S>
handler carry_handler(const ptx::instruction& i) {
  using T = bits_of<S>;
  const bool in = i.opcode.back() == 'c', out = !in || i.has("cc"), high = i.has("hi");
  return by_switch(in, [&](auto carry_in) {
    return by_switch(out, [&](auto carry_out) -> handler {
      constexpr bool from = decltype(carry_in)::value, to = decltype(carry_out)::value;
      if constexpr (!from && !to) return nullptr;
      if (i.opcode.starts_with("add")) return add_carry<T, false, from, to>;
      if (i.opcode.starts_with("sub")) return add_carry<T, true, from, to>;
      if (!i.opcode.starts_with("mad")) return nullptr;
      return high ? mad_carry<S, true, from, to> : mad_carry<S, false, from, to>;
    });
  });
}

operation find_carry(const ptx::instruction& i, scalar_type type) {
  const handler run = by_integer(type, [&]<typename T>(T) -> handler {
    if constexpr (sizeof(T) >= 4) return carry_handler<T>(i);
    return nullptr;
  });
  return {run, type, type, type, i.opcode.starts_with("mad") ? type : scalar_type::none};
}

/// `dp4a` and, with 16-bit numbers in `a`, `dp2a`.
template <typename Signed, unsigned Count>
operation find_dot(const std::string& a, const std::string& b, std::int32_t shift) {
  using Unsigned = bits_of<Signed>;
  const handler run = by_switch(a == "s32", [&](auto a_signed) {
    using A = std::conditional_t<decltype(a_signed)::value, Signed, Unsigned>;
    return by_switch(b == "s32", [](auto b_signed) -> handler {
      return dot<A, std::conditional_t<decltype(b_signed)::value, std::int8_t, std::uint8_t>, Count>;
    });
  });
  return {run, scalar_type::s32, scalar_type::u32, scalar_type::u32, scalar_type::s32, shift};
}

}  // namespace

operation find_integer(const ptx::instruction& i) {
  if (i.modifiers.empty()) return {};
  const auto& m = i.modifiers;
  const std::string& name = i.opcode;
  if (name == "dp4a" && m.size() == 2) return find_dot<std::int8_t, 4>(m[0], m[1], 0);
  if (name == "dp2a" && m.size() == 3) return find_dot<std::int16_t, 2>(m[1], m[2], i.has("hi") ? 16 : 0);
  const scalar_type t = ptx::parse_scalar_type(m.back());
  if (i.has("cc") || name == "addc" || name == "subc" || name == "madc") return find_carry(i, t);
  if (i.has("sat")) {
    if (t != scalar_type::s32) return {};
    if (name == "add") return {apply<std::int32_t, add_saturated>, t, t, t};
    if (name == "sub") return {apply<std::int32_t, subtract_saturated>, t, t, t};
    return {};
  }
  if (i.has("relu")) return {};
  if (name == "add") return {handler_for<add>(t), t, t, t};
  if (name == "sub") return {handler_for<sub>(t), t, t, t};
  if (name == "min") return {handler_for<minimum>(t), t, t, t};
  if (name == "max") return {handler_for<maximum>(t), t, t, t};
  constexpr auto none = scalar_type::none;
  if (name == "div") return {division_for<divide>(t), t, t, t, none, 0, observers::class_divide};
  if (name == "rem") return {division_for<remainder>(t), t, t, t, none, 0, observers::class_divide};
  if (name == "neg") return {handler_for<negate>(t), t, t};
  if (name == "abs") return {handler_for<absolute>(t), t, t};
  if (name == "sad") return {handler_for<sum_of_differences>(t), t, t, t, t};
  if (name == "mul" || name == "mad") return find_product(i, t);
  if ((name == "mul24" || name == "mad24") && i.has("lo") && ptx::size_bytes(t) == 4) {
    if (name == "mul24") return {handler_for<mul24>(t), t, t, t};
    return {handler_for<mad24>(t), t, t, t, t};
  }
  return {};
}

void add_u64(warp& w, const op& o) {
  apply<std::uint64_t, add>(w, o);
}

}  // namespace emulator::simt
