#pragma once
/// \file
/// The reproducible sum, for a test that is built by the host compiler.

#include <cstddef>
#include <vector>

#include "reductions/binned_sum.cuh"
#include "reductions/reduce_shape.cuh"

namespace workbook {

/// Elements on the device that begin `offset` elements after the start of an allocation and end with it. Defined for
/// float and double. Every call synchronises. \throws device_error
template <typename T>
class summed_on_device {
 public:
  summed_on_device(const std::vector<T>& elements, std::size_t offset);
  ~summed_on_device();
  summed_on_device(const summed_on_device&) = delete;
  summed_on_device& operator=(const summed_on_device&) = delete;

  /// Returns workbook::reproducible_sum's result.
  [[nodiscard]] T sum();
  /// Returns the sum of the elements `from` to `to` - 1 before rounding.
  [[nodiscard]] binned_sum<T> part(std::size_t from, std::size_t to);
  /// Returns the sum by a kernel launched in `shape`, which must be one of the defined shapes.
  [[nodiscard]] T sum_in(const reduce_shape& shape);

 private:
  struct state;
  state* state_;
};

/// Returns the bytes of local memory per thread in any kernel of the sum. If this isn't 0, registers are spilled.
template <typename T, unsigned Bins>
[[nodiscard]] std::size_t spilled_bytes_of_sum();

}  // namespace workbook
