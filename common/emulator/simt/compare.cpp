// Comparison and selection (PTX ISA, "Comparison and Selection Instructions"): setp, set, selp, slct.

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

// `ltu` and the other comparisons that end in `u` are true if an operand is a NaN. All others except `nan`, including
// `ne`, are false.
constexpr auto lt = [](auto a, auto b) { return a < b; };
constexpr auto le = [](auto a, auto b) { return a <= b; };
constexpr auto gt = [](auto a, auto b) { return a > b; };
constexpr auto ge = [](auto a, auto b) { return a >= b; };
constexpr auto eq = [](auto a, auto b) { return a == b; };
constexpr auto ne = [](auto a, auto b) { return a < b || a > b; };
constexpr auto ltu = [](auto a, auto b) { return !(a >= b); };
constexpr auto leu = [](auto a, auto b) { return !(a > b); };
constexpr auto gtu = [](auto a, auto b) { return !(a <= b); };
constexpr auto geu = [](auto a, auto b) { return !(a < b); };
constexpr auto equ = [](auto a, auto b) { return !(a < b) && !(a > b); };
constexpr auto neu = [](auto a, auto b) { return !(a == b); };  // also used for `ne` of integers
constexpr auto num = [](auto a, auto b) { return a == a && b == b; };
constexpr auto nan = [](auto a, auto b) { return a != a || b != b; };

// op::imm: the boolean operator that combines the result with the third source, a predicate (0 none, 1 and, 2 or, 3
// xor), plus 4 if that source is negated, plus 8 if the result is an integer, 16 if it is a float.
constexpr std::int32_t operator_bits = 3, negated_bit = 4, integer_bit = 8, float_bit = 16;

std::uint32_t joined(warp& w, const op& o, std::uint32_t result) {
  if ((o.imm & operator_bits) == 0) return result;
  const std::uint32_t third = (o.imm & negated_bit) != 0 ? ~w.predicate(o.c) : w.predicate(o.c);
  return (o.imm & operator_bits) == 1 ? result & third : (o.imm & operator_bits) == 2 ? result | third : result ^ third;
}

/// `set`: -1 or 1.0 if the comparison is true, else 0.
void set_values(warp& w, const op& o, std::uint32_t holds) {
  const std::uint32_t yes = (o.imm & float_bit) != 0 ? std::bit_cast<std::uint32_t>(1.0f) : 0xffffffffu;
  write_lanes(w.lanes<std::uint32_t>(o.dst), w.mask, [&](unsigned l) { return (holds >> l & 1u) != 0 ? yes : 0u; });
}

// op::target is the register of a second destination, which receives the complement of the comparison.
// \tparam Flush  subnormal numbers become zeroes first (`.ftz`)
template <typename T, auto F, bool Flush>
void set(warp& w, const op& o) {
  const std::uint32_t compared = compare<T>(w, o, [](T a, T b) { return Flush ? F(flushed(a), flushed(b)) : F(a, b); });
  const std::uint32_t result = joined(w, o, compared);
  if ((o.imm & (integer_bit | float_bit)) != 0) [[unlikely]]
    return set_values(w, o, result);
  const std::uint32_t complement = joined(w, o, ~compared);
  if (o.dst != no_slot) set_predicate(w, o.dst, result);
  if (o.target != no_pc) set_predicate(w, o.target, complement);
}

template <typename T>
void select(warp& w, const op& o) {
  const std::uint32_t p = w.predicate(o.c) ^ (o.imm != 0 ? all_lanes : 0u);
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  alignas(64) T t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) t[l] = b[l];
  blend(t, a, p);
  blend(w.lanes<T>(o.dst), t, w.mask);
}

template <typename T, typename C, bool Flush = false>
void select_by_sign(warp& w, const op& o) {
  map3<T, T, T, C>(w, o, [](T a, T b, C c) {
    if constexpr (Flush) c = flushed(c);
    return c >= C{0} ? a : b;
  });
}

template <typename T>
handler pick_by_sign(const ptx::instruction& i, scalar_type c) {
  if (c != scalar_type::f32) return select_by_sign<T, std::int32_t>;
  return i.has("ftz") ? select_by_sign<T, float, true> : select_by_sign<T, float>;
}

template <typename T, bool Flush = false>
handler by_comparison(const std::string& name) {
  if (name == "lt" || name == "lo") return set<T, lt, Flush>;
  if (name == "le" || name == "ls") return set<T, le, Flush>;
  if (name == "gt" || name == "hi") return set<T, gt, Flush>;
  if (name == "ge" || name == "hs") return set<T, ge, Flush>;
  if (name == "eq") return set<T, eq, Flush>;
  if constexpr (std::is_integral_v<T>) {
    if (name == "ne") return set<T, neu, Flush>;
  } else {
    if (name == "ne") return set<T, ne, Flush>;
    if (name == "ltu") return set<T, ltu, Flush>;
    if (name == "leu") return set<T, leu, Flush>;
    if (name == "gtu") return set<T, gtu, Flush>;
    if (name == "geu") return set<T, geu, Flush>;
    if (name == "equ") return set<T, equ, Flush>;
    if (name == "neu") return set<T, neu, Flush>;
    if (name == "num") return set<T, num, Flush>;
    if (name == "nan") return set<T, nan, Flush>;
  }
  return nullptr;
}

handler by_type(scalar_type t, const ptx::instruction& i) {
  const std::string& name = i.modifiers[0];
  if (i.has("ftz")) return t == scalar_type::f32 ? by_comparison<float, true>(name) : nullptr;
  if (t == scalar_type::f32) return by_comparison<float>(name);
  if (t == scalar_type::f64) return by_comparison<double>(name);
  return by_integer(t, [&]<typename T>(T) -> handler { return by_comparison<T>(name); });
}

int joiner(const ptx::instruction& i) {
  if (i.modifiers.size() < 3) return 0;
  const std::string& m = i.modifiers[1];
  return m == "and" ? 1 : m == "or" ? 2 : m == "xor" ? 3 : 0;
}

}  // namespace

operation find_compare(const ptx::instruction& i) {
  if (i.modifiers.empty()) return {};
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  const std::string& n = i.opcode;
  if (n == "setp" || (n == "set" && i.modifiers.size() >= 3)) {
    const int join = joiner(i);
    const bool negated = join != 0 && i.operands.size() > 3 && i.operands[3].negated;
    const scalar_type third = join != 0 ? scalar_type::pred : scalar_type::none;
    const std::int32_t imm = join | (negated ? negated_bit : 0);
    if (n == "setp") return {by_type(t, i), scalar_type::pred, t, t, third, imm};
    const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
    if (ptx::size_bytes(d) != 4) return {};
    return {by_type(t, i), d, t, t, third, imm | (d == scalar_type::f32 ? float_bit : integer_bit)};
  }
  if (n == "selp") {
    const bool negated = i.operands.size() > 3 && i.operands[3].negated;
    const handler run = by_width(ptx::size_bytes(t), []<typename T>(T) -> handler { return select<T>; });
    return {run, t, t, t, scalar_type::pred, negated ? 1 : 0};
  }
  if (n == "slct" && i.modifiers.size() >= 2 && ptx::size_bytes(t) == 4) {
    const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
    return {by_width(ptx::size_bytes(d), [&]<typename T>(T) { return pick_by_sign<T>(i, t); }), d, d, d, t};
  }
  return {};
}

void equal_u64(warp& w, const op& o) {
  set<std::uint64_t, eq, false>(w, o);
}

}  // namespace emulator::simt
