// Floating-point arithmetic (PTX ISA, "Floating Point Instructions"): f32 and f64. IEEE operations round as the
// instruction says; the `approx` functions are computed in double precision and rounded once, which lies within the
// error that the ISA allows, but need not equal the hardware's last bits.

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

enum class rounding { nearest, zero, down, up };

/// Sets the host's rounding mode for a scope; nearest costs nothing.
template <rounding Mode>
struct rounding_scope {
  rounding_scope() {
    if constexpr (Mode != rounding::nearest) {
      before_ = std::fegetround();
      std::fesetround(Mode == rounding::zero ? FE_TOWARDZERO : Mode == rounding::down ? FE_DOWNWARD : FE_UPWARD);
    }
  }
  ~rounding_scope() {
    if constexpr (Mode != rounding::nearest) std::fesetround(before_);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  int before_ = 0;
};

template <typename T>
T saturated(T x) {
  return !(x > T{0}) ? T{0} : (x > T{1} ? T{1} : x);
}

template <typename T>
struct f_add {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct f_sub {
  T operator()(T a, T b) const { return a - b; }
};
template <typename T>
struct f_mul {
  T operator()(T a, T b) const { return a * b; }
};
template <typename T>
struct f_div {
  T operator()(T a, T b) const { return a / b; }
};
// div.approx is a product with the reciprocal, and that is flushed to zero where it would be subnormal.
template <typename T>
struct f_div_approx {
  T operator()(T a, T b) const {
    constexpr float largest = 0x1p126f;
    return std::fabs(b) > largest ? a * std::copysign(T{0}, b) : a / b;
  }
};
// A NaN loses against a number, and -0 counts as smaller than +0.
template <typename T>
struct f_min {
  T operator()(T a, T b) const { return a != a ? b : b != b ? a : (a < b || (a == b && std::signbit(a))) ? a : b; }
};
template <typename T>
struct f_max {
  T operator()(T a, T b) const { return a != a ? b : b != b ? a : (a > b || (a == b && !std::signbit(a))) ? a : b; }
};
template <typename T>
struct f_min_nan {
  T operator()(T a, T b) const { return a != a ? a : b != b ? b : f_min<T>{}(a, b); }
};
template <typename T>
struct f_max_nan {
  T operator()(T a, T b) const { return a != a ? a : b != b ? b : f_max<T>{}(a, b); }
};
template <typename T>
struct f_copysign {
  T operator()(T a, T b) const { return std::copysign(b, a); }
};

template <typename T, template <typename> class F, rounding Mode, bool Flush, bool Saturate>
void binary(warp& w, const op& o) {
  const rounding_scope<Mode> scope;
  map2<T, T, T>(w, o, [](T a, T b) {
    if constexpr (Flush) {
      a = flushed(a);
      b = flushed(b);
    }
    T r = F<T>{}(a, b);
    if constexpr (!std::is_same_v<F<T>, f_copysign<T>>) r = canonical(r);
    if constexpr (Flush) r = flushed(r);
    if constexpr (Saturate) r = saturated(r);
    return r;
  });
}

template <typename T, rounding Mode, bool Flush, bool Saturate>
void fused(warp& w, const op& o) {
  const rounding_scope<Mode> scope;
  map3<T, T, T, T>(w, o, [](T a, T b, T c) {
    if constexpr (Flush) {
      a = flushed(a);
      b = flushed(b);
      c = flushed(c);
    }
    T r = canonical(std::fma(a, b, c));
    if constexpr (Flush) r = flushed(r);
    if constexpr (Saturate) r = saturated(r);
    return r;
  });
}

template <typename T>
struct f_neg {
  T operator()(T a) const { return -a; }
};
template <typename T>
struct f_abs {
  T operator()(T a) const { return std::fabs(a); }
};
template <typename T>
struct f_sqrt {
  T operator()(T a) const { return std::sqrt(a); }
};
template <typename T>
struct f_rcp {
  T operator()(T a) const { return T{1} / a; }
};
template <typename T>
struct f_rsqrt {
  T operator()(T a) const { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))); }
};
/// The upper half of a double: what the gross approximations read and write.
inline double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u);
}
/// A double of the upper half's precision, with subnormal numbers flushed to zero.
inline double gross(double x) {
  if (x != x) return x;
  return std::fabs(x) < std::numeric_limits<double>::min() ? std::copysign(0.0, x) : upper_half(x);
}
template <typename T>
struct f_rcp_gross {
  T operator()(T a) const { return gross(1.0 / gross(a)); }
};
template <typename T>
struct f_rsqrt_gross {
  T operator()(T a) const { return gross(1.0 / std::sqrt(gross(a))); }
};
template <typename T>
struct f_sin {
  T operator()(T a) const { return static_cast<T>(std::sin(static_cast<double>(a))); }
};
template <typename T>
struct f_cos {
  T operator()(T a) const { return static_cast<T>(std::cos(static_cast<double>(a))); }
};
template <typename T>
struct f_ex2 {
  T operator()(T a) const { return static_cast<T>(std::exp2(static_cast<double>(a))); }
};
template <typename T>
struct f_lg2 {
  T operator()(T a) const { return static_cast<T>(std::log2(static_cast<double>(a))); }
};
template <typename T>
struct f_tanh {
  T operator()(T a) const { return static_cast<T>(std::tanh(static_cast<double>(a))); }
};

