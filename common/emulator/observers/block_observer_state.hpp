#pragma once
/// \file
/// What an observer of blocks keeps. Internal.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/observers/block_observer.hpp"
#include "emulator/observers/cluster_check.hpp"
#include "emulator/observers/global_access_log.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/init_check.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/race_check.hpp"
#include "emulator/observers/step_log.hpp"
#include "emulator/observers/thread_order.hpp"

namespace emulator::observers {

struct block_observer::state {
  explicit state(launch_observation& of)
      : launch(of),
        facts(of.facts()),
        counts(of.watched().counters),
        sync(of.watched().synccheck),
        counted(of.empty_activity()),
        edges(counted.instructions.size() + 1),
        found(of.line_numbers()),
        steps(of.line_numbers()) {
    const options& watched = of.watched();
    traces = !watched.trace_path.empty();
    if (watched.racecheck) {
      races.emplace(facts, of.has_fences(), order, found);
      global_accesses.emplace(facts, of.order());
      visits.resize(counted.accesses.size() * 32);
    }
    // Facts that were made by hand may not say which registers an instruction uses.
    if (watched.counters && facts.uses_begin.size() > facts.instructions.size()) path.emplace(facts, watched.latencies);
    if (watched.initcheck) {
      shared_reads.emplace(facts, found);
      global_reads.emplace(facts, found);
    }
  }

  launch_observation& launch;
  const kernel_facts& facts;
  const std::uint32_t* slots = launch.access_slots().data();
  bool counts;
  bool sync;
  bool traces = false;
  activity counted;
  std::vector<edge> edges;
  incident_table found;
  thread_order order;
  std::optional<race_check> races;
  std::optional<global_access_log> global_accesses;
  std::optional<shared_init_check> shared_reads;
  std::optional<global_init_check> global_reads;
  block_identity block;
  step_log steps;
  std::optional<critical_path> path;
  std::shared_ptr<cluster_check> cluster;  ///< Null where the block is in none.
  std::uint32_t rank = 0;                  ///< In the cluster.

  /// Which lanes of a warp have been at an access since the last barrier.
  struct visit {
    std::uint64_t block = ~std::uint64_t{0};
    std::uint32_t stamp = 0;
    std::uint32_t mask = 0;

    /// Returns whether one of the lanes was there before.
    bool again(std::uint64_t in_block, std::uint32_t at, std::uint32_t lanes) {
      if (block != in_block || stamp != at) *this = {in_block, at, 0};
      const bool known = (mask & lanes) != 0;
      mask |= lanes;
      return known;
    }
  };
  struct visit_pair {
    visit any, in_block;
  };
  /// By access slot and warp: since any barrier, and since one of the block.
  std::vector<visit_pair> visits;

  /// Notes who accesses shared memory at a place, whose counts are `here`, for the words of races.
  void note_visit(access_activity& here, std::uint32_t warp, std::uint32_t mask, unsigned lane) {
    here.warps |= 1u << warp % 32;
    visit_pair& at = visits[static_cast<std::size_t>(&here - counted.accesses.data()) * 32 + warp % 32];
    here.repeated |= at.any.again(block.linear, order.stamps(warp)[lane], mask);
    here.repeated_in_block |= at.in_block.again(block.linear, order.block_floor(), mask);
  }

  /// An incident of lanes of one warp, at one place.
  [[nodiscard]] incident of_warp(incident_kind kind, std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) const {
    incident one;
    one.kind = kind;
    one.pc = one.other_pc = pc;
    one.block = block;
    one.thread = one.other_thread = warp * 32 + static_cast<std::uint32_t>(std::countr_zero(mask));
    one.mask = mask;
    return one;
  }

  std::uint32_t barrier_pc[16] = {};  ///< By barrier: where the last warp arrived.
  bool arrived_at_0 = false;          ///< A warp waits at barrier 0, …
  std::uint32_t last_arrival = 0;     ///< … and this is a thread of the last that came.
};

}  // namespace emulator::observers
