#pragma once
/// \file
/// Loops over the 32 lanes of a warp, written so that the host compiler turns each into a few vector instructions.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/simt/warp.hpp"

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace emulator::simt {

inline constexpr std::uint32_t all_lanes = 0xffffffffu;

/// Returns a mask with bit l set where `condition[l]` is negative (all ones); `condition` is 64-byte aligned.
[[nodiscard]] inline std::uint32_t pack_mask(const std::int32_t* condition) {
#if defined(__AVX512DQ__)
  const auto low = static_cast<std::uint32_t>(_mm512_movepi32_mask(_mm512_load_si512(condition)));
  const auto high = static_cast<std::uint32_t>(_mm512_movepi32_mask(_mm512_load_si512(condition + 16)));
  return low | (high << 16);
#elif defined(__AVX2__)
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const __m256 part = _mm256_load_ps(reinterpret_cast<const float*>(condition + 8 * i));
    mask |= static_cast<std::uint32_t>(_mm256_movemask_ps(part)) << (8 * i);
  }
  return mask;
#elif defined(__SSE2__)
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const __m128 part = _mm_load_ps(reinterpret_cast<const float*>(condition + 4 * i));
    mask |= static_cast<std::uint32_t>(_mm_movemask_ps(part)) << (4 * i);
  }
  return mask;
#else
  std::uint32_t mask = 0;
  for (unsigned l = 0; l < warp_size; ++l) mask |= (condition[l] < 0 ? 1u : 0u) << l;
  return mask;
#endif
}

/// Makes a subnormal single-precision number a zero of the same sign (`.ftz`); leaves everything else alone.
template <typename T>
[[nodiscard]] inline T flushed(T x) {
  if constexpr (std::is_same_v<T, float>)
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
  else
    return x;
}

/// In single precision every NaN that comes out of an operation is the same one; in double precision it is the host's.
template <typename T>
[[nodiscard]] inline T canonical(T x) {
  if constexpr (std::is_same_v<T, float>)
    return x != x ? std::bit_cast<float>(0x7fffffffu) : x;
  else
    return x;
}

/// Stores `value` in the lanes of `mask`.
template <typename T>
inline void blend(T* dst, const T* value, std::uint32_t mask) {
#pragma GCC ivdep
  for (unsigned l = 0; l < warp_size; ++l) dst[l] = (mask >> l & 1u) != 0 ? value[l] : dst[l];
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
  alignas(64) D t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) t[l] = f(a[l], b[l], c[l]);
  blend(d, t, w.mask);
}

/// Compares lane by lane and returns a mask.
template <typename T, typename F>
[[nodiscard]] inline std::uint32_t compare(warp& w, const op& o, F f) {
  const T* a = w.lanes<T>(o.a);
  const T* b = w.lanes<T>(o.b);
  alignas(64) std::int32_t t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) t[l] = f(a[l], b[l]) ? -1 : 0;
  return pack_mask(t);
}

/// Writes a predicate register in the active lanes.
inline void set_predicate(warp& w, slot at, std::uint32_t value) {
  std::uint32_t& p = w.predicate(at);
  p = (p & ~w.mask) | (value & w.mask);
}

}  // namespace emulator::simt
