// PTX ISA, "Floating Point Instructions".

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint64_t nan32 = 0x7fffffff;  ///< The NaN that single-precision instructions return.
constexpr std::uint64_t inf32 = 0x7f800000, minus_inf32 = 0xff800000, minus_zero32 = 0x80000000, one32 = 0x3f800000;
constexpr std::uint64_t smallest_normal = 0x00800000, largest_subnormal = 0x007fffff, minus_subnormal = 0x80000001;
constexpr std::uint64_t some_nan = 0x7fc00123, minus_nan = 0xffc00000;
constexpr std::uint64_t inf64 = 0x7ff0000000000000, one64 = 0x3ff0000000000000, minus_zero64 = 0x8000000000000000;

/// Rounds an exact value to single precision: to the nearest float, or to its neighbour if the mode requires it.
float rounded(long double exact, const std::string& mode) {
  const auto nearest = static_cast<float>(exact);
  const float infinity = std::numeric_limits<float>::infinity();
  const bool down = mode == "rm" || (mode == "rz" && exact > 0), up = mode == "rp" || (mode == "rz" && exact < 0);
  if (down && static_cast<long double>(nearest) > exact) return std::nextafter(nearest, -infinity);
  if (up && static_cast<long double>(nearest) < exact) return std::nextafter(nearest, infinity);
  return nearest;
}

/// Returns a number between 2^-3 and 2^4 with either sign.
float some_float(random_words& next) {
  const std::uint64_t w = next();
  return as_float((w & 0x807fffffu) | (124 + (w >> 32) % 7) << 23);
}

/// Checks that the results of `text` for `values` differ from `exact` by at most `tolerance(x, y)`.
void check_close(const std::string& text, const std::vector<float>& values, const std::function<double(double)>& exact,
                 const std::function<double(double, double)>& tolerance) {
  std::vector<inputs> in;
  for (const float x : values) in.push_back({bits(x), 0, 0});
  const std::vector<std::uint64_t> got = evaluate(text, in);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double y = exact(values[k]);
    CAPTURE(text, values[k], as_float(got[k]), y);
    CHECK(std::fabs(as_float(got[k]) - y) <= tolerance(values[k], y));
  }
}

std::vector<float> spread(float first, float last, unsigned count) {
  std::vector<float> values;
  for (unsigned k = 0; k < count; ++k)
    values.push_back(first + (last - first) * static_cast<float>(k) / static_cast<float>(count - 1));
  return values;
}

}  // namespace

TEST_CASE("add rounds according to its modifier") {
  // 1 + 2^-24 is half way between 1 and the next float, and 1 + 2^-25 a quarter of the way
  const std::uint64_t half = bits(0x1p-24f), quarter = bits(0x1p-25f), minus_one = bits(-1.0f);
  const std::uint64_t minus_half = bits(-0x1p-24f);
  check("add.f32 %d, %a, %b;",
        {{one32, half, 0, one32}, {one32 + 1, half, 0, one32 + 2}, {bits(0.1f), bits(0.2f), 0, 0x3e99999a}});
  check("add.rn.f32 %d, %a, %b;", {{one32, half, 0, one32}, {minus_one, minus_half, 0, minus_one}});
  check("add.rz.f32 %d, %a, %b;", {{one32 + 1, half, 0, one32 + 1}, {minus_one, minus_half, 0, minus_one}});
  check("add.rm.f32 %d, %a, %b;",
        {{one32, quarter, 0, one32}, {minus_one, minus_half, 0, minus_one + 1}, {one32, minus_one, 0, minus_zero32}});
  check("add.rp.f32 %d, %a, %b;",
        {{one32, quarter, 0, one32 + 1}, {minus_one, minus_half, 0, minus_one}, {one32, minus_one, 0, 0}});
  check("add.rn.f64 %ld, %la, %lb;", {{one64, bits(0x1p-53), 0, one64}, {one64 + 1, bits(0x1p-53), 0, one64 + 2}});
  check("add.rp.f64 %ld, %la, %lb;", {{one64, bits(0x1p-60), 0, one64 + 1}});
  check("add.rz.f64 %ld, %la, %lb;",
        {{one64 + 1, bits(0x1p-53), 0, one64 + 1}, {bits(-1.0), bits(-0x1p-60), 0, bits(-1.0)}});
  check("add.rm.f64 %ld, %la, %lb;", {{bits(-1.0), bits(-0x1p-60), 0, bits(-1.0) + 1}});
  check("sub.rm.f32 %d, %a, %b;", {{one32, quarter, 0, bits(0x1.fffffep-1f)}, {one32, one32, 0, minus_zero32}});
  check("sub.f64 %ld, %la, %lb;", {{one64, bits(3.0), 0, bits(-2.0)}});
}

