// Long because what an observer keeps is known here alone.

#include "emulator/observers/block_observer.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "emulator/observers/access_cost.hpp"
#include "emulator/observers/access_example.hpp"
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

block_observer::block_observer(launch_observation& launch) : state_(std::make_unique<state>(launch)) {
  hot_ = state_->counted.instructions.data();
  edges_ = state_->edges.data();
  wants_values_ = state_->races.has_value();
  notes_writes_ = state_->global_reads.has_value();
}

block_observer::~block_observer() {
  flush();
}

void block_observer::flush() {
  state& s = *state_;
  edge sum;
  for (std::size_t pc = 0; pc < s.counted.instructions.size(); ++pc) {
    sum.executed += edges_[pc].executed;
    sum.lanes += edges_[pc].lanes;
    s.counted.instructions[pc].executed += sum.executed;
    s.counted.instructions[pc].lanes += sum.lanes;
  }
  std::fill(s.edges.begin(), s.edges.end(), edge{});
  s.launch.merge(s.counted, s.found);
  if (s.path) {
    s.launch.merge(s.path->total());
    s.path.emplace(s.facts, s.launch.watched().latencies);
    path_ = nullptr;
  }
  if (s.global_accesses) {
    s.launch.merge(s.global_accesses->entries(), s.block);
    s.global_accesses->clear();
  }
  s.steps.end_block();
  s.launch.merge(s.steps.events(), s.steps.left_out());
  s.steps.clear();
  s.counted = s.launch.empty_activity();
  s.found = incident_table(s.launch.line_numbers());
  hot_ = s.counted.instructions.data();
}

void block_observer::begin_block(const block_identity& block) {
  state& s = *state_;
  s.block = block;
  s.arrived_at_0 = false;
  path_ = s.path && s.launch.follows(block.linear) ? &*s.path : nullptr;
  if (path_ != nullptr) path_->begin_block(block.warp_count, s.launch.counts_path_of(block.linear));
  records_ = s.traces && block.linear < traced_blocks;
  if (records_) s.steps.begin_block(block.linear);
  attends_ = records_ || path_ != nullptr;
  ++s.counted.blocks;
  s.counted.warps += block.warp_count;
  if (s.races) s.races->begin_block(block, s.order.begin_block(block));
  if (s.global_accesses) s.global_accesses->begin_block(block, s.launch.limits());
  if (s.shared_reads) s.shared_reads->begin_block(block);
  if (s.global_reads) s.global_reads->begin_block(block);
}

void block_observer::end_block(std::uint64_t executed, bool well) {
  if (state_->cluster) state_->cluster->leave(state_->rank, well);
  state_->cluster.reset();
  state_->counted.busiest_block = std::max(state_->counted.busiest_block, executed);
  if (records_) state_->steps.end_block();
  if (path_ == nullptr) return;
  path_->end_block();
  path_ = nullptr;
}

void block_observer::attend_to(std::uint32_t warp) {
  if (path_ != nullptr) path_->turn_of(warp);
  state_->steps.turn_of(warp);
}

void block_observer::attend(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
  for (const std::uint32_t end = pc + count; pc != end; ++pc) {
    if (path_ != nullptr) path_->instruction(pc, mask);
    if (records_) state_->steps.run(pc, mask);
  }
}

void block_observer::carried_out(const std::byte (*bytes)[32], const std::byte* found) {
  state_->steps.carried_out(bytes, found);
}

void block_observer::count_global(access_activity& here, const memory_event& event, const lane_addresses& a) {
  const unsigned sectors = count_sectors(a);
  if (event.access == access_kind::atomic || event.access == access_kind::reduction) {
    ++here.global_requests;
    here.global_sectors += count_atomic_sectors(a);
    here.global_ideal_sectors += sectors;
    return;
  }
  const unsigned ideal = ideal_sectors(event.mask, event.bytes_per_lane, sectors);
  ++here.global_requests;
  here.global_sectors += sectors;
  here.global_ideal_sectors += ideal;
  if (sectors - ideal > here.worst_excess) [[unlikely]] {
    here.worst_excess = sectors - ideal;
    keep_request(event);
  }
}

void block_observer::count_shared(access_activity& here, const memory_event& event, const lane_addresses& a) {
  const unsigned conflicts = count_bank_conflicts(a);
  ++here.shared_accesses;
  here.shared_conflicts += conflicts;
  if (conflicts > here.worst_conflicts) [[unlikely]] {
    here.worst_conflicts = conflicts;
    keep_conflict(event);
  }
}