template <typename T, template <typename> class F, rounding Mode, bool Flush>
void unary(warp& w, const op& o) {
  const rounding_scope<Mode> scope;
  map1<T, T>(w, o, [](T a) {
    if constexpr (Flush) a = flushed(a);
    T r = F<T>{}(a);
    if constexpr (!std::is_same_v<F<T>, f_neg<T>> && !std::is_same_v<F<T>, f_abs<T>>) r = canonical(r);
    if constexpr (Flush) r = flushed(r);
    return r;
  });
}

void test_finite(warp& w, const op& o) {
  // imm: which of finite, infinite, number, notanumber, normal, subnormal; bit 3 set for f64.
  std::uint32_t result = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const double x = (o.imm & 8) != 0 ? w.lanes<double>(o.a)[l] : static_cast<double>(w.lanes<float>(o.a)[l]);
    const int kind = (o.imm & 8) != 0 ? std::fpclassify(x) : std::fpclassify(w.lanes<float>(o.a)[l]);
    bool is = false;
    switch (o.imm & 7) {
      case 0:
        is = std::isfinite(x);
        break;
      case 1:
        is = std::isinf(x);
        break;
      case 2:
        is = !std::isnan(x);
        break;
      case 3:
        is = std::isnan(x);
        break;
      case 4:
        is = kind == FP_NORMAL;
        break;
      default:
        is = kind == FP_SUBNORMAL;
        break;
    }
    result |= static_cast<std::uint32_t>(is) << l;
  }
  set_predicate(w, o.dst, result);
}

struct modifiers {
  rounding mode = rounding::nearest;
  bool flush = false;
  bool saturate = false;
};

modifiers read(const ptx::instruction& i) {
  modifiers m;
  for (const std::string& s : i.modifiers) {
    if (s == "rz") m.mode = rounding::zero;
    if (s == "rm") m.mode = rounding::down;
    if (s == "rp") m.mode = rounding::up;
    if (s == "ftz") m.flush = true;
    if (s == "sat") m.saturate = true;
  }
  return m;
}

template <typename T, template <typename> class F>
handler pick_binary(const modifiers& m) {
  switch (m.mode) {
    case rounding::zero:
      return m.flush
                 ? (m.saturate ? binary<T, F, rounding::zero, true, true> : binary<T, F, rounding::zero, true, false>)
                 : (m.saturate ? binary<T, F, rounding::zero, false, true>
                               : binary<T, F, rounding::zero, false, false>);
    case rounding::down:
      return m.flush
                 ? (m.saturate ? binary<T, F, rounding::down, true, true> : binary<T, F, rounding::down, true, false>)
                 : (m.saturate ? binary<T, F, rounding::down, false, true>
                               : binary<T, F, rounding::down, false, false>);
    case rounding::up:
      return m.flush
                 ? (m.saturate ? binary<T, F, rounding::up, true, true> : binary<T, F, rounding::up, true, false>)
                 : (m.saturate ? binary<T, F, rounding::up, false, true> : binary<T, F, rounding::up, false, false>);
    default:
      return m.flush ? (m.saturate ? binary<T, F, rounding::nearest, true, true>
                                   : binary<T, F, rounding::nearest, true, false>)
                     : (m.saturate ? binary<T, F, rounding::nearest, false, true>
                                   : binary<T, F, rounding::nearest, false, false>);
  }
}

/// min, max, copysign: they do not round.
template <typename T, template <typename> class F>
handler pick_exact(const modifiers& m) {
  return m.flush ? binary<T, F, rounding::nearest, true, false> : binary<T, F, rounding::nearest, false, false>;
}

