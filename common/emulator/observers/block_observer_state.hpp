#pragma once
/// \file
/// What an observer of blocks keeps. Internal.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/observers/block_observer.hpp"
#include "emulator/observers/cluster_check.hpp"
#include "emulator/observers/global_access_log.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/init_check.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/race_check.hpp"
#include "emulator/observers/thread_order.hpp"
#include "emulator/observers/visits.hpp"

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
      races.emplace(facts, of.has_fences(), watched.shortcuts, order, found);
      global_accesses.emplace(facts, of.order());
      visits.resize(counted.accesses.size() * 32);
    }
    // Facts that were made by hand may not say which registers an instruction uses.
    if (watched.counters && watched.critical_path && facts.uses_begin.size() > facts.instructions.size())
      path.emplace(facts, watched.latencies);
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

  /// By access slot and warp. Stamps and floors are of one block each, until they begin anew.
  std::vector<visit> visits;

  /// Notes who accesses shared memory at a place, whose counts are `here`, for the words of races.
  void note_visit(access_activity& here, std::uint32_t warp, std::uint32_t mask, unsigned lane) {
    visit& at = visits[static_cast<std::size_t>(&here - counted.accesses.data()) * 32 + warp % 32];
    observers::note_visit(here, at, warp, mask, order.stamps(warp)[lane], order.block_floor());
  }

  /// An incident of lanes of one warp, at one place.
  [[nodiscard]] incident of_warp(incident_kind kind, std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) const {
    incident one = incident_at(kind, pc, block, warp * 32 + static_cast<std::uint32_t>(std::countr_zero(mask)));
    one.mask = mask;
    return one;
  }
};

}  // namespace emulator::observers
