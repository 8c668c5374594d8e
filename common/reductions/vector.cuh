#pragma once
/// \file
/// Vector loads, as you wrote them in chapter 8.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <vector_types.h>

namespace workbook {

/// N neighbouring elements.
template <unsigned N, typename T>
struct vector {
  T elements[N];
};

/// The number of elements of type T in one load of 16 bytes.
template <typename T>
inline constexpr unsigned elements_per_load = sizeof(uint4) / sizeof(T);

/// A load's hint for the caches: none (`usual`); the data is read once and may be evicted first (`streaming`); the data
/// isn't written while the kernel runs (`read_only`).
enum class caching { usual, streaming, read_only };

/// The type that loads and stores `Bytes` bytes: 16 if possible, fewer if the elements of another array are wider.
template <std::size_t Bytes>
struct word_of {
  static_assert(Bytes == 16, "a vector has 1, 2, 4, 8 or 16 bytes: no instruction loads or stores another number");
  using type = uint4;
};
template <>
struct word_of<8> {
  using type = uint2;
};
template <>
struct word_of<4> {
  using type = unsigned;
};
template <>
struct word_of<2> {
  using type = unsigned short;
};
template <>
struct word_of<1> {
  using type = unsigned char;
};

/// Returns the bits of `from` as a value of a type of equal size. Unlike std::bit_cast, works on host and device.
template <typename To, typename From>
__host__ __device__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

/// Returns the N elements at `in` (device, aligned to their total size, which is 16, 8, 4, 2 or 1 bytes), loaded with
/// one instruction. Valid in every thread.
template <unsigned N, caching Hint = caching::usual, typename T>
__device__ vector<N, T> load(const T* in) {
  static_assert(std::is_trivially_copyable_v<T>);
  // Legal: the address is a multiple of the word's size, and any trivially copyable type may be copied as bits.
  const auto* words = reinterpret_cast<const typename word_of<N * sizeof(T)>::type*>(in);
  if constexpr (Hint == caching::streaming)
    return bits_as<vector<N, T>>(__ldcs(words));
  else if constexpr (Hint == caching::read_only)
    return bits_as<vector<N, T>>(__ldg(words));
  else
    return bits_as<vector<N, T>>(*words);
}

/// Stores the N elements of `v` at `out` (device, aligned to their total size) with one instruction.
template <unsigned N, typename T>
__device__ void store(T* out, const vector<N, T>& v) {
  static_assert(std::is_trivially_copyable_v<T>);
  using word = typename word_of<N * sizeof(T)>::type;
  *reinterpret_cast<word*>(out) = bits_as<word>(v);  // legal for the same reason as in `load`
}

/// Returns the number of elements before the first address that is a multiple of `bytes`, itself a multiple of 16, or
/// `n` if that is less. The array has `n` elements at `in` (device).
template <typename T>
__host__ __device__ std::size_t elements_before_vectors(const T* in, std::size_t n, std::size_t bytes = 16) {
  const std::size_t before = -(reinterpret_cast<std::uintptr_t>(in) / sizeof(T)) % (bytes / sizeof(T));
  return before < n ? before : n;
}

}  // namespace workbook