TEST_CASE("single-precision results are the exact ones, rounded once, in all four modes") {
  random_words next;
  for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
    std::vector<row> sum, product, fused;
    for (int k = 0; k < 128; ++k) {
      const float a = some_float(next), b = some_float(next), c = some_float(next);
      // A long double holds the results exactly: the product's last bit is at least 2^-52, and all values are below
      // 2^9.
      const long double ab = static_cast<long double>(a) * b;
      sum.push_back({bits(a), bits(b), 0, bits(rounded(static_cast<long double>(a) + b, mode))});
      product.push_back({bits(a), bits(b), 0, bits(rounded(ab, mode))});
      fused.push_back({bits(a), bits(b), bits(c), bits(rounded(ab + c, mode))});
    }
    check("add." + mode + ".f32 %d, %a, %b;", sum);
    check("mul." + mode + ".f32 %d, %a, %b;", product);
    check("fma." + mode + ".f32 %d, %a, %b, %c;", fused);
  }
}

TEST_CASE("fma rounds once") {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which is lost if the product is rounded first
  check("fma.rn.f32 %d, %a, %b, %c;", {{bits(1 + 0x1p-12f), bits(1 + 0x1p-12f), bits(-(1 + 0x1p-11f)), bits(0x1p-24f)},
                                       {inf32, 0, one32, nan32},
                                       {some_nan, one32, one32, nan32},
                                       {0, one32, minus_zero32, 0}});
  check("fma.rn.f64 %ld, %la, %lb, %lc;",
        {{bits(1 + 0x1p-27), bits(1 + 0x1p-27), bits(-(1 + 0x1p-26)), bits(0x1p-54)}});
  check("fma.rz.f32 %d, %a, %b, %c;", {{one32, one32, bits(0x1.8p-24f), one32}});
  check("fma.rp.f32 %d, %a, %b, %c;", {{one32, one32, bits(0x1p-40f), one32 + 1}});
  check("mul.f32 %d, %a, %b;\nadd.f32 %d, %d, %c;",  // a product and a sum are rounded separately
        {{bits(1 + 0x1p-12f), bits(1 + 0x1p-12f), bits(-(1 + 0x1p-11f)), 0}});
}

TEST_CASE("div, rcp and sqrt round as their modifiers say") {
  check("div.rn.f32 %d, %a, %b;", {{one32, bits(3.0f), 0, 0x3eaaaaab}, {one32, 0, 0, inf32}, {0, 0, 0, nan32}});
  check("div.rz.f32 %d, %a, %b;", {{one32, bits(3.0f), 0, 0x3eaaaaaa}, {bits(-2.0f), bits(3.0f), 0, 0xbf2aaaaa}});
  check("div.rm.f32 %d, %a, %b;", {{bits(-2.0f), bits(3.0f), 0, 0xbf2aaaab}});
  check("div.rp.f32 %d, %a, %b;", {{bits(2.0f), bits(3.0f), 0, 0x3f2aaaab}});
  check("div.rn.f64 %ld, %la, %lb;", {{one64, bits(3.0), 0, 0x3fd5555555555555}});
  check("div.rp.f64 %ld, %la, %lb;", {{one64, bits(3.0), 0, 0x3fd5555555555556}});
  check("rcp.rn.f32 %d, %a;",
        {{bits(3.0f), 0, 0, 0x3eaaaaab}, {minus_zero32, 0, 0, minus_inf32}, {minus_inf32, 0, 0, minus_zero32}});
  check("rcp.rz.f32 %d, %a;", {{bits(3.0f), 0, 0, 0x3eaaaaaa}});
  check("rcp.rn.f64 %ld, %la;", {{bits(4.0), 0, 0, bits(0.25)}, {0, 0, 0, inf64}});
  check("sqrt.rn.f32 %d, %a;",
        {{bits(2.0f), 0, 0, 0x3fb504f3}, {minus_zero32, 0, 0, minus_zero32}, {bits(-1.0f), 0, 0, nan32}});
  check("sqrt.rp.f32 %d, %a;", {{bits(2.0f), 0, 0, 0x3fb504f4}, {bits(9.0f), 0, 0, bits(3.0f)}});
  check("sqrt.rn.f64 %ld, %la;", {{bits(2.0), 0, 0, 0x3ff6a09e667f3bcd}, {inf64, 0, 0, inf64}});
  check("sqrt.rm.f64 %ld, %la;", {{bits(2.0), 0, 0, 0x3ff6a09e667f3bcc}});
}

