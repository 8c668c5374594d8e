#pragma once
/// \file
/// synccheck: barriers that some lanes don't reach, and different barriers that threads wait at.

#include <cstdint>
#include <vector>

#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

class barrier_check : public observer {
 public:
  using observer::observer;
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return launch.watched().synccheck; }

  void barrier_arrive(const barrier_arrival& arrival) {
    // Only at __syncthreads(): a program that waits for the same barrier at several places uses numbered barriers.
    if (arrival.others_wait && arrival.waits && arrival.earlier_pc != arrival.pc) compare(arrival);
    // Lanes that have exited don't count: since Volta, a barrier waits only for threads that haven't.
    if ((arrival.live & ~arrival.mask) == 0) return;
    incident one = incident_of(incident_kind::divergent_barrier, arrival.warp, arrival.pc, arrival.mask);
    one.expected = arrival.live;
    context_.found.add(one);
  }
  void shuffle_from_nowhere(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
    context_.found.add(incident_of(incident_kind::shuffle_from_nowhere, warp, pc, mask));
  }
  void waited_in_vain(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t gone) {
    incident one = incident_of(incident_kind::lanes_gone, warp, pc, mask);
    one.expected = gone;
    context_.found.add(one);
  }

 private:
  void compare(const barrier_arrival& arrival) {
    const std::vector<std::uint32_t>& line_of = context_.launch.line_numbers();
    if (line_of[arrival.earlier_pc] == line_of[arrival.pc]) return;
    incident one = incident_of(incident_kind::different_barriers, arrival.warp, arrival.pc, arrival.mask);
    one.other_pc = arrival.earlier_pc;
    one.other_thread = arrival.earlier_thread;
    context_.found.add(one);
  }
};

}  // namespace emulator::observers
