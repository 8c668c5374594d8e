#pragma once
/// \file
/// A rank's share of the elements, and its sum on the rank's GPU.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "16_many_gpus/large_sum/summing.hpp"
#include "workbook/element.hpp"

namespace chapter16 {

/// A range of the inputs of a type and a seed.
struct share {
  workbook::element_type type = workbook::element_type::int32;
  std::uint64_t seed = 1;
  std::size_t first = 0, count = 0;
  int gpu = 0;  ///< The device that sums them.
};

/// Returns the share of `rank` if `ranks` ranks have `count` elements in all. Shares differ by at most one element. If
/// there are fewer elements than ranks, some ranks have none.
[[nodiscard]] share share_of(unsigned rank, unsigned ranks, std::size_t count);

/// Sums a share on its GPU, slice by slice (large_sum/lanes.hpp), so it may be larger than the GPU's memory.
/// \throws workbook::device_error
[[nodiscard]] sum_bytes sum_of(const share& own);

/// The function that sums a rank's share: `sum_of`, except in tests of faults.
using share_sum = std::function<sum_bytes(const share&)>;

/// Returns true if `sum` is the sum of the share, as the host computes it.
[[nodiscard]] bool is_sum_of(const share& own, const sum_bytes& sum);

}  // namespace chapter16