TEST_CASE("subnormal numbers are preserved without ftz and become zeroes of their sign with it") {
  check("add.f32 %d, %a, %b;", {{largest_subnormal, 1, 0, smallest_normal}, {minus_subnormal, 0, 0, minus_subnormal}});
  check("add.ftz.f32 %d, %a, %b;", {{largest_subnormal, 1, 0, 0},
                                    {minus_subnormal, minus_subnormal, 0, minus_zero32},
                                    {smallest_normal, 1, 0, smallest_normal}});
  check("sub.ftz.f32 %d, %a, %b;", {{smallest_normal + 1, smallest_normal, 0, 0}});  // the result is flushed, too
  check("mul.f32 %d, %a, %b;", {{smallest_normal, bits(0.5f), 0, 0x00400000}});
  check("mul.ftz.f32 %d, %a, %b;",
        {{smallest_normal, bits(-0.5f), 0, minus_zero32}, {largest_subnormal, bits(2.0f), 0, 0}});
  check("fma.rn.ftz.f32 %d, %a, %b, %c;", {{one32, largest_subnormal, one32, one32}, {one32, one32, 1, one32}});
  check("min.ftz.f32 %d, %a, %b;", {{largest_subnormal, one32, 0, 0}});
  check("abs.ftz.f32 %d, %a;", {{minus_subnormal, 0, 0, 0}});
  check("neg.ftz.f32 %d, %a;", {{largest_subnormal, 0, 0, minus_zero32}});
  check("rcp.rn.ftz.f32 %d, %a;", {{minus_subnormal, 0, 0, minus_inf32}});
  check("sqrt.rn.ftz.f32 %d, %a;", {{largest_subnormal, 0, 0, 0}});
  check("add.f64 %ld, %la, %lb;", {{1, 1, 0, 2}});  // double precision always keeps subnormal numbers
}

TEST_CASE("sat clamps to [0, 1] and makes a NaN +0") {
  check("add.sat.f32 %d, %a, %b;", {{one32, one32, 0, one32},
                                    {bits(-2.0f), one32, 0, 0},
                                    {some_nan, one32, 0, 0},
                                    {bits(0.25f), bits(0.5f), 0, bits(0.75f)},
                                    {minus_zero32, minus_zero32, 0, 0}});
  check("mul.sat.f32 %d, %a, %b;", {{inf32, one32, 0, one32}, {inf32, 0, 0, 0}});
  check("fma.rn.sat.f32 %d, %a, %b, %c;",
        {{bits(0.5f), bits(0.5f), bits(0.5f), bits(0.75f)}, {one32, one32, one32, one32}});
  check("sub.ftz.sat.f32 %d, %a, %b;", {{one32, bits(2.0f), 0, 0}});
}

TEST_CASE("every NaN that single-precision arithmetic makes is 0x7fffffff") {
  check("add.f32 %d, %a, %b;",
        {{inf32, minus_inf32, 0, nan32}, {some_nan, one32, 0, nan32}, {one32, minus_nan, 0, nan32}});
  check("sub.rz.f32 %d, %a, %b;", {{inf32, inf32, 0, nan32}});
  check("mul.f32 %d, %a, %b;", {{inf32, 0, 0, nan32}, {minus_nan, one32, 0, nan32}});
}

TEST_CASE("min and max prefer numbers to NaNs, unless NaN is requested, and order the zeroes") {
  check("min.f32 %d, %a, %b;", {{one32, bits(2.0f), 0, one32},
                                {some_nan, one32, 0, one32},
                                {one32, minus_nan, 0, one32},
                                {some_nan, minus_nan, 0, nan32},
                                {0, minus_zero32, 0, minus_zero32},
                                {minus_zero32, 0, 0, minus_zero32},
                                {minus_inf32, one32, 0, minus_inf32}});
  check("max.f32 %d, %a, %b;", {{one32, bits(2.0f), 0, bits(2.0f)},
                                {some_nan, one32, 0, one32},
                                {minus_nan, some_nan, 0, nan32},
                                {0, minus_zero32, 0, 0},
                                {minus_zero32, 0, 0, 0}});
  check("min.NaN.f32 %d, %a, %b;",
        {{some_nan, one32, 0, nan32}, {one32, minus_nan, 0, nan32}, {one32, bits(2.0f), 0, one32}});
  check("max.NaN.f32 %d, %a, %b;", {{some_nan, one32, 0, nan32}, {one32, bits(2.0f), 0, bits(2.0f)}});
  check("min.f64 %ld, %la, %lb;",
        {{one64, bits(2.0), 0, one64}, {bits(std::nan("")), one64, 0, one64}, {0, minus_zero64, 0, minus_zero64}});
  check("max.f64 %ld, %la, %lb;", {{one64, bits(2.0), 0, bits(2.0)}, {one64, bits(std::nan("")), 0, one64}});
}

