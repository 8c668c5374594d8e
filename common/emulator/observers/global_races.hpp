#pragma once
/// \file
/// racecheck in global memory.

#include <cstdint>
#include <span>

#include "emulator/observers/bulk_parts.hpp"
#include "emulator/observers/global_access_log.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

/// Logs the accesses of each block and compares them when the launch has ended.
class global_races : public observer {
 public:
  struct of_launch : public launch_part {
    using launch_part::launch_part;
    void finish(incident_table& found);
    global_accesses accesses;
    block_identity some_block;  ///< One of the blocks that made these accesses.
  };

  explicit global_races(block_context& context) : observer(context), log_(context.facts, context.launch.order()) {
    context.global_accesses = &log_;
  }
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return launch.watched().racecheck; }

  void begin_block();
  void flush(of_launch& launch);

  void access_global(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
    log_.access(warp, event, shape);
  }
  void access_shared(std::uint32_t, const memory_event& event, const access_shape&) { cut_if_it_may_order(event); }
  void access_of_other_block(std::uint32_t, const memory_event& event, std::uint32_t) { cut_if_it_may_order(event); }
  void copy_ends_reading(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
    log_.access(warp, event, shape);
  }
  void bulk_copy_begins(const bulk_event& event) {
    for_parts_in_global(event, [&](std::uint32_t warp, const memory_event& part, const access_shape& shape) {
      log_.access(warp, part, shape);
    });
  }
  void barrier_arrive(const barrier_arrival& arrival) {
    if (!arrival.waits) log_.cut();
  }
  void barrier_opens(std::uint32_t, std::uint32_t, std::span<const std::uint32_t>, bool) { log_.cut(); }
  void fence(std::uint32_t, std::uint32_t, int scope) { log_.fence(scope); }

 private:
  /// A flag in shared memory may order warps of the block, so an access to one begins a new stretch.
  void cut_if_it_may_order(const memory_event& event) {
    if (event.is_strong || event.is_volatile) log_.cut();
  }

  global_access_log log_;
};

}  // namespace emulator::observers
