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

/// Compares as F does.
template <typename F>
struct as_it_is : F {};

/// Compares as F does, after subnormal numbers have become zeroes (`.ftz`).
template <typename F>
struct flushing {
  template <typename T>
  bool operator()(T a, T b) const {
    return F{}(flushed(a), flushed(b));
  }
};

// op::imm: the boolean operator that joins the third, predicate source (0 none, 1 and, 2 or, 3 xor), plus 4 where that
// source is negated.
std::uint32_t joined(warp& w, const op& o, std::uint32_t result) {
  if ((o.imm & 3) == 0) return result;
  const std::uint32_t third = (o.imm & 4) != 0 ? ~w.predicate(o.c) : w.predicate(o.c);
  return (o.imm & 3) == 1 ? result & third : (o.imm & 3) == 2 ? result | third : result ^ third;
}

// op::target holds the register of a second destination, which receives the complement of the comparison.
template <typename T, typename F>
void set_p(warp& w, const op& o) {
  const std::uint32_t compared = compare<T>(w, o, F{});
  const std::uint32_t result = joined(w, o, compared), complement = joined(w, o, ~compared);
  if (o.dst != no_slot) set_predicate(w, o.dst, result);
  if (o.target != no_pc) set_predicate(w, o.target, complement);
}

template <typename D, typename T, typename F>
void set_value(warp& w, const op& o) {
  const std::uint32_t result = joined(w, o, compare<T>(w, o, F{}));
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

template <template <typename, typename> class Make, typename T, template <typename> class Wrap = as_it_is>
handler by_comparison(const std::string& name) {
  constexpr bool real = std::is_floating_point_v<T>;
  if (name == "lt" || name == "lo") return Make<T, Wrap<lt>>::run;
  if (name == "le" || name == "ls") return Make<T, Wrap<le>>::run;
  if (name == "gt" || name == "hi") return Make<T, Wrap<gt>>::run;
  if (name == "ge" || name == "hs") return Make<T, Wrap<ge>>::run;
  if (name == "eq") return Make<T, Wrap<eq>>::run;
  if (name == "ne") return real ? Make<T, Wrap<ne>>::run : Make<T, Wrap<ne_integer>>::run;
  if constexpr (real) {
    if (name == "ltu") return Make<T, Wrap<ltu>>::run;
    if (name == "leu") return Make<T, Wrap<leu>>::run;
    if (name == "gtu") return Make<T, Wrap<gtu>>::run;
    if (name == "geu") return Make<T, Wrap<geu>>::run;
    if (name == "equ") return Make<T, Wrap<equ>>::run;
    if (name == "neu") return Make<T, Wrap<neu>>::run;
    if (name == "num") return Make<T, Wrap<num>>::run;
    if (name == "nan") return Make<T, Wrap<nan>>::run;
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
handler by_type(scalar_type t, const ptx::instruction& i) {
  const std::string& name = i.modifiers[0];
  if (i.has("ftz")) return t == scalar_type::f32 ? by_comparison<Make, float, flushing>(name) : nullptr;
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
  if (n == "setp" || (n == "set" && i.modifiers.size() >= 3)) {
    const int join = joiner(i);
    const bool negated = join != 0 && i.operands.size() > 3 && i.operands[3].negated;
    const scalar_type third = join != 0 ? scalar_type::pred : scalar_type::none;
    const std::int32_t imm = join | (negated ? 4 : 0);
    if (n == "setp") return {by_type<make_set_p>(t, i), scalar_type::pred, t, t, third, imm};
    const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
    if (d == scalar_type::f32) return {by_type<make_set_f32>(t, i), d, t, t, third, imm};
    if (ptx::size_bytes(d) == 4) return {by_type<make_set_u32>(t, i), d, t, t, third, imm};
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
  if (n == "slct" && i.modifiers.size() >= 2 && ptx::size_bytes(t) == 4) {
    const scalar_type d = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
    if (ptx::size_bytes(d) == 2) return {pick_by_sign<std::uint16_t>(i, t), d, d, d, t};
    if (ptx::size_bytes(d) == 4) return {pick_by_sign<std::uint32_t>(i, t), d, d, d, t};
    if (ptx::size_bytes(d) == 8) return {pick_by_sign<std::uint64_t>(i, t), d, d, d, t};
  }
  return {};
}

}  // namespace emulator::simt
