// What the interpreter tells of how the threads of a block meet: barriers, clusters, fences, shuffles, exits.

#include <cstring>
#include <utility>

#include "emulator/observers/block_observer_state.hpp"

namespace emulator::observers {

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
  const std::uint32_t before = std::exchange(barrier_pc_[barrier % 16], pc);
  // Only of __syncthreads(): barriers with a number of their own are for those who meet at several places.
  if (s.sync && barrier == 0 && before != pc && !announces && arrived_at_0_ &&
      s.launch.line_numbers()[before] != s.launch.line_numbers()[pc]) {
    incident one = s.of_warp(incident_kind::different_barriers, warp, pc, mask);
    one.other_pc = before;
    one.other_thread = last_arrival_;
    s.found.add(one);
  }
  if (barrier == 0) {
    arrived_at_0_ = true;
    last_arrival_ = warp * 32 + static_cast<std::uint32_t>(std::countr_zero(mask));
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

void block_observer::barrier_complete(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all) {
  state& s = *state_;
  ++hot_[barrier_pc_[barrier % 16]].special;
  if (barrier == 0) arrived_at_0_ = false;
  if (path_ != nullptr) [[unlikely]]
    path_->barrier(masks);
  if (records_) [[unlikely]]
    s.steps.keep(
        {.kind = trace_kind::barrier, .pc = barrier_pc_[barrier % 16], .barrier = static_cast<std::uint8_t>(barrier)});
  if (!s.races) return;
  s.order.block_barrier(barrier, masks, waits_for_all);
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
