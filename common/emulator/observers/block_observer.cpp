// What the interpreter tells of a block: accesses, counted and looked at.

#include "emulator/observers/block_observer.hpp"

#include <algorithm>

#include "emulator/observers/access_cost.hpp"
#include "emulator/observers/block_observer_state.hpp"

namespace emulator::observers {

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
    s.path->forget_total();
    path_ = nullptr;
  }
  if (s.global_accesses) {
    s.launch.merge(s.global_accesses->take_entries(), s.block);
  }
  s.steps.end_block();
  s.launch.merge(s.steps.events(), s.steps.left_out());
  s.steps.clear();
  s.counted = s.launch.empty_activity();
  std::fill(s.visits.begin(), s.visits.end(), visit{});
  s.found = incident_table(s.launch.line_numbers());
  hot_ = s.counted.instructions.data();
}

void block_observer::begin_block(const block_identity& block) {
  state& s = *state_;
  s.block = block;
  arrived_at_0_ = false;
  path_ = s.path && s.launch.follows(block.linear) ? &*s.path : nullptr;
  if (path_ != nullptr) path_->begin_block(block.warp_count, s.launch.counts_path_of(block.linear));
  records_ = s.traces && block.linear < traced_blocks;
  if (records_) s.steps.begin_block(block.linear);
  attends_ = records_ || path_ != nullptr;
  ++s.counted.blocks;
  s.counted.warps += block.warp_count;
  if (s.races) {
    const bool anew = s.order.begin_block(block);
    if (anew) std::fill(s.visits.begin(), s.visits.end(), visit{});
    s.races->begin_block(block, anew);
  }
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
  if (path_ != nullptr) path_->run(pc, count, mask);
  for (const std::uint32_t end = pc + count; records_ && pc != end; ++pc) state_->steps.run(pc, mask);
}

void block_observer::carried_out(const std::byte (*bytes)[32], const std::byte* found) {
  state_->steps.carried_out(bytes, found);
}

void block_observer::count_global(access_activity& here, const memory_event& event, const lane_addresses& a) {
  const unsigned sectors = count_sectors(a);
  if (is_update(event.access)) {
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
    request_example& kept = state_->counted.examples[state_->slots[event.pc]].request;
    kept = explain_request(event.addresses, event.mask, event.bytes_per_lane);
    kept.block = state_->block.linear;
  }
}

void block_observer::count_shared(access_activity& here, const memory_event& event, unsigned conflicts) {
  ++here.shared_accesses;
  here.shared_conflicts += conflicts;
  if (conflicts > here.worst_conflicts) [[unlikely]] {
    here.worst_conflicts = conflicts;
    conflict_example& kept = state_->counted.examples[state_->slots[event.pc]].conflict;
    kept = explain_conflict(event.addresses, event.mask, event.bytes_per_lane);
    kept.block = state_->block.linear;
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
  // Paths are followed only where there are counts.
  const unsigned conflicts = s.counts && event.space == ptx::state_space::shared ? count_bank_conflicts(a) : 0;
  if (path_ != nullptr) [[unlikely]]
    path_->memory(event, a, conflicts);
  switch (event.space) {
    case ptx::state_space::global:
      if (s.counts) count_global(here, event, a);
      if (s.global_accesses) s.global_accesses->access(warp, event, a.shape);
      if (s.global_reads) s.global_reads->access(warp, event, a.shape);
      break;
    case ptx::state_space::shared:
      if (s.counts) count_shared(here, event, conflicts);
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

shared_watch block_observer::watch_of_rows() {
  state& s = *state_;
  shared_watch watch;
  watch.accesses = s.counted.accesses.data();
  watch.slots = s.slots;
  watch.counts = s.counts ? 1 : 0;
  if (s.shared_reads) watch.written = s.shared_reads->written();
  if (s.races) {
    s.races->show(watch);
    s.order.show(watch);
    watch.visits = s.visits.data();
  }
  return watch;
}

/// All of `simple` but the path.
bool block_observer::note_simply(const simple_access& access) {
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

bool block_observer::simple(const simple_access& access) {
  if (records_ || !note_simply(access)) return false;
  if (path_ != nullptr) path_->memory(access);
  return true;
}

bool block_observer::simple_and_run(const simple_access& access, std::uint32_t behind) {
  if (!note_simply(access)) return false;
  path_->run(access.pc, 1, access.mask);
  path_->memory(access);
  if (behind != 0) path_->run(access.pc + 1, behind, access.mask);
  return true;
}

void block_observer::branch(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken) {
  if (taken == 0 || taken == mask) return;
  ++hot_[pc].special;
  if (records_) [[unlikely]]
    state_->steps.keep({.kind = trace_kind::branch, .warp = warp, .pc = pc, .mask = mask, .jumped = taken});
}

}  // namespace emulator::observers