template <typename T>
handler pick_fused(const modifiers& m) {
  switch (m.mode) {
    case rounding::zero:
      return m.flush ? (m.saturate ? fused<T, rounding::zero, true, true> : fused<T, rounding::zero, true, false>)
                     : (m.saturate ? fused<T, rounding::zero, false, true> : fused<T, rounding::zero, false, false>);
    case rounding::down:
      return m.flush ? (m.saturate ? fused<T, rounding::down, true, true> : fused<T, rounding::down, true, false>)
                     : (m.saturate ? fused<T, rounding::down, false, true> : fused<T, rounding::down, false, false>);
    case rounding::up:
      return m.flush ? (m.saturate ? fused<T, rounding::up, true, true> : fused<T, rounding::up, true, false>)
                     : (m.saturate ? fused<T, rounding::up, false, true> : fused<T, rounding::up, false, false>);
    default:
      return m.flush
                 ? (m.saturate ? fused<T, rounding::nearest, true, true> : fused<T, rounding::nearest, true, false>)
                 : (m.saturate ? fused<T, rounding::nearest, false, true> : fused<T, rounding::nearest, false, false>);
  }
}

template <typename T, template <typename> class F>
handler pick_unary(const modifiers& m) {
  switch (m.mode) {
    case rounding::zero:
      return m.flush ? unary<T, F, rounding::zero, true> : unary<T, F, rounding::zero, false>;
    case rounding::down:
      return m.flush ? unary<T, F, rounding::down, true> : unary<T, F, rounding::down, false>;
    case rounding::up:
      return m.flush ? unary<T, F, rounding::up, true> : unary<T, F, rounding::up, false>;
    default:
      return m.flush ? unary<T, F, rounding::nearest, true> : unary<T, F, rounding::nearest, false>;
  }
}

template <typename T>
operation find(const ptx::instruction& i, scalar_type t) {
  const modifiers m = read(i);
  const std::string& n = i.opcode;
  if (i.operands.size() > 3 && (n == "min" || n == "max")) return {};  // three-input forms
  if (i.has("xorsign")) return {};
  if (n == "add") return {pick_binary<T, f_add>(m), t, t, t};
  if (n == "sub") return {pick_binary<T, f_sub>(m), t, t, t};
  if (n == "mul") return {pick_binary<T, f_mul>(m), t, t, t};
  if constexpr (std::is_same_v<T, float>) {
    if (n == "div" && i.has("approx")) return {pick_exact<T, f_div_approx>(m), t, t, t};
  } else {
    if (n == "rcp" && i.has("approx")) return {unary<T, f_rcp_gross, rounding::nearest, false>, t, t};
    if (n == "rsqrt" && m.flush) return {unary<T, f_rsqrt_gross, rounding::nearest, false>, t, t};
  }
  if (n == "div") return {pick_binary<T, f_div>(m), t, t, t};
  if (n == "fma" || n == "mad") return {pick_fused<T>(m), t, t, t, t};
  if (n == "min") return {i.has("NaN") ? pick_exact<T, f_min_nan>(m) : pick_exact<T, f_min>(m), t, t, t};
  if (n == "max") return {i.has("NaN") ? pick_exact<T, f_max_nan>(m) : pick_exact<T, f_max>(m), t, t, t};
  if (n == "copysign") return {pick_exact<T, f_copysign>(m), t, t, t};
  if (n == "neg") return {pick_unary<T, f_neg>({rounding::nearest, m.flush, false}), t, t};
  if (n == "abs") return {pick_unary<T, f_abs>({rounding::nearest, m.flush, false}), t, t};
  if (n == "sqrt") return {pick_unary<T, f_sqrt>(m), t, t};
  if (n == "rcp") return {pick_unary<T, f_rcp>(m), t, t};
  const modifiers nearest{rounding::nearest, m.flush, false};
  if (n == "rsqrt") return {pick_unary<T, f_rsqrt>(nearest), t, t};
  if constexpr (std::is_same_v<T, float>) {
    if (n == "sin") return {pick_unary<T, f_sin>(nearest), t, t};
    if (n == "cos") return {pick_unary<T, f_cos>(nearest), t, t};
    if (n == "ex2") return {pick_unary<T, f_ex2>(nearest), t, t};
    if (n == "lg2") return {pick_unary<T, f_lg2>(nearest), t, t};
    if (n == "tanh") return {pick_unary<T, f_tanh>(nearest), t, t};
  }
  return {};
}

}  // namespace

operation find_floating(const ptx::instruction& i) {
  if (i.modifiers.empty()) return {};
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  if (i.opcode == "testp" && (t == scalar_type::f32 || t == scalar_type::f64)) {
    static constexpr const char* kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (int k = 0; k < 6; ++k) {
      if (i.modifiers.front() == kinds[k])
        return {test_finite,       scalar_type::pred, t,
                scalar_type::none, scalar_type::none, k | (t == scalar_type::f64 ? 8 : 0)};
    }
    return {};
  }
  if (t == scalar_type::f32) return find<float>(i, t);
  if (t == scalar_type::f64) return find<double>(i, t);
  return {};
}

}  // namespace emulator::simt
