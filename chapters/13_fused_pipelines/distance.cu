// Methods for the distance of two arrays, and for a sum after a filter.

#include "13_fused_pipelines/by_hand.cuh"
#include "13_fused_pipelines/calls.hpp"
#include "13_fused_pipelines/squared_differences.cuh"
#include "reductions/buffer_pool.hpp"
#include "reductions/ranges.cuh"
#include "workbook/reduce_depth.cuh"

namespace chapter13 {
namespace {

using namespace workbook;

template <typename T>
struct minus {
  __host__ __device__ T operator()(T x, T y) const { return difference(x, y); }
};
template <typename T>
struct squared {
  __host__ __device__ T operator()(T x) const { return squared_difference(x, T{}); }
};
template <typename T>
struct difference_squared {
  __host__ __device__ T operator()(T x, T y) const { return squared_difference(x, y); }
};
template <typename T>
struct above_zero {
  __host__ __device__ bool operator()(T x) const { return x > T{}; }
};
template <typename T>
struct or_zero {
  __host__ __device__ T operator()(T x) const { return x > T{} ? x : T{}; }
};

template <typename T>
array_view<T> x_of(const call& c) {
  return view::array(static_cast<const T*>(c.x), c.n);
}
template <typename T>
array_view<T> y_of(const call& c) {
  return view::array(static_cast<const T*>(c.y), c.n);
}
/// The action at the end of every pipeline, which allocates nothing.
template <typename T>
auto sum_into(const call& c) {
  return action::reduce_into(plus{}, static_cast<T*>(c.out), c.workspace);
}
template <typename T>
struct of_array {
  // In addition to the sum's additions: a difference, whose error the square doubles, a square, and one to spare.
  static std::size_t depth(std::size_t n) { return depth_of_reduce(reduce_input<T>(nullptr, n)) + 4; }
};

/// Writes the differences to memory, then their squares, and then sums these.
template <typename T, memory_allocator A>
void in_three_passes(const call& c, const A& from) {
  const auto differences = view::zip_transform(minus<T>{}, x_of<T>(c), y_of<T>(c)) | action::to_gpu(from);
  const auto squares = differences | view::transform(squared<T>{}) | action::to_gpu(from);
  squares | sum_into<T>(c);
}

template <typename T>
struct three_with_malloc : of_array<T> {
  static void run(const call& c) { in_three_passes<T>(c, device_allocator<T>()); }
};
template <typename T>
struct three_with_async : of_array<T> {
  static void run(const call& c) { in_three_passes<T>(c, stream_allocator<T>()); }
};
template <typename T>
struct three_with_pool : of_array<T> {
  static void run(const call& c) { in_three_passes<T>(c, pool_allocator<T>(*c.pool)); }
};
/// Writes the squares of the differences to memory, and then sums them.
template <typename T>
struct two_with_pool : of_array<T> {
  static void run(const call& c) {
    const auto squares = view::zip_transform(difference_squared<T>{}, x_of<T>(c), y_of<T>(c)) |
                         action::to_gpu(pool_allocator<T>(*c.pool));
    squares | sum_into<T>(c);
  }
};
template <typename T>
struct one_pipeline : of_array<T> {
  static auto range_of(const call& c) { return view::zip_transform(difference_squared<T>{}, x_of<T>(c), y_of<T>(c)); }
  static void run(const call& c) { range_of(c) | sum_into<T>(c); }
};
template <typename T>
struct own_range : of_array<T> {
  static void run(const call& c) {
    distance(static_cast<const T*>(c.x), static_cast<const T*>(c.y), static_cast<T*>(c.out), c.n, c.workspace);
  }
};
template <typename T>
struct one_by_hand : of_array<T> {
  static void run(const call& c) {
    auto* const boxes = static_cast<mailbox<T>*>(c.workspace);
    const reduce_shape shape = shape_of_reduce(input_of<T, plus>(one_pipeline<T>::range_of(c)));
    distance_by_hand<<<shape.grid_size, shape.block_size>>>(static_cast<const T*>(c.x), static_cast<const T*>(c.y), c.n,
                                                            static_cast<T*>(c.out), boxes);
  }
};

/// Writes the elements that pass to memory, then their squares, and then sums these.
template <typename T>
struct filter_step_by_step : of_array<T> {
  static void run(const call& c) {
    const pool_allocator<T> from(*c.pool);
    const auto passed = x_of<T>(c) | view::transform(or_zero<T>{}) | action::to_gpu(from);
    const auto squares = passed | view::transform(squared<T>{}) | action::to_gpu(from);
    squares | sum_into<T>(c);
  }
};
template <typename T>
struct filter_pipeline : of_array<T> {
  static void run(const call& c) {
    x_of<T>(c) | view::filter(above_zero<T>{}) | view::transform(squared<T>{}) | sum_into<T>(c);
  }
};

}  // namespace

std::vector<way> distance_ways() {
  way by_hand = way_of<one_by_hand>("by hand");
  by_hand.any_start = false;
  return {way_of<three_with_malloc>("three passes, malloc"),
          way_of<three_with_async>("three passes, async"),
          way_of<three_with_pool>("three passes, pool"),
          way_of<two_with_pool>("two passes, pool"),
          by_hand,
          way_of<one_pipeline>("zip_transform | reduce"),
          way_of<own_range>("distance")};
}

std::vector<way> filter_ways() {
  return {way_of<filter_step_by_step>("three passes, pool"), way_of<filter_pipeline>("filter | transform")};
}

std::size_t workspace_bytes() {
  return reduce_workspace_bytes<double>();
}

}  // namespace chapter13