void block_observer::memory(std::uint32_t warp, const memory_event& event) {
  state& s = *state_;
  if (records_) [[unlikely]] {
    s.steps.keep({.warp = warp,
                  .pc = event.pc,
                  .mask = event.mask,
                  .access = event.access,
                  .space = event.space,
                  .bytes = event.bytes_per_lane},
                 event.addresses);
  }
  const lane_addresses a(event.addresses, event.mask, event.bytes_per_lane);
  access_activity& here = s.counted.accesses[s.launch.access_slots()[event.pc]];
  if (path_ != nullptr) [[unlikely]]
    path_->memory(event, event.space == ptx::state_space::shared ? count_bank_conflicts(a) : 0);
  switch (event.space) {
    case ptx::state_space::global:
      if (s.counts) count_global(here, event, a);
      if (s.global_accesses) s.global_accesses->access(warp, event, a.shape);
      if (s.global_reads) s.global_reads->access(warp, event, a.shape);
      break;
    case ptx::state_space::shared:
      if (s.counts) count_shared(here, event, a);
      if (s.races) {
        s.races->access(warp, event, a.shape);
        s.note_visit(here, warp, event.mask, a.shape.first);
      }
      if (s.cluster) s.cluster->access(s.rank, warp, event, s.rank);
      if (s.global_accesses && (event.is_strong || event.is_volatile)) s.global_accesses->cut();
      if (s.shared_reads) s.shared_reads->access(warp, event, a.shape);
      break;
    case ptx::state_space::local:
      if (s.counts) {
        ++here.local_accesses;
        here.local_sectors += count_local_sectors(a);
      }
      break;
    default:
      ++here.constant_accesses;
      break;
  }
}

bool block_observer::simple(const simple_access& access) {
  if (attends_) [[unlikely]]
    return false;
  state& s = *state_;
  access_activity& here = s.counted.accesses[s.slots[access.pc]];
  if (access.in_shared) {
    if (s.shared_reads && !s.shared_reads->expects(access)) return false;
    if (s.races) {
      if (!s.races->access_simply(access)) return false;
      s.note_visit(here, access.warp, access.mask, access.shape.first);
    }
    if (s.shared_reads && !access.loads) s.shared_reads->note(access);
    if (s.counts) ++here.shared_accesses;  // a row or one place has no conflicts
    return true;
  }
  const bool one = access.shape.what == access_shape::pattern::one;
  if (!one && !access.shape.gapless) return false;
  const unsigned sectors = one ? 1 : static_cast<unsigned>(((access.end - 1) >> 5) - (access.begin >> 5)) + 1;
  const unsigned ideal = ideal_sectors(access.mask, access.bytes, sectors);
  if (s.counts && sectors - ideal > here.worst_excess) return false;
  if (s.global_reads && !s.global_reads->access_simply(access)) return false;
  if (s.global_accesses) s.global_accesses->access_simply(access);
  if (s.counts) {
    ++here.global_requests;
    here.global_sectors += sectors;
    here.global_ideal_sectors += ideal;
  }
  return true;
}

void block_observer::copy_begins(std::uint32_t warp, const memory_event& event) {
  if (state_->races) state_->races->begin_copy(warp, event);
}

void block_observer::copy_lands(std::uint32_t warp, const memory_event& event) {
  if (state_->races) state_->races->land_copy(warp, event);
}

void block_observer::copy_ends_reading(std::uint32_t warp, const memory_event& event) {
  state& s = *state_;
  if (!s.global_accesses) return;
  const lane_addresses a(event.addresses, event.mask, event.bytes_per_lane);
  s.global_accesses->access(warp, event, a.shape);
}

namespace {

/// Calls `act(event, shape)` for the parts of 16 bytes of a bulk copy, each an access of its thread.
template <typename Act>
void for_parts(const bulk_event& bulk, std::uint64_t begin, ptx::state_space space, access_kind access, Act act) {
  std::uint64_t addresses[warp_size] = {};
  const std::uint32_t lane = bulk.thread % warp_size;
  memory_event event;
  event.pc = bulk.pc;
  event.space = space;
  event.access = access;
  event.mask = 1u << lane;
  event.bytes_per_lane = 16;
  event.addresses = addresses;
  for (std::uint32_t at = 0; at < bulk.bytes; at += 16) {
    addresses[lane] = begin + at;
    act(event, lane_addresses(addresses, event.mask, 16).shape);
  }
}

}  // namespace

