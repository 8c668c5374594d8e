// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions").

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;
using u32 = std::uint32_t;

template <typename T>
void bit_and(warp& w, const op& o) {
  map2<T, T, T>(w, o, [](T a, T b) { return static_cast<T>(a & b); });
}
template <typename T>
void bit_or(warp& w, const op& o) {
  map2<T, T, T>(w, o, [](T a, T b) { return static_cast<T>(a | b); });
}
template <typename T>
void bit_xor(warp& w, const op& o) {
  map2<T, T, T>(w, o, [](T a, T b) { return static_cast<T>(a ^ b); });
}
template <typename T>
void bit_not(warp& w, const op& o) {
  map1<T, T>(w, o, [](T a) { return static_cast<T>(~a); });
}
template <typename T>
void logical_not(warp& w, const op& o) {
  map1<T, T>(w, o, [](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
}

// Amounts beyond the width act as the width (for the sign, as width - 1).
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

/// bmsk: `b` ones from bit `a` on.
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

// imm is the mode: 0 the index form, then f4e, b4e, rc8, ecl, ecr, rc16.
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

// Four sources: the value's width decides; the length's register is in op::imm.
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

template <typename T>
void count_ones(warp& w, const op& o) {
  u32* d = w.lanes<u32>(o.dst);
  const T* a = w.lanes<T>(o.a);
  for (u32 m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = static_cast<u32>(std::popcount(a[l]));
  }
}
template <typename T>
void count_leading(warp& w, const op& o) {
  u32* d = w.lanes<u32>(o.dst);
  const T* a = w.lanes<T>(o.a);
  for (u32 m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    d[l] = static_cast<u32>(std::countl_zero(a[l]));
  }
}
template <typename T>
void reverse_bits(warp& w, const op& o) {
  T* d = w.lanes<T>(o.dst);
  const T* a = w.lanes<T>(o.a);
  for (u32 m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    T in = a[l], out = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) {
      out = static_cast<T>(out << 1 | (in & 1u));
      in = static_cast<T>(in >> 1);
    }
    d[l] = out;
  }
}
template <typename T, bool Shift>
void find_leading(warp& w, const op& o) {
  u32* d = w.lanes<u32>(o.dst);
  const T* a = w.lanes<T>(o.a);
  using U = std::make_unsigned_t<T>;
  for (u32 m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const U value = static_cast<U>(a[l] < 0 ? static_cast<T>(~a[l]) : a[l]);
    const u32 zeros = static_cast<u32>(std::countl_zero(value));
    if (zeros == 8 * sizeof(T))
      d[l] = all_lanes;
    else
      d[l] = Shift ? zeros : static_cast<u32>(8 * sizeof(T)) - 1 - zeros;
  }
}

// Find the n-th set bit (PTX ISA, `fns`).
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

void predicate_and(warp& w, const op& o) {
  set_predicate(w, o.dst, w.predicate(o.a) & w.predicate(o.b));
}
void predicate_or(warp& w, const op& o) {
  set_predicate(w, o.dst, w.predicate(o.a) | w.predicate(o.b));
}
void predicate_xor(warp& w, const op& o) {
  set_predicate(w, o.dst, w.predicate(o.a) ^ w.predicate(o.b));
}
void predicate_not(warp& w, const op& o) {
  set_predicate(w, o.dst, ~w.predicate(o.a));
}

#define WORKBOOK_BY_BITS(bytes, function)            \
  ((bytes) == 2   ? handler{function<std::uint16_t>} \
   : (bytes) == 4 ? handler{function<std::uint32_t>} \
   : (bytes) == 8 ? handler{function<std::uint64_t>} \
                  : handler{nullptr})

operation find_logic(const ptx::instruction& i, scalar_type t) {
  const std::string& n = i.opcode;
  const unsigned bytes = ptx::size_bytes(t);
  if (t == scalar_type::pred) {
    if (n == "and") return {predicate_and, t, t, t};
    if (n == "or") return {predicate_or, t, t, t};
    if (n == "xor") return {predicate_xor, t, t, t};
    if (n == "not") return {predicate_not, t, t};
    return {};
  }
  if (n == "and") return {WORKBOOK_BY_BITS(bytes, bit_and), t, t, t};
  if (n == "or") return {WORKBOOK_BY_BITS(bytes, bit_or), t, t, t};
  if (n == "xor") return {WORKBOOK_BY_BITS(bytes, bit_xor), t, t, t};
  if (n == "not") return {WORKBOOK_BY_BITS(bytes, bit_not), t, t};
  if (n == "cnot") return {WORKBOOK_BY_BITS(bytes, logical_not), t, t};
  if (n == "shl") return {WORKBOOK_BY_BITS(bytes, shift_left), t, t, scalar_type::u32};
  if (n == "shr") {
    handler run = WORKBOOK_BY_BITS(bytes, shift_right);
    if (t == scalar_type::s16) run = shift_right<std::int16_t>;
    if (t == scalar_type::s32) run = shift_right<std::int32_t>;
    if (t == scalar_type::s64) run = shift_right<std::int64_t>;
    return {run, t, t, scalar_type::u32};
  }
  return {};
}

operation find_field(const ptx::instruction& i, scalar_type t) {
  const std::string& n = i.opcode;
  const bool eight = ptx::size_bytes(t) == 8;
  if (!eight && ptx::size_bytes(t) != 4) return {};
  if (n == "bfe") {
    handler run = nullptr;
    if (t == scalar_type::u32) run = bit_field_extract<std::uint32_t>;
    if (t == scalar_type::s32) run = bit_field_extract<std::int32_t>;
    if (t == scalar_type::u64) run = bit_field_extract<std::uint64_t>;
    if (t == scalar_type::s64) run = bit_field_extract<std::int64_t>;
    return {run, t, t, scalar_type::u32, scalar_type::u32};
  }
  if (n == "bfi")
    return {eight ? bit_field_insert<std::uint64_t> : bit_field_insert<std::uint32_t>, t, t, t, scalar_type::u32};
  if (n == "popc") return {eight ? count_ones<std::uint64_t> : count_ones<std::uint32_t>, scalar_type::u32, t};
  if (n == "clz") return {eight ? count_leading<std::uint64_t> : count_leading<std::uint32_t>, scalar_type::u32, t};
  if (n == "brev") return {eight ? reverse_bits<std::uint64_t> : reverse_bits<std::uint32_t>, t, t};
  if (n == "bfind") {
    const bool s = i.has("shiftamt");
    handler run = nullptr;
    if (t == scalar_type::u32) run = s ? find_leading<std::uint32_t, true> : find_leading<std::uint32_t, false>;
    if (t == scalar_type::s32) run = s ? find_leading<std::int32_t, true> : find_leading<std::int32_t, false>;
    if (t == scalar_type::u64) run = s ? find_leading<std::uint64_t, true> : find_leading<std::uint64_t, false>;
    if (t == scalar_type::s64) run = s ? find_leading<std::int64_t, true> : find_leading<std::int64_t, false>;
    return {run, scalar_type::u32, t};
  }
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

}  // namespace emulator::simt
