#pragma once
/// \file
/// Sums an input that is larger than a GPU's memory. Several lanes fetch, copy and sum slices of it independently.

#include <cstddef>
#include <functional>

#include "16_many_gpus/large_sum/source.hpp"
#include "16_many_gpus/large_sum/summing.hpp"

namespace chapter16 {

/// What is done with a slice.
enum class stages {
  all,      ///< It is fetched, copied and summed.
  fetching  ///< It is only fetched, to measure the speed of the source by itself.
};

struct lane_plan {
  std::size_t slice_bytes = 0;  ///< A multiple of 16.
  unsigned per_gpu = 1;         ///< Lanes per GPU.
  unsigned gpus = 1;
  int first_gpu = 0;  ///< The GPUs are numbered from this one.
  bool rooms = true;  ///< True if each lane has a page-locked buffer; otherwise the GPU reads the source's own memory.
  bool sums = true;   ///< False if slices are copied, but not summed.
  [[nodiscard]] unsigned lanes() const { return per_gpu * gpus; }
};

struct lanes_result {
  sum_bytes sum;
  double seconds = 0;  ///< From the first slice to the last, without the time to allocate memory.
  std::size_t slices = 0;
  std::size_t gpu_bytes = 0;  ///< The most device memory that was allocated on one GPU.
};

/// Sums all of `source`. `progress` may be empty; it is called with the bytes done, a few times a second.
/// \throws host::failure  if the source fails; workbook::device_error
[[nodiscard]] lanes_result run_lanes(slice_source& source, const summing& how, const lane_plan& plan, stages what,
                                     const std::function<void(std::size_t)>& progress);

}  // namespace chapter16