void block_observer::bulk_begins(const bulk_event& event) {
  state& s = *state_;
  const std::uint32_t warp = event.thread / warp_size;
  const access_kind in_global = event.into_shared ? access_kind::load : access_kind::store;
  if (event.global != 0) {
    for_parts(event, event.global, ptx::state_space::global, in_global,
              [&](const memory_event& part, const auto& shape) {
                if (s.global_accesses) s.global_accesses->access(warp, part, shape);
                if (s.global_reads) s.global_reads->access(warp, part, shape);
              });
  }
  const auto read = [&](std::uint64_t from) {
    for_parts(event, from, ptx::state_space::shared, access_kind::load,
              [&](const memory_event& part, const auto& shape) {
                if (s.races) s.races->access(warp, part, shape);
                if (s.shared_reads) s.shared_reads->access(warp, part, shape);
                if (s.cluster) s.cluster->access(s.rank, warp, part, s.rank);
              });
  };
  if (event.shared_source) read(*event.shared_source);
  if (!event.into_shared) read(event.shared);
  if (!s.races || !event.own) return;
  const access_kind in_shared = event.into_shared ? access_kind::store : access_kind::load;
  for_parts(event, event.shared, ptx::state_space::shared, in_shared, [&](memory_event& part, const auto& shape) {
    s.races->begin_copy(warp, part);
    if (!event.into_shared) return;
    // For the memory model it writes now, and who waits for the phase gets to know of that.
    part.ends_copy = part.still_in_flight = true;
    s.races->access(warp, part, shape);
    part.ends_copy = part.still_in_flight = false;
  });
  if (event.into_shared) s.order.pass_on(event.thread, static_cast<std::uint32_t>(event.object / 4) + event.odd, true);
}

void block_observer::bulk_lands(const bulk_event& event) {
  state& s = *state_;
  const std::uint32_t warp = event.thread / warp_size;
  const access_kind in_shared = event.into_shared ? access_kind::store : access_kind::load;
  for_parts(event, event.shared, ptx::state_space::shared, in_shared, [&](const memory_event& part, const auto& shape) {
    if (s.races && event.own) s.races->land_copy(warp, part);
    if (s.shared_reads && event.into_shared) s.shared_reads->access(warp, part, shape);
  });
}

void block_observer::keep_conflict(const memory_event& event) {
  state& s = *state_;
  conflict_example& kept = s.counted.examples[s.launch.access_slots()[event.pc]].conflict;
  kept = explain_conflict(event.addresses, event.mask, event.bytes_per_lane);
  kept.block = s.block.linear;
}

void block_observer::keep_request(const memory_event& event) {
  state& s = *state_;
  request_example& kept = s.counted.examples[s.launch.access_slots()[event.pc]].request;
  kept = explain_request(event.addresses, event.mask, event.bytes_per_lane);
  kept.block = s.block.linear;
}

void block_observer::branch(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken) {
  if (taken == 0 || taken == mask) return;
  ++hot_[pc].special;
  if (records_) [[unlikely]]
    state_->steps.keep({.kind = trace_kind::branch, .warp = warp, .pc = pc, .mask = mask, .jumped = taken});
}

void block_observer::barrier_arrive(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t live,
                                    std::uint32_t barrier) {
  state& s = *state_;
  const bool announces = (s.facts.instructions[pc].classes & class_announcement) != 0;
  if (records_) [[unlikely]]
    s.steps.keep({.kind = announces ? trace_kind::announce : trace_kind::arrive,
                  .warp = warp,
                  .pc = pc,
                  .mask = mask,
                  .barrier = static_cast<std::uint8_t>(barrier)});
  const std::uint32_t before = std::exchange(s.barrier_pc[barrier % 16], pc);
  // Only of __syncthreads(): barriers with a number of their own are for those who meet at several places.
  if (s.sync && barrier == 0 && before != pc && !announces && s.arrived_at_0 &&
      s.launch.line_numbers()[before] != s.launch.line_numbers()[pc]) {
    incident one = s.of_warp(incident_kind::different_barriers, warp, pc, mask);
    one.other_pc = before;
    one.other_thread = s.last_arrival;
    s.found.add(one);
  }
  if (barrier == 0) {
    s.arrived_at_0 = true;
    s.last_arrival = warp * 32 + static_cast<std::uint32_t>(std::countr_zero(mask));
  }
  if (s.sync && (live & ~mask) != 0) {
    // Lanes that have exited are not missed: since Volta a barrier waits for those that have not.
    incident one = s.of_warp(incident_kind::divergent_barrier, warp, pc, mask);
    one.expected = live;
    s.found.add(one);
  }
  if (s.races && announces) {
    s.order.announce(warp, mask, barrier);
    s.global_accesses->cut();
  }
}

