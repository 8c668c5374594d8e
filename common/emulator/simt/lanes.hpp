#pragma once
/// \file
/// Loops over the 32 lanes of a warp, written so that the host compiler turns each into a few vector instructions.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/simt/warp.hpp"

namespace emulator::simt {

/// True if two lambdas, as template arguments, are the same.
template <auto F, auto G>
inline constexpr bool same_function = std::is_same_v<decltype(F), decltype(G)>;

/// Returns a mask with bit l set if `holds(l)`.
template <typename F>
[[nodiscard]] inline std::uint32_t mask_of(F holds) {
  std::uint32_t mask = 0;
  for (unsigned l = 0; l < warp_size; ++l) mask |= (holds(l) ? 1u : 0u) << l;
  return mask;
}

/// Replaces a subnormal single-precision number by a zero of the same sign (`.ftz`); other numbers don't change.
template <typename T>
[[nodiscard]] inline T flushed(T x) {
  if constexpr (std::is_same_v<T, float>)
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
  else
    return x;
}

/// Returns `x`, but replaces every single-precision NaN by the same one. A double-precision NaN stays as the host
/// computed it.
template <typename T>
[[nodiscard]] inline T canonical(T x) {
  if constexpr (std::is_same_v<T, float>)
    return x != x ? std::bit_cast<float>(0x7fffffffu) : x;
  else
    return x;
}

/// An unsigned integer of `Bytes` bytes.
template <std::size_t Bytes>
using bits_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Stores `value(l)` in the lanes of `mask`. The other lanes are written, too, with their old value, because the
/// compiler would turn a `?:` into a masked store, which the next instruction's load has to wait for.
template <typename T, typename F>
inline void write_lanes(T* dst, std::uint32_t mask, F value) {
  using bits = bits_of_size<sizeof(T)>;
  bits* const d = reinterpret_cast<bits*>(dst);
#pragma GCC ivdep
  for (unsigned l = 0; l < warp_size; ++l) {
    const bits active = static_cast<bits>(0 - static_cast<bits>(mask >> l & 1u));
    d[l] = static_cast<bits>((std::bit_cast<bits>(value(l)) & active) | (d[l] & ~active));
  }
}

/// Stores `value` in the lanes of `mask`.
template <typename T>
inline void blend(T* dst, const T* value, std::uint32_t mask) {
  write_lanes(dst, mask, [value](unsigned l) { return value[l]; });
}

template <typename D, typename A, typename F>
inline void map1(warp& w, const op& o, F f) {
  D* d = w.lanes<D>(o.dst);
  const A* a = w.lanes<A>(o.a);
  if (w.mask == all_lanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l) d[l] = f(a[l]);
  } else {
    alignas(64) D t[warp_size];
    for (unsigned l = 0; l < warp_size; ++l) t[l] = f(a[l]);
    blend(d, t, w.mask);
  }
}

template <typename D, typename A, typename B, typename F>
inline void map2(warp& w, const op& o, F f) {
  D* d = w.lanes<D>(o.dst);
  const A* a = w.lanes<A>(o.a);
  const B* b = w.lanes<B>(o.b);
  if (w.mask == all_lanes) {
    if constexpr (sizeof(D) == sizeof(A) && sizeof(D) == sizeof(B)) {
#pragma GCC ivdep
      for (unsigned l = 0; l < warp_size; ++l) d[l] = f(a[l], b[l]);
      return;
    }
  }
  alignas(64) D t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) t[l] = f(a[l], b[l]);
  blend(d, t, w.mask);
}

template <typename D, typename A, typename B, typename C, typename F>
inline void map3(warp& w, const op& o, F f) {
  D* d = w.lanes<D>(o.dst);
  const A* a = w.lanes<A>(o.a);
  const B* b = w.lanes<B>(o.b);
  const C* c = w.lanes<C>(o.c);
  if constexpr (sizeof(D) == sizeof(A) && sizeof(D) == sizeof(B) && sizeof(D) == sizeof(C)) {
    if (w.mask == all_lanes) {
#pragma GCC ivdep
      for (unsigned l = 0; l < warp_size; ++l) d[l] = f(a[l], b[l], c[l]);
      return;
    }
  }
  alignas(64) D t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) t[l] = f(a[l], b[l], c[l]);
  blend(d, t, w.mask);
}

/// Sets each active lane of the result to `f` of the lane's operands, which are of type T. `f` has one, two or three
/// parameters.
template <typename T, typename F>
inline void map_all(warp& w, const op& o, F f) {
  if constexpr (requires(T x) { f(x); })
    map1<T, T>(w, o, f);
  else if constexpr (requires(T x) { f(x, x); })
    map2<T, T, T>(w, o, f);
  else
    map3<T, T, T, T>(w, o, f);
}

/// Compares lane by lane and returns a mask of the lanes for which `f` is true.
template <typename T, typename F>
[[nodiscard]] inline std::uint32_t compare(warp& w, const op& o, F f) {
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  return mask_of([&](unsigned l) { return f(a[l], b[l]); });
}

/// Sets the active lanes of a predicate register.
inline void set_predicate(warp& w, slot at, std::uint32_t value) {
  std::uint32_t& p = w.predicate(at);
  p = (p & ~w.mask) | (value & w.mask);
}

}  // namespace emulator::simt
