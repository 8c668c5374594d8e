#pragma once
/// \file
/// One lane: it fetches a slice, has it copied and summed, and goes on with the next while the GPU is still at it.

#include <atomic>
#include <cstddef>

#include <cuda_runtime_api.h>

#include "16_many_gpus/large_sum/lanes.hpp"
#include "device/buffer.hpp"

namespace chapter16 {

/// What all lanes have in common. They take every `count`-th slice each.
class lanes_at_work {
 public:
  lanes_at_work(slice_source& from, const summing& summed, const lane_plan& as_planned, stages done_with,
                unsigned lanes)
      : source(from), how(summed), plan(as_planned), what(done_with), count(lanes) {}

  slice_source& source;
  const summing& how;
  const lane_plan& plan;
  const stages what;
  const unsigned count;
  std::atomic<bool> failed = false;  ///< One of them has: the others stop.

  [[nodiscard]] std::size_t slices() const { return (source.size_bytes() + plan.slice_bytes - 1) / plan.slice_bytes; }
  void add_done(std::size_t bytes) { done_ += bytes; }
  [[nodiscard]] std::size_t bytes_done() const { return done_; }

 private:
  std::atomic<std::size_t> done_ = 0;
};

class lane {
 public:
  /// Takes its memory. \throws workbook::device_error
  lane(lanes_at_work& work, unsigned number);
  ~lane();
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;

  /// Does its slices, one behind the other. To be called once, by a thread of its own.
  /// \throws host::failure  where the source fails; workbook::device_error
  void run();
  /// Returns the sum of its slices.
  [[nodiscard]] const sum_bytes& sum() const { return sum_; }

 private:
  void release();
  void run_slices();
  void add_up(std::size_t slices);

  lanes_at_work& work_;
  const unsigned number_;
  const int gpu_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t copied_ = nullptr;
  std::byte* room_ = nullptr;  ///< Of the host, page-locked.
  workbook::device_bytes slice_, sums_, workspace_;
  sum_bytes sum_;
};

}  // namespace chapter16
