// Libraries that compute the same.

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/transform_reduce.h>
#include <cub/device/device_segmented_reduce.cuh>

#include "13_fused_pipelines/calls.hpp"
#include "13_fused_pipelines/squared_difference.cuh"
#include "reductions/buffer_pool.hpp"

namespace chapter13 {
namespace {

using namespace workbook;

template <typename T>
struct difference_squared {
  __host__ __device__ T operator()(T x, T y) const { return squared_difference(x, y); }
};
/// Replaces a filter in libraries that cannot filter before a reduction: a 0 doesn't change the sum.
template <typename T>
struct square_above_zero {
  __host__ __device__ T operator()(T x) const { return x > T{} ? squared_difference(x, T{}) : T{}; }
};
template <typename T>
struct sum {
  __host__ __device__ T operator()(T x, T y) const {
    return wrapping(x, y, [](auto a, auto b) { return a + b; });
  }
};

/// A library chooses the order of its additions. In all versions, the longest chain of additions is shorter than this.
struct of_library {
  static std::size_t depth(std::size_t n) { return 64 + n / 4096; }
};

/// Thrust returns its results to the host. This copies a result to where the other methods store theirs.
template <typename T>
void keep(const call& c, T result) {
  check(cudaMemcpyAsync(c.out, &result, sizeof(T), cudaMemcpyHostToDevice, nullptr));
}

template <typename T>
struct thrust_distance : of_library {
  static void run(const call& c) {
    const auto x = thrust::device_pointer_cast(static_cast<const T*>(c.x));
    const auto y = thrust::device_pointer_cast(static_cast<const T*>(c.y));
    keep(c, thrust::inner_product(x, x + static_cast<std::ptrdiff_t>(c.n), y, T{}, sum<T>(), difference_squared<T>()));
  }
};
template <typename T>
struct thrust_filter : of_library {
  static void run(const call& c) {
    const auto x = thrust::device_pointer_cast(static_cast<const T*>(c.x));
    keep(c, thrust::transform_reduce(x, x + static_cast<std::ptrdiff_t>(c.n), square_above_zero<T>(), T{}, sum<T>()));
  }
};
template <typename T>
struct cub_bags {
  static void run(const call& c) {
    const auto* const in = static_cast<const T*>(c.x);
    auto* const out = static_cast<T*>(c.out);
    const auto reduce = [&](void* storage, std::size_t& bytes) {
      check(
          cub::DeviceSegmentedReduce::Sum(storage, bytes, in, out, static_cast<int>(c.bags), c.offsets, c.offsets + 1));
    };
    std::size_t bytes = 0;
    reduce(nullptr, bytes);
    const allocated<std::byte, pool_allocator<std::byte>> storage(pool_allocator<std::byte>(*c.pool), bytes);
    reduce(storage.data(), bytes);
  }
  static std::size_t depth(std::size_t) { return longest_bag + 64; }
};

}  // namespace

std::vector<way> distances_of_libraries() {
  return {way_of<thrust_distance>("thrust::inner_product", role::library)};
}
std::vector<way> filters_of_libraries() {
  return {way_of<thrust_filter>("thrust::transform_reduce", role::library)};
}
std::vector<way> bags_of_libraries() {
  return {way_of<cub_bags>("cub::DeviceSegmentedReduce", role::library)};
}

}  // namespace chapter13