void block_observer::barrier_complete(std::uint32_t barrier, std::span<const std::uint32_t> masks) {
  state& s = *state_;
  ++hot_[s.barrier_pc[barrier % 16]].special;
  if (barrier == 0) s.arrived_at_0 = false;
  if (path_ != nullptr) [[unlikely]]
    path_->barrier(masks);
  if (records_) [[unlikely]]
    s.steps.keep(
        {.kind = trace_kind::barrier, .pc = s.barrier_pc[barrier % 16], .barrier = static_cast<std::uint8_t>(barrier)});
  if (!s.races) return;
  s.order.block_barrier(barrier, masks);
  if (s.cluster) s.cluster->block_barrier(s.rank, masks);
  s.global_accesses->cut();
}

void block_observer::warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  if (records_) [[unlikely]] {
    state_->steps.keep({.kind = trace_kind::warp_barrier, .warp = warp, .pc = pc, .mask = mask});
  }
  if (!state_->races) return;
  state_->order.warp_barrier(warp, mask);
  if (state_->cluster) state_->cluster->warp_barrier(state_->rank, warp, mask);
}

void block_observer::join_cluster(std::shared_ptr<cluster_check> cluster, std::uint32_t rank) {
  state& s = *state_;
  s.cluster = std::move(cluster);
  s.rank = rank;
  s.cluster->join(rank, {.identity = s.block,
                         .order = s.races ? &s.order : nullptr,
                         .reads = s.shared_reads ? &*s.shared_reads : nullptr,
                         .global = s.global_accesses ? &*s.global_accesses : nullptr,
                         .found = &s.found});
}

void block_observer::memory_of_other(std::uint32_t warp, const memory_event& event, std::uint32_t owner) {
  state& s = *state_;
  if (s.cluster) s.cluster->access(s.rank, warp, event, owner);
  if (s.global_accesses && (event.is_strong || event.is_volatile)) s.global_accesses->cut();
}

void block_observer::cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool releases) {
  if (state_->cluster) state_->cluster->arrive(state_->rank, warp, mask, releases);
}

void block_observer::cluster_opens(std::uint64_t cluster) {
  if (state_->cluster) state_->cluster->open(cluster);
}

void block_observer::fence(std::uint32_t warp, std::uint32_t, std::uint32_t mask, int scope) {
  if (!state_->races) return;
  state_->order.fence(warp, mask);
  if (state_->cluster) state_->cluster->fence(state_->rank, warp, mask);
  state_->global_accesses->fence(scope);
}

void block_observer::shuffle_from_nowhere(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  state& s = *state_;
  if (!s.sync) return;
  s.found.add(s.of_warp(incident_kind::shuffle_from_nowhere, warp, pc, mask));
}

void block_observer::waited_in_vain(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t gone) {
  state& s = *state_;
  if (!s.sync) return;
  incident one = s.of_warp(incident_kind::lanes_gone, warp, pc, mask);
  one.expected = gone;
  s.found.add(one);
}

void block_observer::shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event) {
  if (!records_) [[likely]]
    return;
  trace_event e{.kind = trace_kind::shuffle, .warp = warp, .pc = pc, .mask = mask};
  e.givers.assign(event.giver, event.giver + warp_size);
  if (event.got != nullptr) {
    e.bytes = sizeof *event.got;
    e.values.resize(warp_size * sizeof *event.got);
    std::memcpy(e.values.data(), event.got, e.values.size());
  }
  state_->steps.keep(std::move(e), event.wanted);
}

void block_observer::exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  if (records_) [[unlikely]]
    state_->steps.keep({.kind = trace_kind::leave, .warp = warp, .pc = pc, .mask = mask});
  if (state_->races) state_->order.exited(warp, mask);
}

}  // namespace emulator::observers
