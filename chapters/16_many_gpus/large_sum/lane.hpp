#pragma once
/// \file
/// A lane fetches a slice, has it copied and summed, and fetches the next one while the GPU is still working.

#include <atomic>
#include <cstddef>

#include <cuda_runtime_api.h>

#include "16_many_gpus/large_sum/lanes.hpp"
#include "reductions/buffer.hpp"

namespace chapter16 {

/// The state that all lanes share. Each lane takes every `count`-th slice.
struct lanes_at_work {
  slice_source& source;
  const summing& how;
  const lane_plan& plan;
  const stages what;
  const std::size_t slices;
  const unsigned count;
  std::atomic<bool> failed = false;  ///< True if one lane has failed, so that the others stop.
  std::atomic<std::size_t> bytes_done = 0;
};

/// The memory that a lane needs on its GPU and on the host. The destructor waits for the GPU.
class lane_memory {
 public:
  /// \param slices  the largest number of slices that the lane will sum; 0 if it only fetches
  /// \throws workbook::device_error
  lane_memory(int on_gpu, const summing& how, const lane_plan& plan, std::size_t slices) : lane_memory(on_gpu) {
    using workbook::check;
    check(cudaSetDevice(gpu));
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    if (plan.rooms) check(cudaMallocHost(reinterpret_cast<void**>(&room), plan.slice_bytes));
    if (slices == 0) return;
    slice = workbook::device_bytes(plan.slice_bytes);
    sums = workbook::device_bytes(slices * sizeof(sum_bytes));
    workspace = workbook::device_bytes(how.workspace_bytes());
    check(cudaMemsetAsync(workspace.data(), 0, workspace.size_bytes(), stream));
    check(cudaMemsetAsync(sums.data(), 0, sums.size_bytes(), stream));
    check(cudaStreamSynchronize(stream));
  }
  ~lane_memory() {
    cudaSetDevice(gpu);
    if (stream != nullptr) cudaStreamSynchronize(stream);
    if (room != nullptr) cudaFreeHost(room);
    if (copied != nullptr) cudaEventDestroy(copied);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  lane_memory(const lane_memory&) = delete;
  lane_memory& operator=(const lane_memory&) = delete;

  int gpu;
  cudaStream_t stream = nullptr;
  cudaEvent_t copied = nullptr;  ///< Recorded after the last copy.
  std::byte* room = nullptr;     ///< A slice on the host, page-locked; null if the plan has none.
  workbook::device_bytes slice, sums, workspace;

 private:
  /// Allocates nothing. If allocating the rest fails, the destructor frees what has been allocated.
  explicit lane_memory(int on_gpu) : gpu(on_gpu) {}
};

class lane {
 public:
  /// Allocates its memory. \throws workbook::device_error
  lane(lanes_at_work& work, unsigned number);

  /// Processes its slices, one after the other. Call it once, in a thread of its own.
  /// \throws host::failure  if the source fails; workbook::device_error
  void run();
  /// Returns the sum of its slices.
  [[nodiscard]] const sum_bytes& sum() const { return sum_; }

 private:
  void run_slices();
  void add_up(std::size_t slices);

  lanes_at_work& work_;
  const unsigned number_;
  lane_memory memory_;
  sum_bytes sum_;
};

}  // namespace chapter16
