#pragma once
/// \file
/// racecheck in the shared memory of a block.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"
#include "emulator/observers/race_check.hpp"
#include "emulator/observers/thread_order.hpp"

namespace emulator::observers {

/// The lanes of a warp that have executed an access, since the last barrier of any kind and since the last block
/// barrier.
struct visit {
  std::uint32_t stamp = 0, floor = 0;  ///< 0: no lane has executed it.
  std::uint32_t mask = 0, mask_in_block = 0;
};

/// Tracks how barriers, fences and flags order the threads of a block, and checks their accesses.
class shared_races : public observer {
 public:
  struct of_launch : public launch_part {
    using launch_part::launch_part;
    std::vector<access_visits> visits;  ///< Indexed by `launch_observation::access_slots()`; empty if the check is off.
  };

  explicit shared_races(block_context& context);
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return launch.watched().racecheck; }
  [[nodiscard]] bool wants_values() const { return true; }

  void begin_block();
  void flush(of_launch& launch);

  void access_shared(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
    races_.access(warp, event, shape);
    note_visit(slots_[event.pc], warp, event.mask, shape.first);
  }
  void copy_begins(std::uint32_t warp, const memory_event& event) { races_.begin_copy(warp, event); }
  void copy_lands(std::uint32_t warp, const memory_event& event) { races_.land_copy(warp, event); }
  void bulk_copy_begins(const bulk_event& event);
  void bulk_copy_in_flight(const bulk_event& event);
  void bulk_copy_lands(const bulk_event& event);
  void barrier_arrive(const barrier_arrival& arrival) {
    if (!arrival.waits) order_.announce(arrival.warp, arrival.mask, arrival.barrier);
  }
  void barrier_opens(std::uint32_t barrier, std::uint32_t, std::span<const std::uint32_t> masks, bool waits_for_all) {
    order_.block_barrier(barrier, masks, waits_for_all);
  }
  void warp_barrier(std::uint32_t warp, std::uint32_t, std::uint32_t mask) { order_.warp_barrier(warp, mask); }
  void fence(std::uint32_t warp, std::uint32_t mask, int) { order_.fence(warp, mask); }
  void exited(std::uint32_t warp, std::uint32_t, std::uint32_t mask) { order_.exited(warp, mask); }

 private:
  /// Notes that the lanes `mask` of a warp execute an access; `lane` is one of them.
  void note_visit(std::uint32_t slot, std::uint32_t warp, std::uint32_t mask, unsigned lane) {
    visit& at = visits_[std::size_t{slot} * warp_size + warp % warp_size];
    access_visits& here = seen_[slot];
    const std::uint32_t stamp = order_.stamps(warp)[lane];
    const std::uint32_t floor = order_.block_floor();
    const std::uint32_t known = at.stamp == stamp ? at.mask : 0;
    const std::uint32_t known_in_block = at.floor == floor ? at.mask_in_block : 0;
    if (at.floor == 0) here.warps |= 1u << warp % warp_size;
    if ((known_in_block & mask) != 0) {
      here.repeated_in_block = true;
      here.repeated |= (known & mask) != 0;
    }
    at = {stamp, floor, known | mask, known_in_block | mask};
  }

  const std::uint32_t* slots_;
  thread_order order_;
  race_check races_;
  std::vector<access_visits> seen_;  ///< Indexed by access slot.
  /// Indexed by access slot and warp. Reset if stamps start again, and by `flush`.
  std::vector<visit> visits_;
};

}  // namespace emulator::observers
