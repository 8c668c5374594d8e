// Comparison and selection (PTX ISA, "Comparison and Selection Instructions"): setp, set, selp, slct.

#include <cmath>
#include <cstdint>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

struct lt {
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct le {
  template <typename T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct gt {
  template <typename T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct ge {
  template <typename T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct eq {
  template <typename T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct ne {
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b || a > b;
  }
};  // ordered
struct ne_integer {
  template <typename T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct ltu {
  template <typename T>
  bool operator()(T a, T b) const {
    return !(a >= b);
  }
};  // or unordered
struct leu {
  template <typename T>
  bool operator()(T a, T b) const {
    return !(a > b);
  }
};
struct gtu {
  template <typename T>
  bool operator()(T a, T b) const {
    return !(a <= b);
  }
};
struct geu {
  template <typename T>
  bool operator()(T a, T b) const {
    return !(a < b);
  }
};
struct equ {
  template <typename T>
  bool operator()(T a, T b) const {
    return !(a < b) && !(a > b);
  }
};
struct neu {
  template <typename T>
  bool operator()(T a, T b) const {
    return !(a == b);
  }
};
struct num {
  template <typename T>
  bool operator()(T a, T b) const {
    return a == a && b == b;
  }
};
struct nan {
  template <typename T>
  bool operator()(T a, T b) const {
    return a != a || b != b;
  }
};

// op::imm: the boolean operator that joins the third, predicate source (0 none, 1 and, 2 or, 3 xor), plus 4 where that
// source is negated; op::target holds the register of a second destination, which receives the complement.
template <typename T, typename F>
void set_p(warp& w, const op& o) {
  std::uint32_t result = compare<T>(w, o, F{});
  std::uint32_t complement = ~result;
  if ((o.imm & 3) != 0) {
    const std::uint32_t third = (o.imm & 4) != 0 ? ~w.predicate(o.c) : w.predicate(o.c);
    const auto join = [&](std::uint32_t x) {
      return (o.imm & 3) == 1 ? x & third : (o.imm & 3) == 2 ? x | third : x ^ third;
    };
    result = join(result);
    complement = join(complement);
  }
  if (o.dst != no_slot) set_predicate(w, o.dst, result);
  if (o.target != no_pc) set_predicate(w, o.target, complement);
}

template <typename D, typename T, typename F>
void set_value(warp& w, const op& o) {
  const std::uint32_t result = compare<T>(w, o, F{});
  alignas(64) D t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l)
    t[l] = (result >> l & 1u) != 0 ? (std::is_floating_point_v<D> ? D{1} : static_cast<D>(-1)) : D{0};
  blend(w.lanes<D>(o.dst), t, w.mask);
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

template <typename T, typename C>
void select_by_sign(warp& w, const op& o) {
  map3<T, T, T, C>(w, o, [](T a, T b, C c) { return c >= C{0} ? a : b; });
}

template <template <typename, typename> class Make, typename T>
handler by_comparison(const std::string& name) {
  constexpr bool real = std::is_floating_point_v<T>;
  if (name == "lt" || name == "lo") return Make<T, lt>::run;
  if (name == "le" || name == "ls") return Make<T, le>::run;
  if (name == "gt" || name == "hi") return Make<T, gt>::run;
  if (name == "ge" || name == "hs") return Make<T, ge>::run;
  if (name == "eq") return Make<T, eq>::run;
  if (name == "ne") return real ? Make<T, ne>::run : Make<T, ne_integer>::run;
  if constexpr (real) {
    if (name == "ltu") return Make<T, ltu>::run;
    if (name == "leu") return Make<T, leu>::run;
    if (name == "gtu") return Make<T, gtu>::run;
    if (name == "geu") return Make<T, geu>::run;
    if (name == "equ") return Make<T, equ>::run;
    if (name == "neu") return Make<T, neu>::run;
    if (name == "num") return Make<T, num>::run;
    if (name == "nan") return Make<T, nan>::run;
  }
  return nullptr;
}

template <typename T, typename F>
struct make_set_p {
  static constexpr handler run = set_p<T, F>;
};
template <typename T, typename F>
struct make_set_u32 {
  static constexpr handler run = set_value<std::uint32_t, T, F>;
};
template <typename T, typename F>
struct make_set_f32 {
  static constexpr handler run = set_value<float, T, F>;
};

template <template <typename, typename> class Make>
handler by_type(scalar_type t, const std::string& name) {
  switch (t) {
    case scalar_type::u16:
    case scalar_type::b16:
      return by_comparison<Make, std::uint16_t>(name);
    case scalar_type::s16:
      return by_comparison<Make, std::int16_t>(name);
    case scalar_type::u32:
    case scalar_type::b32:
      return by_comparison<Make, std::uint32_t>(name);
    case scalar_type::s32:
      return by_comparison<Make, std::int32_t>(name);
    case scalar_type::u64:
    case scalar_type::b64:
      return by_comparison<Make, std::uint64_t>(name);
    case scalar_type::s64:
      return by_comparison<Make, std::int64_t>(name);
    case scalar_type::f32:
      return by_comparison<Make, float>(name);
    case scalar_type::f64:
      return by_comparison<Make, double>(name);
    default:
      return nullptr;
  }
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
  if (n == "setp") {
    if (i.has("ftz")) return {};
    const int join = joiner(i);
    const bool negated = join != 0 && i.operands.size() > 3 && i.operands[3].negated;
    return {by_type<make_set_p>(t, i.modifiers[0]),
            scalar_type::pred,
            t,
            t,
            join != 0 ? scalar_type::pred : scalar_type::none,
            join | (negated ? 4 : 0)};
  }
  if (n == "set" && i.modifiers.size() == 3) {
    const scalar_type d = ptx::parse_scalar_type(i.modifiers[1]);
    if (d == scalar_type::f32) return {by_type<make_set_f32>(t, i.modifiers[0]), d, t, t};
    if (ptx::size_bytes(d) == 4) return {by_type<make_set_u32>(t, i.modifiers[0]), d, t, t};
    return {};
  }
  if (n == "selp") {
    const bool negated = i.operands.size() > 3 && i.operands[3].negated;
    handler run = nullptr;
    switch (ptx::size_bytes(t)) {
      case 2:
        run = select<std::uint16_t>;
        break;
      case 4:
        run = select<std::uint32_t>;
        break;
      case 8:
        run = select<std::uint64_t>;
        break;
      default:
        break;
    }
    return {run, t, t, t, scalar_type::pred, negated ? 1 : 0};
  }
  if (n == "slct" && i.modifiers.size() >= 2) {
    const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
    const bool real = t == scalar_type::f32;
    if (ptx::size_bytes(d) == 4)
      return {real ? select_by_sign<std::uint32_t, float> : select_by_sign<std::uint32_t, std::int32_t>, d, d, d, t};
    if (ptx::size_bytes(d) == 8)
      return {real ? select_by_sign<std::uint64_t, float> : select_by_sign<std::uint64_t, std::int32_t>, d, d, d, t};
  }
  return {};
}

}  // namespace emulator::simt
