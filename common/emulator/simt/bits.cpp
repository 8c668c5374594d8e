// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions").

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <type_traits>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;
using u32 = std::uint32_t;

constexpr auto bit_not = [](auto a) { return static_cast<decltype(a)>(~a); };
constexpr auto logical_not = [](auto a) { return static_cast<decltype(a)>(a == 0 ? 1 : 0); };

/// Returns the handler that sets the result to F of its operands.
template <auto F>
handler logic_for(unsigned bytes) {
  return by_width(bytes, []<typename T>(T) -> handler { return [](warp& w, const op& o) { map_all<T>(w, o, F); }; });
}

// An amount larger than the width shifts all bits out; a right shift of a signed type then leaves only copies of the
// sign.
template <typename T>
void shift_left(warp& w, const op& o) {
  map2<T, T, u32>(w, o, [](T a, u32 n) {
    return n < 8 * sizeof(T) ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << n) : T{0};
  });
}
template <typename T>
void shift_right(warp& w, const op& o) {
  map2<T, T, u32>(w, o, [](T a, u32 n) {
    constexpr u32 width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> (n < width ? n : width - 1));
    else
      return n < width ? static_cast<T>(a >> n) : T{0};
  });
}

template <bool Left, bool Wrap>
void funnel(warp& w, const op& o) {
  map3<u32, u32, u32, u32>(w, o, [](u32 low, u32 high, u32 amount) {
    const u32 n = Wrap ? amount & 31u : (amount < 32u ? amount : 32u);
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return Left ? static_cast<u32>((both << n) >> 32) : static_cast<u32>(both >> n);
  });
}

/// bmsk: `b` ones, starting at bit `a`.
template <bool Clamp>
void mask_of_bits(warp& w, const op& o) {
  map2<std::uint32_t, std::uint32_t, std::uint32_t>(w, o, [](std::uint32_t a, std::uint32_t b) {
    if constexpr (!Clamp) a &= 31u, b &= 31u;
    if (a >= 32) return 0u;
    return (b >= 32 ? 0xffffffffu : (1u << b) - 1) << a;
  });
}

void lop3(warp& w, const op& o) {
  const u32 table = static_cast<u32>(o.imm);
  map3<u32, u32, u32, u32>(w, o, [table](u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (u32 k = 0; k < 8; ++k) {
      if ((table >> k & 1u) != 0)
        result |= ((k & 4u) != 0 ? a : ~a) & ((k & 2u) != 0 ? b : ~b) & ((k & 1u) != 0 ? c : ~c);
    }
    return result;
  });
}

