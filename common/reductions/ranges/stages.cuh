#pragma once
/// \file
/// The stages of a pipeline: `view::transform`, `view::filter`, `view::zip_transform`. Functions are called on the
/// device: a struct with a `__host__ __device__` call operator, or such a lambda. A `__device__` lambda doesn't work,
/// because the host compiler cannot determine its result type.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "reductions/ranges/range.cuh"

namespace workbook {

/// The range of f(value) for every value. After a filter, f sees only values that passed it.
template <range R, typename F>
struct transform_view {
  using value_type = std::remove_cvref_t<std::invoke_result_t<F, typename R::value_type>>;
  using element = std::conditional_t<sized_range<R>, value_type, maybe<value_type>>;
  static constexpr unsigned per_vector = R::per_vector;
  static constexpr bool has_vectors = R::has_vectors;
  static constexpr std::size_t bytes_per_element = R::bytes_per_element;

  R base;
  F f;

  [[nodiscard]] std::size_t size() const requires sized_range<R> { return base.size(); }
  [[nodiscard]] std::size_t extent() const { return base.extent(); }
  [[nodiscard]] std::size_t head(unsigned n) const { return base.head(n); }
  __device__ element of(const typename R::element& e) const {
    if constexpr (sized_range<R>)
      return f(e);
    else
      return e.present ? element{f(e.value), 1} : element{value_type{}, 0};
  }
  __device__ element operator[](std::size_t i) const { return of(base[i]); }
  template <unsigned N, caching Hint>
  __device__ vector<N, element> get_vector(std::size_t i) const {
    return map(base.template get_vector<N, Hint>(i), [this](const auto& e) { return of(e); });
  }
};

/// The range of the values for which p is true. The positions of the others remain, without a value.
template <range R, typename P>
struct filter_view {
  using value_type = typename R::value_type;
  using element = maybe<value_type>;
  static constexpr unsigned per_vector = R::per_vector;
  static constexpr bool has_vectors = R::has_vectors;
  static constexpr std::size_t bytes_per_element = R::bytes_per_element;

  R base;
  P p;

  [[nodiscard]] std::size_t extent() const { return base.extent(); }
  [[nodiscard]] std::size_t head(unsigned n) const { return base.head(n); }
  __device__ element of(const typename R::element& e) const {
    if constexpr (sized_range<R>)
      return {e, p(e) ? decltype(element::present){1} : decltype(element::present){0}};
    else
      return {e.value, e.present && p(e.value) ? decltype(element::present){1} : decltype(element::present){0}};
  }
  __device__ element operator[](std::size_t i) const { return of(base[i]); }
  template <unsigned N, caching Hint>
  __device__ vector<N, element> get_vector(std::size_t i) const {
    return map(base.template get_vector<N, Hint>(i), [this](const auto& e) { return of(e); });
  }
};

/// The range of f(a, b) for the values at the same position in two ranges. Its vectors have the smaller of the two
/// sizes, so loads may have fewer than 16 bytes. If vectors of both never begin at the same position, it has none.
template <sized_range A, sized_range B, typename F>
struct zip_transform_view {
  using value_type = std::remove_cvref_t<std::invoke_result_t<F, typename A::value_type, typename B::value_type>>;
  using element = value_type;
  static constexpr unsigned per_vector = A::per_vector == 0   ? B::per_vector
                                         : B::per_vector == 0 ? A::per_vector
                                                              : std::min(A::per_vector, B::per_vector);
  static constexpr bool has_vectors = A::has_vectors && B::has_vectors;
  static constexpr std::size_t bytes_per_element = A::bytes_per_element + B::bytes_per_element;

  A a;
  B b;
  F f;

  [[nodiscard]] std::size_t size() const { return std::min(a.size(), b.size()); }
  [[nodiscard]] std::size_t extent() const { return size(); }
  [[nodiscard]] std::size_t head(unsigned n) const {
    const std::size_t of_a = a.head(n), of_b = b.head(n);
    if (of_a == anywhere || of_a == of_b) return of_b;
    return of_b == anywhere ? of_a : nowhere;
  }
  __device__ element operator[](std::size_t i) const { return f(a[i], b[i]); }
  template <unsigned N, caching Hint>
  __device__ vector<N, element> get_vector(std::size_t i) const {
    const auto x = a.template get_vector<N, Hint>(i);
    const auto y = b.template get_vector<N, Hint>(i);
    vector<N, element> v;
    for (unsigned k = 0; k < N; ++k) v.elements[k] = f(x.elements[k], y.elements[k]);
    return v;
  }
};

/// The right operand of `| view::transform(f)`.
template <typename F>
struct transform_step : pipeline_step {
  F f;
  template <range R>
  [[nodiscard]] auto operator()(const R& r) const {
    static_assert(std::invocable<F, typename R::value_type>,
                  "view::transform: the function cannot be called with this range's values");
    if constexpr (std::invocable<F, typename R::value_type>) {
      static_assert(!std::is_void_v<std::invoke_result_t<F, typename R::value_type>>,
                    "view::transform: the function returns nothing");
      return transform_view<R, F>{r, f};
    }
  }
};

/// The right operand of `| view::filter(p)`.
template <typename P>
struct filter_step : pipeline_step {
  P p;
  template <range R>
  [[nodiscard]] auto operator()(const R& r) const {
    static_assert(std::predicate<P, typename R::value_type>,
                  "view::filter: the predicate must take one of this range's values and say yes or no (bool)");
    if constexpr (std::predicate<P, typename R::value_type>) return filter_view<R, P>{r, p};
  }
};

namespace view {

/// Returns a stage that turns a range into the range of f(value). `f` is copied to the GPU and called there.
template <typename F>
[[nodiscard]] transform_step<F> transform(F f) {
  static_assert(
      travels<F>,
      "view::transform: the function travels to the GPU by value: what it captures must be trivially copyable");
  return {{}, f};
}

/// Returns a stage that keeps the values for which p(value) is true. `p` is copied to the GPU and called there.
template <typename P>
[[nodiscard]] filter_step<P> filter(P p) {
  static_assert(travels<P>,
                "view::filter: the predicate travels to the GPU by value: what it captures must be trivially copyable");
  return {{}, p};
}

/// Returns the range of f(a[i], b[i]), as long as the shorter of the two. `f` is copied to the GPU and called there.
template <typename F, typename A, typename B>
[[nodiscard]] auto zip_transform(F f, const A& a, const B& b) {
  static_assert(travels<F>,
                "view::zip_transform: the function travels to the GPU by value: what it captures must be trivially "
                "copyable");
  static_assert(sized_range<A> && sized_range<B>,
                "view::zip_transform pairs positions: both sides must be sized ranges, without a filter");
  if constexpr (sized_range<A> && sized_range<B>) {
    static_assert(std::invocable<F, typename A::value_type, typename B::value_type>,
                  "view::zip_transform: the function cannot be called with a value of each range");
    if constexpr (std::invocable<F, typename A::value_type, typename B::value_type>)
      return zip_transform_view<A, B, F>{a, b, f};
  }
}

}  // namespace view
}  // namespace workbook