TEST_CASE("abs, neg and copysign change nothing but the sign") {
  check("abs.f32 %d, %a;", {{bits(-2.5f), 0, 0, bits(2.5f)}, {minus_inf32, 0, 0, inf32}, {minus_subnormal, 0, 0, 1}});
  check("neg.f32 %d, %a;", {{bits(2.5f), 0, 0, bits(-2.5f)}, {0, 0, 0, minus_zero32}});
  check("abs.f64 %ld, %la;", {{minus_zero64, 0, 0, 0}});
  check("neg.f64 %ld, %la;", {{one64, 0, 0, bits(-1.0)}});
  // the sign of a and the magnitude of b
  check("copysign.f32 %d, %a, %b;", {{minus_zero32, one32, 0, bits(-1.0f)},
                                     {one32, bits(-2.0f), 0, bits(2.0f)},
                                     {minus_inf32, 0x7fc00001, 0, 0xffc00001}});
  check("copysign.f64 %ld, %la, %lb;", {{minus_zero64, bits(3.0), 0, bits(-3.0)}});
}

TEST_CASE("testp classifies a number") {
  const std::vector<std::uint64_t> values = {
      0, minus_zero32, one32, largest_subnormal, minus_subnormal, smallest_normal, inf32, minus_inf32, some_nan};
  const auto test = [&](const std::string& what, const std::vector<unsigned>& expected) {
    std::vector<row> rows;
    for (std::size_t k = 0; k < values.size(); ++k) rows.push_back({values[k], 0, 0, expected[k]});
    check("testp." + what + ".f32 %p, %a;", rows);
  };
  test("finite", {1, 1, 1, 1, 1, 1, 0, 0, 0});
  test("infinite", {0, 0, 0, 0, 0, 0, 1, 1, 0});
  test("number", {1, 1, 1, 1, 1, 1, 1, 1, 0});
  test("notanumber", {0, 0, 0, 0, 0, 0, 0, 0, 1});
  test("subnormal", {0, 0, 0, 1, 1, 0, 0, 0, 0});
  check("testp.normal.f32 %p, %a;",
        {{one32, 0, 0, 1}, {largest_subnormal, 0, 0, 0}, {inf32, 0, 0, 0}, {some_nan, 0, 0, 0}});
  check("testp.subnormal.f64 %p, %la;", {{1, 0, 0, 1}, {one64, 0, 0, 0}});
  check("testp.notanumber.f64 %p, %la;", {{bits(std::nan("")), 0, 0, 1}, {inf64, 0, 0, 0}});
}

TEST_CASE("the approximations stay within the ISA's errors") {
  const auto relative = [](double bound) { return [bound](double, double y) { return bound * std::fabs(y); }; };
  const auto ulps = [](double count) {  // of the result
    return [count](double, double y) { return count * std::ldexp(1.0, std::ilogb(y) - 23); };
  };
  const std::vector<float> positive = spread(0.01f, 900.0f, 300);
  check_close(
      "rcp.approx.f32 %d, %a;", positive, [](double x) { return 1 / x; }, ulps(1));
  check_close(
      "rcp.approx.ftz.f32 %d, %a;", positive, [](double x) { return 1 / x; }, ulps(1));
  check_close(
      "sqrt.approx.f32 %d, %a;", positive, [](double x) { return std::sqrt(x); }, relative(0x1p-23));
  check_close(
      "rsqrt.approx.f32 %d, %a;", positive, [](double x) { return 1 / std::sqrt(x); }, relative(0x1p-22));
  check_close(
      "ex2.approx.f32 %d, %a;", spread(-20, 20, 300), [](double x) { return std::exp2(x); }, ulps(2));
  check_close(
      "lg2.approx.f32 %d, %a;", positive, [](double x) { return std::log2(x); },
      [](double x, double y) { return x > 0.5 && x < 2 ? 0x1p-22 : 0x1p-22 * std::fabs(y); });
  check_close(
      "sin.approx.f32 %d, %a;", spread(-6.28f, 6.28f, 300), [](double x) { return std::sin(x); },
      [](double, double) { return 0x1p-20; });
  check_close(
      "cos.approx.f32 %d, %a;", spread(-6.28f, 6.28f, 300), [](double x) { return std::cos(x); },
      [](double, double) { return 0x1p-20; });
  check_close(
      "tanh.approx.f32 %d, %a;", spread(-4, 4, 101), [](double x) { return std::tanh(x); }, relative(0x1p-11));
  for (const std::string text : {"div.approx.f32 %d, %a, 0f40400000;", "div.full.f32 %d, %a, 0f40400000;"})
    check_close(
        text, positive, [](double x) { return x / 3; }, ulps(2));
}

