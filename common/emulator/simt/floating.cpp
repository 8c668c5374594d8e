// Floating-point arithmetic (PTX ISA, "Floating Point Instructions"): f32 and f64. IEEE operations round according to
// the instruction. The `approx` functions are computed in double precision and rounded once, which is within the error
// that the ISA allows but need not equal the hardware's last bits.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"
#include "emulator/simt/rounding.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;

constexpr auto f_add = [](auto a, auto b) { return a + b; };
constexpr auto f_sub = [](auto a, auto b) { return a - b; };
constexpr auto f_mul = [](auto a, auto b) { return a * b; };
constexpr auto f_div = [](auto a, auto b) { return a / b; };
// div.approx multiplies by the reciprocal, which is flushed to zero if it would be subnormal.
constexpr auto f_div_approx = [](float a, float b) {
  constexpr float largest = 0x1p126f;
  return std::fabs(b) > largest ? a * std::copysign(0.0f, b) : a / b;
};
// A number wins against a NaN, and -0 is smaller than +0.
constexpr auto f_min = [](auto a, auto b) {
  return a != a ? b : b != b ? a : (a < b || (a == b && std::signbit(a))) ? a : b;
};
constexpr auto f_max = [](auto a, auto b) {
  return a != a ? b : b != b ? a : (a > b || (a == b && !std::signbit(a))) ? a : b;
};
constexpr auto f_min_nan = [](auto a, auto b) { return a != a ? a : b != b ? b : f_min(a, b); };
constexpr auto f_max_nan = [](auto a, auto b) { return a != a ? a : b != b ? b : f_max(a, b); };
constexpr auto f_copysign = [](auto a, auto b) { return std::copysign(b, a); };
constexpr auto f_fma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };

constexpr auto f_neg = [](auto a) { return -a; };
constexpr auto f_abs = [](auto a) { return std::fabs(a); };
constexpr auto f_sqrt = [](auto a) { return std::sqrt(a); };
constexpr auto f_rcp = [](auto a) { return decltype(a){1} / a; };
constexpr auto f_rsqrt = [](auto a) { return static_cast<decltype(a)>(1.0 / std::sqrt(static_cast<double>(a))); };
/// Returns the upper half of a double, which is what the gross approximations read and write.
inline double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u);
}
/// Returns a double with the precision of its upper half; subnormal numbers become zero.
inline double gross(double x) {
  if (x != x) return x;
  return std::fabs(x) < std::numeric_limits<double>::min() ? std::copysign(0.0, x) : upper_half(x);
}
constexpr auto f_rcp_gross = [](double a) { return gross(1.0 / gross(a)); };
constexpr auto f_rsqrt_gross = [](double a) { return gross(1.0 / std::sqrt(gross(a))); };
constexpr auto f_sin = [](auto a) { return static_cast<decltype(a)>(std::sin(static_cast<double>(a))); };
constexpr auto f_cos = [](auto a) { return static_cast<decltype(a)>(std::cos(static_cast<double>(a))); };
constexpr auto f_ex2 = [](auto a) { return static_cast<decltype(a)>(std::exp2(static_cast<double>(a))); };
constexpr auto f_lg2 = [](auto a) { return static_cast<decltype(a)>(std::log2(static_cast<double>(a))); };
constexpr auto f_tanh = [](auto a) { return static_cast<decltype(a)>(std::tanh(static_cast<double>(a))); };

/// The modifiers that an instance supports: none, `.ftz` only, or all that `op::imm` holds.
enum class variant { plain, flushing, general };

/// Applies the modifiers to operands and results.
template <typename T, variant Variant>
class treatment {
 public:
  explicit treatment(const op& o)
      : how_(Variant == variant::general ? modifiers::unpacked(o.imm)
                                         : modifiers{.flush = Variant == variant::flushing}),
        scope_(how_.mode) {}
  [[nodiscard]] T operand(T x) const { return how_.flush ? flushed(x) : x; }
  [[nodiscard]] T result(T x) const {
    x = operand(x);
    return how_.saturate ? saturated(x) : x;
  }

 private:
  modifiers how_;
  rounding_scope scope_;
};

// Changing the sign doesn't affect the other bits of a NaN; every other operation returns the canonical NaN.
template <typename T, auto F, variant Variant>
void apply(warp& w, const op& o) {
  constexpr bool only_sign = same_function<F, f_neg> || same_function<F, f_abs> || same_function<F, f_copysign>;
  const treatment<T, Variant> treated(o);
  map_all<T>(
      w, o, [&treated](auto... x) requires requires { F(x...); } {
        const T r = F(treated.operand(x)...);
        return treated.result(only_sign ? r : canonical(r));
      });
}

