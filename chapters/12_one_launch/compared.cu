// The kernels that chapter 12 compares with its reference and exercise.

#include "12_one_launch/compared.cuh"

#include <algorithm>

#include "12_one_launch/compared_tables.hpp"
#include "reductions/compensated.cuh"
#include "reductions/reduce.cuh"

namespace chapter12 {
namespace {

using namespace workbook;

template <adder By>
struct by_atomics {
  template <typename T>
  static std::size_t pass(const T* in, T* total, std::size_t n, unsigned block_size) {
    return reduce_by_atomics<By>(in, total, n, block_size);
  }
};

struct by_grid_sync {
  template <typename T>
  static std::size_t pass(const T* in, T* partials, std::size_t n, unsigned block_size) {
    return reduce_by_grid_sync(in, partials, n, block_size);
  }
};

/// Integers need no compensation, because their sums are exact.
template <typename T>
using with_its_error = std::conditional_t<std::is_floating_point_v<T>, compensated<T>, T>;

/// Compensated if T is a floating-point type.
struct plus_with_error : plus {
  using plus::operator();
  template <typename T>
  __host__ __device__ constexpr compensated<T> operator()(compensated<T> a, compensated<T> b) const {
    return plus_compensated{}(a, b);
  }
};

/// `workbook::reduce` with compensated accumulators.
struct by_compensation {
  template <typename T>
  static std::size_t workspace_bytes(std::size_t) {
    return reduce_workspace_bytes<with_its_error<T>>();
  }
  template <typename T>
  static void run(const T* in, T* out, std::size_t n, void* workspace) {
    reduce<with_its_error<T>>(in, out, n, workspace, nullptr, plus_with_error{});
  }
};

}  // namespace

compared_kernels kernels_to_compare() {
  return {table_of<by_atomics<adder::thread>>(), table_of<by_atomics<adder::warp>>(),
          table_of<by_atomics<adder::block>>(), table_of<by_grid_sync>(), whole_table_of<by_compensation>()};
}

std::size_t fewest_blocks(std::size_t n, unsigned block_size) {
  return grid_size_for<float>(n, block_size);
}
std::size_t max_blocks(std::size_t n, unsigned block_size) {
  return std::max(grid_size_for<float>(n, block_size), grid_size_for<double>(n, block_size));
}

std::size_t depth_of_last_block(std::size_t n, unsigned block_size) {
  std::size_t most = 0;
  for (const std::size_t per_load : {elements_per_load<float>, elements_per_load<double>}) {
    const std::size_t wanted = n == 0 ? 1 : ceil_div(n, 2 * block_size * per_load);
    const std::size_t grid = std::min<std::size_t>(wanted, resident_blocks(block_size));
    // Two loads per step, one element of the slow path, the elements of a vector; two trees of at most 10 steps.
    const std::size_t of_a_thread = 2 * ceil_div(n, 2 * grid * block_size * per_load) + 1 + per_load;
    most = std::max(most, of_a_thread + 10 + ceil_div(grid, block_size) + 10);
  }
  return most;
}

}  // namespace chapter12