TEST_CASE("the approximations have the ISA's special values") {
  check("rcp.approx.f32 %d, %a;",
        {{0, 0, 0, inf32}, {minus_zero32, 0, 0, minus_inf32}, {inf32, 0, 0, 0}, {some_nan, 0, 0, nan32}});
  check("sqrt.approx.f32 %d, %a;",
        {{minus_zero32, 0, 0, minus_zero32}, {bits(-1.0f), 0, 0, nan32}, {inf32, 0, 0, inf32}});
  check("rsqrt.approx.f32 %d, %a;",
        {{0, 0, 0, inf32}, {minus_zero32, 0, 0, minus_inf32}, {inf32, 0, 0, 0}, {bits(-1.0f), 0, 0, nan32}});
  check(
      "ex2.approx.f32 %d, %a;",
      {{minus_inf32, 0, 0, 0}, {inf32, 0, 0, inf32}, {minus_zero32, 0, 0, one32}, {bits(10.0f), 0, 0, bits(1024.0f)}});
  check("lg2.approx.f32 %d, %a;",
        {{0, 0, 0, minus_inf32}, {inf32, 0, 0, inf32}, {bits(-1.0f), 0, 0, nan32}, {bits(8.0f), 0, 0, bits(3.0f)}});
  check("lg2.approx.ftz.f32 %d, %a;", {{largest_subnormal, 0, 0, minus_inf32}});
  check("sin.approx.f32 %d, %a;", {{minus_zero32, 0, 0, minus_zero32}, {inf32, 0, 0, nan32}, {0, 0, 0, 0}});
  check("cos.approx.f32 %d, %a;", {{0, 0, 0, one32}, {minus_zero32, 0, 0, one32}, {minus_inf32, 0, 0, nan32}});
  check("tanh.approx.f32 %d, %a;",
        {{inf32, 0, 0, one32}, {minus_inf32, 0, 0, bits(-1.0f)}, {minus_zero32, 0, 0, minus_zero32}});
  // beyond 2^126, the reciprocal that div.approx uses is 0
  check("div.approx.f32 %d, %a, %b;", {{bits(0x1p127f), bits(0x1.8p126f), 0, 0},
                                       {inf32, bits(0x1.8p126f), 0, nan32},
                                       {bits(6.0f), bits(2.0f), 0, bits(3.0f)}});
  check("div.full.f32 %d, %a, %b;", {{bits(0x1p127f), bits(0x1p126f), 0, bits(2.0f)}});
}

TEST_CASE("the gross approximations in double precision leave the low word zero") {
  check("rcp.approx.ftz.f64 %ld, %la;", {{bits(4.0), 0, 0, bits(0.25)},
                                         {bits(4.0) + 1, 0, 0, bits(0.25)},
                                         {1, 0, 0, inf64},
                                         {minus_zero64, 0, 0, 0xfff0000000000000},
                                         {inf64, 0, 0, 0}});
  check("rsqrt.approx.ftz.f64 %ld, %la;", {{bits(4.0), 0, 0, bits(0.5)}, {1, 0, 0, inf64}});
  for (const double x : {3.0, 7.25, 1e100, 1e-200}) {
    const std::uint64_t got = evaluate("rcp.approx.ftz.f64 %ld, %la;", {{bits(x), 0, 0}})[0];
    CAPTURE(x, as_double(got));
    CHECK((got & 0xffffffffu) == 0);
    CHECK(std::fabs(as_double(got) * x - 1) < 0x1p-19);
  }
  const std::uint64_t exact = evaluate("rsqrt.approx.f64 %ld, %la;", {{bits(2.0), 0, 0}})[0];
  CHECK(std::fabs(as_double(exact) * std::sqrt(2.0) - 1) < 0x1p-40);
}

}  // namespace emulator::simt::test
