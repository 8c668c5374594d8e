#pragma once
/// \file
/// The reduction in one launch, for a test that is built by the host compiler.

#include <cstddef>
#include <vector>

#include "reductions/half.cuh"

namespace workbook {

/// An element of 12 bytes. The 16 bytes of a vector load are never a whole number of such elements.
struct triple {
  int x, y, z;
  friend bool operator==(const triple&, const triple&) = default;
};

/// Adds triples.
struct plus_triple {
  template <typename T>
  __host__ __device__ static constexpr T identity() {
    return {0, 0, 0};
  }
  __host__ __device__ constexpr triple operator()(triple a, triple b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

/// Copies `elements` to the device, `offset_bytes` after the start of an allocation that ends with them, and reduces
/// them `calls` times on its own stream with one workspace. Returns the results. Defined for the instances in
/// reduce_kernels.cu. Synchronises.
/// \throws device_error
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::vector<Acc> reduced_in_one_launch(const std::vector<T>& elements, std::size_t offset_bytes, Op op,
                                                     int calls = 1);

/// As above, but reduces the elements with their indices.
template <typename T, typename Op>
[[nodiscard]] indexed<T> found_in_one_launch(const std::vector<T>& elements, std::size_t offset_bytes, Op op);

/// Returns the bytes of local memory per thread in any kernel that `reduce` may launch for an array. If this isn't 0,
/// registers are spilled.
template <typename Acc, typename T, typename Op>
[[nodiscard]] std::size_t spilled_bytes_of_reduce();

}  // namespace workbook
