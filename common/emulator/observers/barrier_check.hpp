#pragma once
/// \file
/// synccheck: barriers that some lanes don't reach, and threads that wait at different barriers.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

class barrier_check : public observer {
 public:
  using observer::observer;
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return launch.watched().synccheck; }

  void begin_block() { file_all(); }
  void end_block(std::uint64_t, bool) { file_all(); }

  void barrier_arrive(const barrier_arrival& arrival) {
    // Compares only calls of __syncthreads(). A program that waits for one barrier at several places on purpose uses
    // numbered barriers.
    if (arrival.others_wait && arrival.waits && arrival.earlier_pc != arrival.pc) compare(arrival);
    // Lanes that have exited don't count: since Volta, a barrier waits only for threads that haven't.
    if ((arrival.live & ~arrival.mask) == 0) return;
    incident one = incident_of(incident_kind::divergent_barrier, arrival.warp, arrival.pc, arrival.mask);
    one.expected = arrival.live;
    // The missing lanes may be about to return, on a path that is scheduled later.
    waiting_.push_back({one, arrival.barrier});
  }
  void exited(std::uint32_t warp, std::uint32_t, std::uint32_t mask) {
    for (pending& one : waiting_)
      if (one.found.thread / warp_size == warp) one.found.expected &= ~mask | one.ran_past;
  }
  /// Lanes that run the code after the barrier have not returned before it, even if they exit later.
  void runs_ahead(std::uint32_t warp, std::uint32_t mask) {
    for (pending& one : waiting_)
      if (one.found.thread / warp_size == warp) one.ran_past |= mask;
  }
  void barrier_opens(std::uint32_t barrier, std::uint32_t, std::span<const std::uint32_t>, bool) {
    std::erase_if(waiting_, [&](const pending& one) {
      if (one.barrier != barrier) return false;
      file(one.found);
      return true;
    });
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
  /// Lanes that wait at a barrier without all others of their warp.
  struct pending {
    incident found;
    std::uint32_t barrier = 0;
    std::uint32_t ran_past = 0;  ///< Lanes that did not wait at a reconvergence point for these.
  };

  /// Adds the incident unless all lanes that did not arrive have exited.
  void file(const incident& one) {
    if ((one.expected & ~one.mask) != 0) context_.found.add(one);
  }
  void file_all() {
    for (const pending& one : std::exchange(waiting_, {})) file(one.found);
  }

  void compare(const barrier_arrival& arrival) {
    const std::vector<std::uint32_t>& line_of = context_.launch.line_numbers();
    if (line_of[arrival.earlier_pc] == line_of[arrival.pc]) return;
    incident one = incident_of(incident_kind::different_barriers, arrival.warp, arrival.pc, arrival.mask);
    one.other_pc = arrival.earlier_pc;
    one.other_thread = arrival.earlier_thread;
    context_.found.add(one);
  }

  std::vector<pending> waiting_;  ///< At barriers that haven't opened.
};

}  // namespace emulator::observers
