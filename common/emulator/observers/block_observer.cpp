#include "emulator/observers/block_observer.hpp"

#include <utility>

#include "emulator/observers/launch_parts.hpp"

namespace emulator::observers {

struct block_observer::state {
  explicit state(launch_observation& launch)
      : found(launch.line_numbers()),
        context{.launch = launch, .facts = launch.facts(), .found = found},
        observers(context) {}

  incident_table found;
  block_context context;
  all_observers observers;
};

block_observer::block_observer(launch_observation& launch) : state_(std::make_unique<state>(launch)) {
  hot_ = state_->observers.get<counting>().instructions_by_pc();
  edges_ = state_->observers.get<counting>().edges();
  wants_values_ = state_->observers.any([](const auto& one) { return one.wants_values(); });
  tracks_writes_ = state_->observers.any([](const auto& one) { return one.tracks_writes(); });
}

block_observer::~block_observer() {
  flush();
}

void block_observer::flush() {
  state& s = *state_;
  launch_observation& launch = s.context.launch;
  launch.merge(s.found, [&](launch_observation::parts& parts) { parts.take(s.observers); });
  s.found = incident_table(launch.line_numbers());
  hot_ = s.observers.get<counting>().instructions_by_pc();
}

void block_observer::begin_block(const block_identity& block) {
  waits_at_0_ = false;
  state_->context.block = block;
  state_->observers.each([](auto& one) { one.begin_block(); });
  wants_instructions_ = state_->observers.any([](const auto& one) { return one.wants_instructions(); });
  wants_results_ = state_->observers.any([](const auto& one) { return one.wants_results(); });
}

void block_observer::end_block(std::uint64_t executed, bool completed) {
  state_->observers.each([&](auto& one) { one.end_block(executed, completed); });
}

void block_observer::deliver_turn(std::uint32_t warp) {
  state_->observers.each([&](auto& one) { one.turn_of(warp); });
}

void block_observer::deliver_instructions(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
  state_->observers.each([&](auto& one) { one.instructions(pc, count, mask); });
}

void block_observer::access(std::uint32_t warp, const memory_event& event) {
  access_shape computed;
  if (event.shape == nullptr) computed = shape_of(event.addresses, event.mask, event.bytes_per_lane);
  const access_shape& shape = event.shape != nullptr ? *event.shape : computed;
  all_observers& observers = state_->observers;
  observers.each([&](auto& one) { one.access(warp, event, shape); });
  switch (event.space) {
    case ptx::state_space::shared:
      return observers.each([&](auto& one) { one.access_shared(warp, event, shape); });
    case ptx::state_space::global:
      return observers.each([&](auto& one) { one.access_global(warp, event, shape); });
    default:
      return observers.each([&](auto& one) { one.access_elsewhere(warp, event, shape); });
  }
}

void block_observer::access_done(const std::byte (*bytes)[32], const std::byte* found) {
  state_->observers.each([&](auto& one) { one.access_done(bytes, found); });
}

void block_observer::copy_begins(std::uint32_t warp, const memory_event& event) {
  state_->observers.each([&](auto& one) { one.copy_begins(warp, event); });
}

void block_observer::copy_lands(std::uint32_t warp, const memory_event& event) {
  state_->observers.each([&](auto& one) { one.copy_lands(warp, event); });
}

void block_observer::copy_ends_reading(std::uint32_t warp, const memory_event& event) {
  const access_shape shape = shape_of(event.addresses, event.mask, event.bytes_per_lane);
  state_->observers.each([&](auto& one) { one.copy_ends_reading(warp, event, shape); });
}

void block_observer::bulk_copy_begins(const bulk_event& event) {
  state_->observers.each([&](auto& one) { one.bulk_copy_begins(event); });
  state_->observers.each([&](auto& one) { one.bulk_copy_in_flight(event); });
}

void block_observer::bulk_copy_lands(const bulk_event& event) {
  state_->observers.each([&](auto& one) { one.bulk_copy_lands(event); });
}

void block_observer::diverge(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken) {
  ++hot_[pc].special;
  state_->observers.each([&](auto& one) { one.divergence(warp, pc, mask, taken); });
}

void block_observer::barrier_arrive(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t live,
                                    std::uint32_t barrier) {
  const bool waits = (state_->context.facts.instructions[pc].classes & class_announcement) == 0;
  const barrier_arrival arrival{.warp = warp,
                                .pc = pc,
                                .mask = mask,
                                .live = live,
                                .barrier = barrier,
                                .waits = waits,
                                .others_wait = barrier == 0 && waits_at_0_,
                                .earlier_pc = std::exchange(last_pc_[barrier % 16], pc),
                                .earlier_thread = last_thread_};
  state_->observers.each([&](auto& one) { one.barrier_arrive(arrival); });
  if (barrier != 0) return;
  waits_at_0_ = true;
  last_thread_ = warp * warp_size + static_cast<std::uint32_t>(std::countr_zero(mask));
}

void block_observer::barrier_opens(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all) {
  const std::uint32_t pc = last_pc_[barrier % 16];
  ++hot_[pc].special;
  if (barrier == 0) waits_at_0_ = false;
  state_->observers.each([&](auto& one) { one.barrier_opens(barrier, pc, masks, waits_for_all); });
}

void block_observer::warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  state_->observers.each([&](auto& one) { one.warp_barrier(warp, pc, mask); });
}

void block_observer::fence(std::uint32_t warp, std::uint32_t, std::uint32_t mask, int scope) {
  state_->observers.each([&](auto& one) { one.fence(warp, mask, scope); });
}

void block_observer::shuffle_from_nowhere(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  state_->observers.each([&](auto& one) { one.shuffle_from_nowhere(warp, pc, mask); });
}

void block_observer::waited_in_vain(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t gone) {
  state_->observers.each([&](auto& one) { one.waited_in_vain(warp, pc, mask, gone); });
}

void block_observer::shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event) {
  state_->observers.each([&](auto& one) { one.shuffle(warp, pc, mask, event); });
}

void block_observer::join_cluster(std::shared_ptr<cluster_check> cluster, std::uint32_t rank) {
  state_->observers.each([&](auto& one) { one.join_cluster(cluster, rank); });
}

void block_observer::access_of_other_block(std::uint32_t warp, const memory_event& event, std::uint32_t owner) {
  state_->observers.each([&](auto& one) { one.access_of_other_block(warp, event, owner); });
}

void block_observer::cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool releases) {
  state_->observers.each([&](auto& one) { one.cluster_arrive(warp, mask, releases); });
}

void block_observer::cluster_opens(std::uint64_t cluster) {
  state_->observers.each([&](auto& one) { one.cluster_opens(cluster); });
}

void block_observer::exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  state_->observers.each([&](auto& one) { one.exited(warp, pc, mask); });
}

void block_observer::runs_ahead(std::uint32_t warp, std::uint32_t mask) {
  state_->observers.each([&](auto& one) { one.runs_ahead(warp, mask); });
}

}  // namespace emulator::observers
