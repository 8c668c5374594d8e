#pragma once
/// \file
/// Inputs of the reduction in one launch: arrays, and types with the same members, such as pipelines of ranges.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "reductions/operators.cuh"
#include "reductions/vector.cuh"

namespace workbook {

/// An array, divided into 16-byte vectors and the elements before and after them.
template <typename T>
struct reduce_input {
  using value_type = T;
  static constexpr std::size_t bytes_per_element = sizeof(T);          ///< Bytes that memory has to supply.
  static constexpr bool has_vectors = sizeof(uint4) % sizeof(T) == 0;  ///< 16 bytes hold a whole number of elements.
  static constexpr unsigned per_vector = has_vectors ? sizeof(uint4) / sizeof(T) : 1;
  const T* in;          ///< Device, n elements, aligned for T.
  std::size_t n;        ///< May be 0.
  std::size_t head;     ///< Elements before the first vector; in a large array, before the first line of 128 bytes.
  std::size_t vectors;  ///< Number of 16-byte vectors. Fewer than `per_vector` elements follow the last one.

  reduce_input(const T* first, std::size_t count) : in(first), n(count), head(0), vectors(0) {
    // An 8-byte T may be aligned to only 4 bytes. Then no element begins at a multiple of 16: there are no vectors.
    if (!has_vectors || reinterpret_cast<std::uintptr_t>(first) % sizeof(T) != 0) return;
    // A warp's loads touch four cache lines if they begin at the start of a line, and otherwise five, which takes 2 to
    // 3 % more time if the kernel is memory-bound. If it isn't, a short head matters more.
    head = elements_before_vectors(first, count, count * sizeof(T) < (1u << 24) ? sizeof(uint4) : 128);
    vectors = (count - head) / per_vector;
  }
  /// Returns element `i` < n.
  __device__ T operator[](std::size_t i) const { return in[i]; }
  /// Returns the elements of vector `k` < vectors, loaded with one instruction.
  template <caching Hint>
  __device__ vector<per_vector, T> get_vector(std::size_t k) const {
    return load<per_vector, Hint>(in + head + k * per_vector);
  }
  /// Returns vector `k` as it is in memory, for elements narrower than a register. Otherwise each of them would occupy
  /// a register as soon as it is loaded.
  template <caching Hint>
  __device__ uint4 get_words(std::size_t k) const requires(has_vectors && sizeof(T) < sizeof(unsigned)) {
    return bits_as<uint4>(load<per_vector, Hint>(in + head + k * per_vector));
  }
};

/// An array whose elements come with their indices, for `arg_min` and `arg_max`. If elements have up to 4 bytes, there
/// are at most 2^32. A load has at most four elements, because each takes a register, and its index takes another.
template <typename T>
struct indexed_input : reduce_input<T> {
  using base = reduce_input<T>;
  using value_type = indexed<T>;
  using index_type = typename value_type::index_type;
  static constexpr unsigned per_vector = base::per_vector < 4 ? base::per_vector : 4;

  indexed_input(const T* first, std::size_t count) : base(first, count) {
    this->vectors *= base::per_vector / per_vector;
  }
  __device__ value_type operator[](std::size_t i) const { return {this->in[i], static_cast<index_type>(i)}; }
  template <caching Hint>
  __device__ vector<per_vector, value_type> get_vector(std::size_t k) const {
    const std::size_t at = this->head + k * per_vector;
    const vector<per_vector, T> values = load<per_vector, Hint>(this->in + at);
    vector<per_vector, value_type> pairs;
    for (unsigned j = 0; j < per_vector; ++j) pairs.elements[j] = {values.elements[j], static_cast<index_type>(at + j)};
    return pairs;
  }
  template <caching Hint>
  void get_words(std::size_t) const = delete;
};

/// True if an input is a plain array, so that nothing is computed for an element except its load.
template <typename Input>
inline constexpr bool is_array = false;
template <typename T>
inline constexpr bool is_array<reduce_input<T>> = true;
template <typename T>
inline constexpr bool is_array<indexed_input<T>> = true;

/// What `reduce` requires of its input: the number of elements and vectors, and access to each of them.
template <typename Input>
concept reducible = requires(const Input input, std::size_t i) {
  { input.n } -> std::convertible_to<std::size_t>;
  { input.head } -> std::convertible_to<std::size_t>;
  { input.vectors } -> std::convertible_to<std::size_t>;
  { Input::per_vector } -> std::convertible_to<unsigned>;
  { Input::has_vectors } -> std::convertible_to<bool>;
  { Input::bytes_per_element } -> std::convertible_to<std::size_t>;
  { input[i] } -> std::convertible_to<typename Input::value_type>;
  { input.template get_vector<caching::usual>(i).elements[0] } -> std::convertible_to<typename Input::value_type>;
};

}  // namespace workbook
