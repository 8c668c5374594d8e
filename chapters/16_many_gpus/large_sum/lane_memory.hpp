#pragma once
/// \file
/// What a lane needs on its GPU and in the host's memory.

#include <cstddef>

#include <cuda_runtime_api.h>

#include "16_many_gpus/large_sum/lanes.hpp"
#include "device/buffer.hpp"

namespace chapter16 {

/// Frees itself; the GPU is waited for before.
class lane_memory {
 public:
  /// \param slices  how many slices the lane will sum at most; 0: it only fetches
  /// \throws workbook::device_error
  lane_memory(int gpu, const summing& how, const lane_plan& plan, std::size_t slices);
  ~lane_memory();
  lane_memory(const lane_memory&) = delete;
  lane_memory& operator=(const lane_memory&) = delete;

  int gpu;
  cudaStream_t stream = nullptr;
  cudaEvent_t copied = nullptr;  ///< Recorded behind the last copy.
  std::byte* room = nullptr;     ///< A slice on the host, page-locked; null where the plan has none.
  workbook::device_bytes slice, sums, workspace;

 private:
  void release();
};

}  // namespace chapter16
