#pragma once
/// \file
/// `action::reduce`: ends a pipeline with a single value, in one launch of reductions/reduce.cuh.

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "reductions/allocators.hpp"
#include "reductions/ranges/range.cuh"
#include "reductions/reduce.cuh"

namespace workbook {

/// A range as an input of `reduce`, which otherwise reads arrays. It is divided at the places where vectors may begin,
/// and `lift` converts every element to the operator's type.
template <range R, typename Lift>
struct pipeline_input {
  using value_type = std::invoke_result_t<Lift, typename R::element>;
  static constexpr std::size_t bytes_per_element = R::bytes_per_element;
  static constexpr bool has_vectors = R::has_vectors;
  /// For generated numbers: 32 bytes of them, because a thread's registers have room for four such vectors.
  static constexpr unsigned per_vector = R::per_vector != 0 ? R::per_vector : sizeof(value_type) > 4 ? 4 : 8;

  /// If nothing is read, vectors may begin at any position, so the compiler need not add an offset of 0.
  static constexpr bool begins_at_zero = bytes_per_element == 0;

  R range;
  Lift lift;
  std::size_t n, head, vectors;

  pipeline_input(const R& r, Lift l) : range(r), lift(l), n(r.extent()), head(0), vectors(0) {
    const std::size_t first = has_vectors ? r.head(per_vector) : nowhere;
    if (first == nowhere || (begins_at_zero && first != anywhere)) return;
    head = first == anywhere ? 0 : std::min(first, n);
    vectors = (n - head) / per_vector;
  }
  __device__ value_type operator[](std::size_t i) const { return lift(range[i]); }
  template <caching Hint>
  __device__ vector<per_vector, value_type> get_vector(std::size_t k) const {
    return map(range.template get_vector<per_vector, Hint>((begins_at_zero ? 0 : head) + k * per_vector), lift);
  }
};

/// Converts an element to Acc. A missing one becomes the operator's identity, which changes nothing.
template <typename Acc, typename Op>
struct or_identity {
  template <typename T>
  __host__ __device__ Acc operator()(const T& value) const {
    return static_cast<Acc>(value);
  }
  template <typename T>
  __host__ __device__ Acc operator()(const maybe<T>& m) const {
    return m.present ? static_cast<Acc>(m.value) : Op::template identity<Acc>();
  }
};

/// Converts an element to maybe<Acc>, for operators without an identity.
template <typename Acc>
struct or_nothing {
  template <typename T>
  __host__ __device__ maybe<Acc> operator()(const T& value) const {
    return {static_cast<Acc>(value), 1};
  }
  template <typename T>
  __host__ __device__ maybe<Acc> operator()(const maybe<T>& m) const {
    return {static_cast<Acc>(m.value), m.present};
  }
};

/// Applies an operator without an identity to values that may be missing: a missing value is the identity.
template <typename Op>
struct where_present {
  Op op;
  template <typename M>
  __host__ __device__ static constexpr M identity() {
    return {};
  }
  template <typename T>
  __host__ __device__ constexpr maybe<T> operator()(maybe<T> a, maybe<T> b) const {
    if (!a.present || !b.present) return a.present ? a : b;
    return {op(a.value, b.value), 1};
  }
};

/// An operator that takes two values of T and returns one.
template <typename Op, typename T>
concept combines = std::is_trivially_copyable_v<Op> && requires(const Op op, T a, T b) {
  { op(a, b) } -> std::convertible_to<T>;
};

/// Returns the input that `reduce` reads for the range `r`, accumulating in Acc with Op.
template <typename Acc, typename Op, range R>
[[nodiscard]] auto input_of(const R& r) {
  if constexpr (reduction_operator<Op, Acc>)
    return pipeline_input<R, or_identity<Acc, Op>>(r, {});
  else
    return pipeline_input<R, or_nothing<Acc>>(r, {});
}

/// Launches the reduction of `r` on `stream`. The result is stored in `*out` (device), as an Acc, or as a maybe<Acc> if
/// Op has no identity. The workspace is the one that `reduce` needs for that type. Does not synchronise or allocate.
template <typename Acc, range R, typename Op, typename Out>
void launch_reduce(const R& r, Op op, Out* out, void* workspace, cudaStream_t stream) {
  if constexpr (reduction_operator<Op, Acc>)
    reduce<Acc>(input_of<Acc, Op>(r), out, workspace, stream, op);
  else
    reduce<maybe<Acc>>(input_of<Acc, Op>(r), out, workspace, stream, where_present<Op>{op});
}

/// Evaluates `r` and returns the result on the host: one allocation, one launch, one copy. Synchronises.
template <typename Acc, range R, typename Op, memory_allocator A>
[[nodiscard]] auto reduced(const R& r, Op op, const A& from, cudaStream_t stream) {
  using out_type = std::conditional_t<reduction_operator<Op, Acc>, Acc, maybe<Acc>>;
  constexpr std::size_t out_bytes = ceil_div(sizeof(out_type), 16) * 16;
  const std::size_t workspace_bytes = reduce_workspace_bytes<out_type>();
  const allocated<std::byte, A> memory(from, out_bytes + workspace_bytes);
  auto* const out = reinterpret_cast<out_type*>(memory.data());
  void* const workspace = memory.data() + out_bytes;
  check(cudaMemsetAsync(workspace, 0, workspace_bytes, stream));
  launch_reduce<Acc>(r, op, out, workspace, stream);
  check(cudaGetLastError());
  out_type result;
  check(cudaMemcpyAsync(&result, out, sizeof(out_type), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return result;
}

/// The type to accumulate in: `Named`, or the range's own type if that is void.
template <typename Named, range R>
using accumulator = std::conditional_t<std::is_void_v<Named>, typename R::value_type, Named>;

/// Fails to compile, with an explanation, if Op cannot reduce R in Acc.
template <typename Acc, typename Op, range R>
constexpr bool demand_operator() {
  static_assert(std::is_trivially_copyable_v<Acc>,
                "action::reduce: values are shuffled between lanes as bits: they must be trivially copyable");
  static_assert(std::convertible_to<typename R::value_type, Acc>,
                "action::reduce: this range's values do not convert to the type of the accumulator");
  static_assert(combines<Op, Acc>,
                "action::reduce: the operator must take two values of the accumulator's type and return one, on the "
                "device (a __device__ lambda will not do: give it __host__ __device__)");
  return combines<Op, Acc> && std::convertible_to<typename R::value_type, Acc>;
}

/// The right operand of `| action::reduce(op)`.
template <typename Named, typename Op, memory_allocator A>
struct reduce_step : pipeline_step {
  Op op;
  A from;
  cudaStream_t stream;
  template <range R>
  [[nodiscard]] auto operator()(const R& r) const {
    using acc = accumulator<Named, R>;
    if constexpr (demand_operator<acc, Op, R>()) {
      const auto result = reduced<acc>(r, op, from, stream);
      if constexpr (reduction_operator<Op, acc>)
        return result;
      else
        return result.present ? std::optional<acc>(result.value) : std::nullopt;
    }
  }
};

/// The right operand of `| action::reduce(first, op)`.
template <typename Acc, typename Op, memory_allocator A>
struct fold_step : pipeline_step {
  Acc first;
  Op op;
  A from;
  cudaStream_t stream;
  template <range R>
  [[nodiscard]] auto operator()(const R& r) const {
    if constexpr (demand_operator<Acc, Op, R>()) {
      const auto result = reduced<Acc>(r, op, from, stream);
      if constexpr (reduction_operator<Op, Acc>)
        return static_cast<Acc>(op(first, result));
      else
        return result.present ? static_cast<Acc>(op(first, result.value)) : first;
    }
  }
};

/// The right operand of `| action::reduce_into(op, out, workspace)`.
template <typename Acc, typename Op>
struct reduce_into_step : pipeline_step {
  Op op;
  Acc* out;
  void* workspace;
  cudaStream_t stream;
  template <range R>
  void operator()(const R& r) const {
    static_assert(reduction_operator<Op, Acc>,
                  "action::reduce_into: the operator needs an identity, as plus and maximum have one "
                  "(reductions/operators.cuh): an empty range leaves it in *out");
    if constexpr (demand_operator<Acc, Op, R>() && reduction_operator<Op, Acc>)
      launch_reduce<Acc>(r, op, out, workspace, stream);
  }
};

namespace action {

/// Ends a pipeline with one value: `op`, associative and commutative, combines all values,
/// which are converted to Acc first (by default the range's own type). The result is an Acc if
/// `op` has an identity (reductions/operators.cuh), otherwise a std::optional, which is empty if
/// the range has no value. The workspace is allocated from `allocator`, whose memory is used on
/// `stream`. Synchronises with `stream`. \throws device_error, or an exception of the allocator
template <typename Acc = void, typename Op, memory_allocator A = device_allocator<std::byte>>
[[nodiscard]] reduce_step<Acc, Op, A> reduce(Op op, const A& allocator = {}, cudaStream_t stream = nullptr) {
  return {{}, op, allocator, stream};
}

/// As above, with an initial value: the result is an Acc, whether `op` has an identity or not.
template <typename Acc, typename Op, memory_allocator A = device_allocator<std::byte>>
requires(!memory_allocator<Op>) [[nodiscard]] fold_step<Acc, Op, A> reduce(Acc first, Op op, const A& allocator = {},
                                                                           cudaStream_t stream = nullptr) {
  return {{}, first, op, allocator, stream};
}

/// As above, into `*out` (device). `workspace` (device) has
/// `reduce_workspace_bytes<Acc>()` bytes, is zeroed once, and serves one call at a time.
/// One launch; does not allocate, copy or synchronise. cudaGetLastError returns errors.
template <typename Acc, typename Op>
[[nodiscard]] reduce_into_step<Acc, Op> reduce_into(Op op, Acc* out, void* workspace, cudaStream_t stream = nullptr) {
  return {{}, op, out, workspace, stream};
}

}  // namespace action
}  // namespace workbook