// op::imm is the mode: 0 is the index form, and 1 to 6 are f4e, b4e, rc8, ecl, ecr and rc16.
void permute_bytes(warp& w, const op& o) {
  const int mode = o.imm;
  map3<u32, u32, u32, u32>(w, o, [mode](u32 a, u32 b, u32 c) {
    const std::uint64_t pool = static_cast<std::uint64_t>(b) << 32 | a;
    u32 result = 0;
    for (u32 k = 0; k < 4; ++k) {
      u32 selector = 0;
      const u32 s = c & 3u;
      switch (mode) {
        case 0:
          selector = c >> (4 * k) & 0xfu;
          break;
        case 1:
          selector = s + k;
          break;
        case 2:
          selector = (s + 8 - k) & 7u;
          break;
        case 3:
          selector = s;
          break;
        case 4:
          selector = k < s ? s : k;
          break;
        case 5:
          selector = k > s ? s : k;
          break;
        default:
          selector = (c & 1u) * 2 + (k & 1u);
          break;
      }
      u32 byte = static_cast<u32>(pool >> (8 * (selector & 7u))) & 0xffu;
      if (mode == 0 && (selector & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
      result |= byte << (8 * k);
    }
    return result;
  });
}

template <typename T>
void bit_field_extract(warp& w, const op& o) {
  map3<T, T, u32, u32>(w, o, [](T a, u32 position, u32 length) {
    using U = std::make_unsigned_t<T>;
    constexpr u32 width = 8 * sizeof(T);
    const u32 pos = position & 0xffu, len = length & 0xffu;
    if (len == 0) return T{0};
    const bool sign = std::is_signed_v<T> &&
                      ((static_cast<U>(a) >> (pos + len - 1 < width - 1 ? pos + len - 1 : width - 1)) & 1u) != 0;
    U result = pos < width ? static_cast<U>(a) >> pos : U{0};
    const u32 valid = pos < width ? (len < width - pos ? len : width - pos) : 0;
    const U mask = valid < width ? static_cast<U>((U{1} << valid) - 1) : static_cast<U>(~U{0});
    result &= mask;
    if (sign) result |= static_cast<U>(~mask);
    return static_cast<T>(result);
  });
}

// This operation has four sources. T is the type of the value, and op::imm is the register with the length.
template <typename T>
void bit_field_insert(warp& w, const op& o) {
  const u32* length = w.lanes<u32>(static_cast<slot>(o.imm));
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  const u32* position = w.lanes<u32>(o.c);
  alignas(64) T t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) {
    constexpr u32 width = 8 * sizeof(T);
    const u32 pos = position[l] & 0xffu, len = length[l] & 0xffu;
    if (pos >= width || len == 0) {
      t[l] = b[l];
      continue;
    }
    const u32 valid = len < width - pos ? len : width - pos;
    const T mask = static_cast<T>((valid < width ? static_cast<T>((T{1} << valid) - 1) : static_cast<T>(~T{0})) << pos);
    t[l] = static_cast<T>((b[l] & static_cast<T>(~mask)) | (static_cast<T>(a[l] << pos) & mask));
  }
  blend(w.lanes<T>(o.dst), t, w.mask);
}

/// Sets the result of each active lane to `f` of its operand. Used for functions that the compiler doesn't vectorise.
template <typename D, typename T, typename F>
void each_lane(warp& w, const op& o, F f) {
  D* d = w.lanes<D>(o.dst);
  const T* a = w.lanes<T>(o.a);
  for (const unsigned l : lanes_in(w.mask)) d[l] = f(a[l]);
}

template <typename T>
void count_ones(warp& w, const op& o) {
  each_lane<u32, T>(w, o, [](T a) { return static_cast<u32>(std::popcount(a)); });
}
template <typename T>
void count_leading(warp& w, const op& o) {
  each_lane<u32, T>(w, o, [](T a) { return static_cast<u32>(std::countl_zero(a)); });
}
template <typename T>
void reverse_bits(warp& w, const op& o) {
  each_lane<T, T>(w, o, [](T in) {
    T out = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) {
      out = static_cast<T>(out << 1 | (in & 1u));
      in = static_cast<T>(in >> 1);
    }
    return out;
  });
}
template <typename T, bool Shift>
void find_leading(warp& w, const op& o) {
  using U = std::make_unsigned_t<T>;
  each_lane<u32, T>(w, o, [](T a) {
    const auto zeros = static_cast<u32>(std::countl_zero(static_cast<U>(a < 0 ? static_cast<T>(~a) : a)));
    constexpr u32 width = 8 * sizeof(T);
    return zeros == width ? all_lanes : Shift ? zeros : width - 1 - zeros;
  });
}

// Finds the n-th set bit (PTX ISA, `fns`).
void find_nth(warp& w, const op& o) {
  map3<u32, u32, u32, std::int32_t>(w, o, [](u32 mask, u32 base, std::int32_t offset) {
    if (offset == 0) return (mask >> (base & 31u) & 1u) != 0 ? base : all_lanes;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = std::abs(std::int64_t{offset});
    for (int position = static_cast<int>(base & 31u); position >= 0 && position < 32; position += step) {
      if ((mask >> position & 1u) != 0 && --left == 0) return static_cast<u32>(position);
    }
    return all_lanes;
  });
}

template <auto F>
void predicates(warp& w, const op& o) {
  set_predicate(w, o.dst, F(w.predicate(o.a), w.predicate(o.b)));
}
void predicate_not(warp& w, const op& o) {
  set_predicate(w, o.dst, ~w.predicate(o.a));
}