/// `testp`. o.imm: the number of the property that is tested.
template <typename T>
void test_property(warp& w, const op& o) {
  const T* const a = w.lanes<T>(o.a);
  std::uint32_t result = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const int kind = std::fpclassify(a[l]);
    const bool holds[] = {kind != FP_INFINITE && kind != FP_NAN,
                          kind == FP_INFINITE,
                          kind != FP_NAN,
                          kind == FP_NAN,
                          kind == FP_NORMAL,
                          kind == FP_SUBNORMAL};
    result |= static_cast<std::uint32_t>(holds[o.imm]) << l;
  }
  set_predicate(w, o.dst, result);
}

/// Returns the handler of an operation that doesn't round: min, max, changes of the sign, and the approximations.
template <typename T, auto F>
handler pick_exact(const modifiers& m) {
  if constexpr (std::is_same_v<T, float>) return m.flush ? apply<T, F, variant::flushing> : apply<T, F, variant::plain>;
  return apply<T, F, variant::plain>;  // nothing is flushed in double precision
}
/// Returns the fastest handler for the modifiers.
template <typename T, auto F>
handler pick(const modifiers& m) {
  return m.mode != rounding::nearest || m.saturate ? apply<T, F, variant::general> : pick_exact<T, F>(m);
}

template <typename T>
operation find_binary(const ptx::instruction& i, scalar_type t, const modifiers& m) {
  const std::string& n = i.opcode;
  const auto made = [&](handler run) { return operation{run, t, t, t, scalar_type::none, m.packed()}; };
  if (n == "add") return made(pick<T, f_add>(m));
  if (n == "sub") return made(pick<T, f_sub>(m));
  if (n == "mul") return made(pick<T, f_mul>(m));
  if constexpr (std::is_same_v<T, float>) {
    if (n == "div" && i.has("approx")) return made(pick_exact<T, f_div_approx>(m));
  }
  if (n == "div") return made(pick<T, f_div>(m));
  if (n == "min") return made(i.has("NaN") ? pick_exact<T, f_min_nan>(m) : pick_exact<T, f_min>(m));
  if (n == "max") return made(i.has("NaN") ? pick_exact<T, f_max_nan>(m) : pick_exact<T, f_max>(m));
  if (n == "copysign") return made(pick_exact<T, f_copysign>(m));
  return {};
}

template <typename T>
operation find_unary(const ptx::instruction& i, scalar_type t, const modifiers& m) {
  const std::string& n = i.opcode;
  constexpr auto none = scalar_type::none;
  const auto made = [&](handler run) { return operation{run, t, t, none, none, m.packed()}; };
  if constexpr (std::is_same_v<T, float>) {
    if (n == "sin") return made(pick_exact<T, f_sin>(m));
    if (n == "cos") return made(pick_exact<T, f_cos>(m));
    if (n == "ex2") return made(pick_exact<T, f_ex2>(m));
    if (n == "lg2") return made(pick_exact<T, f_lg2>(m));
    if (n == "tanh") return made(pick_exact<T, f_tanh>(m));
  } else {
    if (n == "rcp" && i.has("approx")) return made(apply<T, f_rcp_gross, variant::plain>);
    if (n == "rsqrt" && m.flush) return made(apply<T, f_rsqrt_gross, variant::plain>);
  }
  if (n == "neg") return made(pick_exact<T, f_neg>(m));
  if (n == "abs") return made(pick_exact<T, f_abs>(m));
  if (n == "rsqrt") return made(pick_exact<T, f_rsqrt>(m));
  if (n == "sqrt") return made(pick<T, f_sqrt>(m));
  if (n == "rcp") return made(pick<T, f_rcp>(m));
  return {};
}

template <typename T>
operation find(const ptx::instruction& i, scalar_type t) {
  modifiers m = read_modifiers(i);
  const std::string& n = i.opcode;
  if (i.operands.size() > 3 && (n == "min" || n == "max")) return {};  // three-input forms
  if (i.has("xorsign")) return {};
  if (n == "fma" || n == "mad") return {pick<T, f_fma>(m), t, t, t, t, m.packed()};
  if (const operation found = find_binary<T>(i, t, m)) return found;
  m.saturate = false;  // the following instructions don't have that modifier
  return find_unary<T>(i, t, m);
}

}  // namespace

operation find_floating(const ptx::instruction& i) {
  if (i.modifiers.empty()) return {};
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  if (i.opcode == "testp" && (t == scalar_type::f32 || t == scalar_type::f64)) {
    static constexpr std::string_view kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    const auto* found = std::find(std::begin(kinds), std::end(kinds), i.modifiers.front());
    if (found == std::end(kinds)) return {};
    return {t == scalar_type::f64 ? test_property<double> : test_property<float>,
            scalar_type::pred,
            t,
            scalar_type::none,
            scalar_type::none,
            static_cast<std::int32_t>(found - std::begin(kinds))};
  }
  if (t == scalar_type::f32) return find<float>(i, t);
  if (t == scalar_type::f64) return find<double>(i, t);
  return {};
}

}  // namespace emulator::simt
