#pragma once
/// \file
/// Vector loads, as chapter 8 had you write them.

#include <bit>
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

/// How many elements of type T one load of 16 bytes brings.
template <typename T>
inline constexpr unsigned elements_per_load = sizeof(uint4) / sizeof(T);

/// What a load tells the caches: nothing; that its data is read once and may go first; that nobody writes it while the
/// kernel runs.
enum class caching { usual, streaming, read_only };

/// Returns the N elements at `in` (device, aligned on 16 bytes), which one instruction brings. Valid in every thread.
template <unsigned N, caching Hint = caching::usual, typename T>
__device__ vector<N, T> load(const T* in) {
  static_assert(std::is_trivially_copyable_v<T> && N * sizeof(T) == sizeof(uint4),
                "a vector has 16 bytes: the element's size must be 1, 2, 4, 8 or 16");
  // Legal: the address is a multiple of 16, and the bits of any trivially copyable type may travel as four words.
  const uint4* words = reinterpret_cast<const uint4*>(in);
  if constexpr (Hint == caching::streaming)
    return std::bit_cast<vector<N, T>>(__ldcs(words));
  else if constexpr (Hint == caching::read_only)
    return std::bit_cast<vector<N, T>>(__ldg(words));
  else
    return std::bit_cast<vector<N, T>>(*words);
}

/// Returns how many of the `n` elements at `in` (device) stand before the first address that is a multiple of 16.
template <typename T>
__host__ __device__ std::size_t elements_before_vectors(const T* in, std::size_t n) {
  const std::size_t before = -(reinterpret_cast<std::uintptr_t>(in) / sizeof(T)) % elements_per_load<T>;
  return before < n ? before : n;
}

}  // namespace workbook
