#pragma once
/// \file
/// Sums an input that is larger than a GPU's memory: several lanes fetch, copy and sum slices of it, each on its own.

#include <cstddef>
#include <functional>

#include "16_many_gpus/large_sum/source.hpp"
#include "16_many_gpus/large_sum/summing.hpp"

namespace chapter16 {

/// The stages of work on a slice.
enum class stages {
  all,      ///< It is fetched, copied and summed.
  fetching  ///< It is only fetched, for the speed of the source alone.
};

struct lane_plan {
  std::size_t slice_bytes = 0;  ///< A multiple of 16.
  unsigned per_gpu = 1;         ///< Lanes per GPU.
  unsigned gpus = 1;
  int first_gpu = 0;  ///< The others follow it.
  bool rooms = true;  ///< A lane has a page-locked room for a slice; else the GPU reads the source's own memory.
  bool sums = true;   ///< False: slices are copied, but not summed.
  [[nodiscard]] unsigned lanes() const { return per_gpu * gpus; }
};

struct lanes_result {
  sum_bytes sum;
  double seconds = 0;  ///< From the first slice to the last; memory is allocated before.
  std::size_t slices = 0;
  std::size_t gpu_bytes = 0;  ///< Largest amount of device memory that was allocated on one GPU.
};

/// Sums all of `source`. `progress` is called with the bytes done, a few times a second; it may be empty.
/// \throws host::failure  if the source fails; workbook::device_error
[[nodiscard]] lanes_result run_lanes(slice_source& source, const summing& how, const lane_plan& plan, stages what,
                                     const std::function<void(std::size_t)>& progress);

}  // namespace chapter16
