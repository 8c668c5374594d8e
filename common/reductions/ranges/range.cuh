#pragma once
/// \file
/// The interfaces between the stages of a pipeline: a range, an element that may be missing, and the operator `|`.

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "reductions/vector.cuh"

namespace workbook {

/// An unsigned integer as wide as the alignment of a type, so that there is no padding next to it.
template <std::size_t Alignment>
using flag_of =
    std::conditional_t<Alignment == 1, unsigned char,
                       std::conditional_t<Alignment == 2, unsigned short,
                                          std::conditional_t<Alignment == 4, unsigned, unsigned long long>>>;

/// A value or nothing, as a filter returns it: like `std::optional`, but trivially copyable and without padding.
template <typename T>
struct maybe {
  T value;
  flag_of<alignof(T)> present;  ///< 1 if there is a value, otherwise 0, and `value` is unspecified.
};

template <typename T>
inline constexpr bool is_maybe = false;
template <typename T>
inline constexpr bool is_maybe<maybe<T>> = true;

// Results of `head` if vectors of a range may begin anywhere or nowhere. Any other result is a number of elements.
inline constexpr std::size_t anywhere = std::numeric_limits<std::size_t>::max();
inline constexpr std::size_t nowhere = anywhere - 1;

/// True if objects of F may be copied to the GPU: as their bytes, or as nvcc copies what a lambda captures.
template <typename F>
inline constexpr bool travels = std::is_trivially_copyable_v<F>
#ifdef __CUDACC_EXTENDED_LAMBDA__
                                || __nv_is_extended_host_device_lambda_closure_type(F)
#endif
    ;

/// A description of elements that is copied to the GPU by value and evaluated there, one or N neighbours at a time:
///
/// | member | meaning |
/// | --- | --- |
/// | `value_type` | the type of its values |
/// | `element` | what `[]` returns: value_type, or maybe<value_type> if the range is not sized |
/// | `extent()` | the number of positions, each with an element |
/// | `[i]` | the element at position i < extent(); device |
/// | `get_vector<N, Hint>(i)` | the elements i to i + N - 1, at once; i - head(N) is a multiple of N; device |
/// | `per_vector` | the N that suits it best, a power of two; 0: any |
/// | `has_vectors` | false if there is no such N |
/// | `head(N)` | the first position at which such a vector may begin, `anywhere`, or `nowhere` |
/// | `bytes_per_element` | the bytes that memory has to supply; 0 if nothing is read |
template <typename R>
concept range = std::copy_constructible<R> && requires(const R r, std::size_t i, unsigned n) {
  typename R::value_type;
  typename R::element;
  { r.extent() } -> std::same_as<std::size_t>;
  { r[i] } -> std::same_as<typename R::element>;
  { r.template get_vector<1, caching::usual>(i) } -> std::same_as<vector<1, typename R::element>>;
  { R::per_vector } -> std::convertible_to<unsigned>;
  { R::has_vectors } -> std::convertible_to<bool>;
  { r.head(n) } -> std::same_as<std::size_t>;
  { R::bytes_per_element } -> std::convertible_to<std::size_t>;
};

/// A range with a value at every position: its size is known before it is evaluated.
template <typename R>
concept sized_range = range<R> && !is_maybe<typename R::element>;

/// A range of unknown size, because it contains a filter.
template <typename R>
concept unsized_range = range<R> && is_maybe<typename R::element>;

/// A type that owns memory and has a range of it, such as `device_array`.
template <typename A>
concept holds_range = requires(const A& a) {
  { a.view() } -> range;
};

/// The right operand of `|`: a stage, which makes a range from a range, or an action, which ends the pipeline.
struct pipeline_step {};

template <typename Left, typename Step>
requires std::derived_from<Step, pipeline_step>
auto operator|(const Left& left, const Step& step) {
  static_assert(range<Left> || holds_range<Left>,
                "the left operand of this | isn't a range: a pipeline begins with view::iota, view::array, "
                "view::zip_transform or a device_array");
  if constexpr (holds_range<Left>)
    return step(left.view());
  else
    return step(left);
}

/// Applies `f` to each of the N elements of `v`. Device.
template <unsigned N, typename T, typename F>
__device__ auto map(const vector<N, T>& v, F f) {
  vector<N, decltype(f(v.elements[0]))> result;
  for (unsigned k = 0; k < N; ++k) result.elements[k] = f(v.elements[k]);
  return result;
}

}  // namespace workbook