operation find_logic(const ptx::instruction& i, scalar_type t) {
  const std::string& n = i.opcode;
  const unsigned bytes = ptx::size_bytes(t);
  if (t == scalar_type::pred) {
    if (n == "and") return {predicates<std::bit_and<>{}>, t, t, t};
    if (n == "or") return {predicates<std::bit_or<>{}>, t, t, t};
    if (n == "xor") return {predicates<std::bit_xor<>{}>, t, t, t};
    if (n == "not") return {predicate_not, t, t};
    return {};
  }
  if (n == "and") return {logic_for<std::bit_and<>{}>(bytes), t, t, t};
  if (n == "or") return {logic_for<std::bit_or<>{}>(bytes), t, t, t};
  if (n == "xor") return {logic_for<std::bit_xor<>{}>(bytes), t, t, t};
  if (n == "not") return {logic_for<bit_not>(bytes), t, t};
  if (n == "cnot") return {logic_for<logical_not>(bytes), t, t};
  constexpr auto word = scalar_type::u32;
  if (n == "shl") return {by_width(bytes, []<typename T>(T) -> handler { return shift_left<T>; }), t, t, word};
  if (n == "shr") return {by_integer(t, []<typename T>(T) -> handler { return shift_right<T>; }), t, t, word};
  return {};
}

operation find_field(const ptx::instruction& i, scalar_type t) {
  const std::string& n = i.opcode;
  const unsigned bytes = ptx::size_bytes(t);
  if (bytes != 8 && bytes != 4) return {};
  constexpr auto word = scalar_type::u32;
  const bool has_sign = is_signed(t) || t == scalar_type::u32 || t == scalar_type::u64;
  if (n == "bfe" && has_sign)
    return {by_integer(t, []<typename T>(T) -> handler { return bit_field_extract<T>; }), t, t, word, word};
  if (n == "bfind" && has_sign) {
    const auto run = [&]<typename T>(T) -> handler {
      return i.has("shiftamt") ? find_leading<T, true> : find_leading<T, false>;
    };
    return {by_integer(t, run), word, t};
  }
  if (n == "bfi") return {by_width(bytes, []<typename T>(T) -> handler { return bit_field_insert<T>; }), t, t, t, word};
  if (n == "popc") return {by_width(bytes, []<typename T>(T) -> handler { return count_ones<T>; }), word, t};
  if (n == "clz") return {by_width(bytes, []<typename T>(T) -> handler { return count_leading<T>; }), word, t};
  if (n == "brev") return {by_width(bytes, []<typename T>(T) -> handler { return reverse_bits<T>; }), t, t};
  return {};
}

}  // namespace

operation find_bits(const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (i.modifiers.empty()) return {};
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  if (n == "shf" && ptx::size_bytes(t) == 4) {
    const bool left = i.has("l"), wrap = i.has("wrap");
    const handler run =
        left ? (wrap ? funnel<true, true> : funnel<true, false>) : (wrap ? funnel<false, true> : funnel<false, false>);
    return {run, t, scalar_type::u32, scalar_type::u32, scalar_type::u32};
  }
  if (n == "lop3" && t == scalar_type::b32 && i.modifiers.size() == 1 && i.operands.size() == 5) {
    return {lop3, t, t, t, t, static_cast<std::int32_t>(i.operands[4].bits & 0xffu)};
  }
  if (n == "prmt") {
    static constexpr const char* modes[] = {"b32", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (int mode = 6; mode >= 0; --mode) {
      if (i.modifiers.back() == modes[mode])
        return {permute_bytes, scalar_type::b32, scalar_type::b32, scalar_type::b32, scalar_type::b32, mode};
    }
    return {};
  }
  if (n == "bmsk" && (i.has("clamp") || i.has("wrap"))) {
    const auto u32 = scalar_type::u32;
    return {i.has("clamp") ? mask_of_bits<true> : mask_of_bits<false>, u32, u32, u32};
  }
  if (n == "fns") return {find_nth, scalar_type::b32, scalar_type::b32, scalar_type::b32, scalar_type::s32};
  if (operation found = find_logic(i, t)) return found;
  return find_field(i, t);
}

void shift_right_u64(warp& w, const op& o) {
  shift_right<std::uint64_t>(w, o);
}

}  // namespace emulator::simt
