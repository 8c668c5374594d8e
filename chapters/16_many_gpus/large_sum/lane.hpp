#pragma once
/// \file
/// One lane: it fetches a slice, has it copied and summed, and goes on with the next while the GPU is still at it.

#include <atomic>
#include <cstddef>

#include "16_many_gpus/large_sum/lane_memory.hpp"
#include "16_many_gpus/large_sum/lanes.hpp"

namespace chapter16 {

/// What all lanes have in common. They take every `count`-th slice each.
struct lanes_at_work {
  slice_source& source;
  const summing& how;
  const lane_plan& plan;
  const stages what;
  const std::size_t slices;
  const unsigned count;
  std::atomic<bool> failed = false;  ///< One of them has: the others stop.
  std::atomic<std::size_t> bytes_done = 0;
};

class lane {
 public:
  /// Takes its memory. \throws workbook::device_error
  lane(lanes_at_work& work, unsigned number);

  /// Does its slices, one behind the other. To be called once, by a thread of its own.
  /// \throws host::failure  where the source fails; workbook::device_error
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
