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

void block_observer::count_conflicts(access_activity& here, const memory_event& event, unsigned conflicts) {
  here.shared_conflicts += conflicts;
  if (conflicts <= here.worst_conflicts) return;
  here.worst_conflicts = conflicts;
  conflict_example& kept = state_->counted.examples[state_->slots[event.pc]].conflict;
  kept = explain_conflict(event.addresses, event.mask, event.bytes_per_lane);
  kept.block = state_->block.linear;
}

void block_observer::memory_in_shared(std::uint32_t warp, const memory_event& event) {
  state& s = *state_;
  access_activity& here = s.counted.accesses[s.slots[event.pc]];
  access_shape computed;
  if (event.shape == nullptr) computed = shape_of(event.addresses, event.mask, event.bytes_per_lane);
  const access_shape& shape = event.shape != nullptr ? *event.shape : computed;
  unsigned conflicts = 0;
  if (s.counts) {
    ++here.shared_accesses;
    if (shape.what == access_shape::pattern::scattered && shape.high - shape.low >= warp_size * 4 - 4) {
      conflicts = count_bank_conflicts(lane_addresses(event, shape));
      if (conflicts != 0) count_conflicts(here, event, conflicts);
    }
  }
  if (path_ != nullptr) [[unlikely]]
    path_->memory(event, lane_addresses(event, shape), conflicts);
  if (s.races) {
    s.races->access(warp, event, shape);
    s.note_visit(here, warp, event.mask, shape.first);
  }
  if (s.cluster) s.cluster->access(s.rank, warp, event, s.rank);
  if (s.global_accesses && (event.is_strong || event.is_volatile)) s.global_accesses->cut();
  if (s.shared_reads) s.shared_reads->access(warp, event, shape);
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
  if (event.space == ptx::state_space::shared) return memory_in_shared(warp, event);
  access_shape computed;
  if (event.shape == nullptr) computed = shape_of(event.addresses, event.mask, event.bytes_per_lane);
  const lane_addresses a(event, event.shape != nullptr ? *event.shape : computed);
  access_activity& here = s.counted.accesses[s.slots[event.pc]];
  if (path_ != nullptr) [[unlikely]]
    path_->memory(event, a, 0);
  switch (event.space) {
    case ptx::state_space::global:
      if (s.counts) count_global(here, event, a);
      if (s.global_accesses) s.global_accesses->access(warp, event, a.shape);
      if (s.global_reads) s.global_reads->access(warp, event, a.shape);
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

void block_observer::branch(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken) {
  if (taken == 0 || taken == mask) return;
  ++hot_[pc].special;
  if (records_) [[unlikely]]
    state_->steps.keep({.kind = trace_kind::branch, .warp = warp, .pc = pc, .mask = mask, .jumped = taken});
}

}  // namespace emulator::observers
