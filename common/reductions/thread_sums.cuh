#pragma once
/// \file
/// The accumulators of a thread that combines vectors of elements: few enough for its registers, but enough for
/// additions that don't wait for each other.

#include <concepts>
#include <type_traits>

#include "reductions/operators.cuh"
#include "reductions/vector.cuh"

namespace workbook {

/// The number of accumulators of type Acc that a thread has for vectors of N elements of type T: at most as many as fit
/// into 8 registers, and fewer if elements are unpacked, because each then needs a register.
template <typename Acc, typename T, unsigned N>
inline constexpr unsigned accumulators_for = N*((sizeof(Acc) + 3) / 4) <= (sizeof(T) == 1   ? 2
                                                                           : sizeof(T) == 2 ? 4
                                                                                            : 8) ||
                                                     N % 2 != 0
                                                 ? N
                                                 : accumulators_for<Acc, T, N / 2>;

/// True if accumulators of type `Sums` take all vectors of a round in one call, `add(vectors, there)`, where `there(d)`
/// is true if vector d has been loaded.
template <typename Sums>
inline constexpr bool takes_rounds = false;

/// Adds the result of `fetch(d)` for each d below `Depth` for which `there(d)` is true. All loads are issued before the
/// first result is added, so that they wait for memory together.
template <unsigned Depth, typename Sums, typename Fetch, typename There>
__device__ void add_round(Sums& sums, Fetch fetch, There there) {
  decltype(fetch(0u)) v[Depth];
#pragma unroll
  for (unsigned d = 0; d < Depth; ++d)
    if (there(d)) v[d] = fetch(d);
  if constexpr (takes_rounds<Sums>) {
    sums.add(v, there);
  } else {
#pragma unroll
    for (unsigned d = 0; d < Depth; ++d)
      if (there(d)) sums.add(v[d]);
  }
}

/// Integers of one byte or two, and bool.
template <typename T>
concept narrow_integer = std::integral<T> && sizeof(T) <= 2;

/// The type that a thread stores instead of an Acc. Registers hold ints, and minimum and maximum are the same in them.
template <typename Acc, typename Op>
struct kept_as {
  using type = Acc;
};
template <narrow_integer Acc>
struct kept_as<Acc, minimum> {
  using type = int;
};
template <narrow_integer Acc>
struct kept_as<Acc, maximum> {
  using type = int;
};

/// Accumulators of type Acc for elements of type T, combined by Op.
template <typename Acc, typename T, unsigned N, typename Op>
class thread_sums {
 public:
  __device__ explicit thread_sums(Op op) : op_(op) {
    for (kept& sum : sums_) sum = Op::template identity<Acc>();
  }
  __device__ void add(T element) { sums_[0] = op_(sums_[0], converted(element)); }
  __device__ void add(const vector<N, T>& v) {
#pragma unroll
    for (unsigned k = 0; k < N; ++k) sums_[k % count] = op_(sums_[k % count], converted(v.elements[k]));
  }
  __device__ void add(uint4 words) requires(N * sizeof(T) == sizeof(uint4)) {
    add(bits_as<vector<N, T>>(words));
  }
  /// Returns all accumulators combined into one value.
  __device__ Acc total() const {
    kept sum = sums_[0];
    for (unsigned k = 1; k < count; ++k) sum = op_(sum, sums_[k]);
    return static_cast<Acc>(sum);
  }

 private:
  using kept = typename kept_as<Acc, Op>::type;
  __device__ static kept converted(T element) {
    return static_cast<Acc>(element);
  }
  static constexpr unsigned count = accumulators_for<Acc, T, N>;
  kept sums_[count];
  Op op_;
};

/// Sums narrow integers: one instruction takes a word of four bytes (`dp4a`) or of two halves (`dp2a`), multiplies each
/// by one, and adds them all to a 32-bit number. The result is exact, or wraps as the accumulator would.
template <typename Acc, narrow_integer T, unsigned N>
requires(std::is_arithmetic_v<Acc>&& N * sizeof(T) == sizeof(uint4)) class thread_sums<Acc, T, N, plus> {
 public:
  __device__ explicit thread_sums(plus) {}
  __device__ void add(T element) { sums_[0] += static_cast<kept>(element); }
  __device__ void add(const vector<N, T>& v) { add(bits_as<uint4>(v)); }
  __device__ void add(uint4 word) {
    if constexpr (in_words) {
      sums_[0] = static_cast<kept>(added(word.x, sums_[0]));
      sums_[1] = static_cast<kept>(added(word.y, sums_[1]));
      sums_[2] = static_cast<kept>(added(word.z, sums_[2]));
      sums_[3] = static_cast<kept>(added(word.w, sums_[3]));
    } else {
      // 16 bytes add up to less than 2^31, so a wide accumulator is updated once per vector.
      const unsigned bits = added(word.x, added(word.y, added(word.z, added(word.w, 0))));
      if constexpr (std::is_signed_v<T>)
        sums_[0] += static_cast<kept>(static_cast<int>(bits));
      else
        sums_[0] += static_cast<kept>(bits);
    }
  }
  __device__ Acc total() const {
    kept sum = sums_[0];
    for (unsigned k = 1; k < count; ++k) sum += sums_[k];
    return static_cast<Acc>(sum);
  }

 private:
  /// An integer accumulator of up to 32 bits wraps like the lower bits of a 32-bit number.
  static constexpr bool in_words = std::is_integral_v<Acc> && sizeof(Acc) <= sizeof(unsigned);
  static constexpr unsigned count = in_words ? 4 : 1;
  using kept = std::conditional_t<in_words, unsigned, Acc>;

  /// Returns `sum` plus the numbers in `word`, modulo 2^32.
  __device__ static unsigned added(unsigned word, unsigned sum) {
    constexpr unsigned ones = 0x01010101;
    if constexpr (sizeof(T) == 1 && std::is_signed_v<T>)
      return static_cast<unsigned>(__dp4a(static_cast<int>(word), static_cast<int>(ones), static_cast<int>(sum)));
    else if constexpr (sizeof(T) == 1)
      return __dp4a(word, ones, sum);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<unsigned>(__dp2a_lo(static_cast<int>(word), static_cast<int>(ones), static_cast<int>(sum)));
    else
      return __dp2a_lo(word, ones, sum);
  }
  kept sums_[count] = {};
};

}  // namespace workbook
