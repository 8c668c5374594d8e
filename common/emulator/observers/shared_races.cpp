#include "emulator/observers/shared_races.hpp"

#include <algorithm>

#include "emulator/observers/bulk_parts.hpp"

namespace emulator::observers {

shared_races::shared_races(block_context& context)
    : observer(context),
      slots_(context.launch.access_slots().data()),
      races_(context.facts, context.launch.has_fences(), context.launch.watched().shortcuts, order_, context.found),
      seen_(context.launch.access_count()),
      visits_(seen_.size() * warp_size) {
  context.order = &order_;
}

void shared_races::begin_block() {
  const bool restarted = order_.begin_block(context_.block);
  if (restarted) std::fill(visits_.begin(), visits_.end(), visit{});
  races_.begin_block(context_.block, restarted);
}

void shared_races::flush(of_launch& launch) {
  launch.visits.resize(seen_.size());
  for (std::size_t slot = 0; slot < seen_.size(); ++slot) {
    launch.visits[slot].warps |= seen_[slot].warps;
    launch.visits[slot].repeated |= seen_[slot].repeated;
    launch.visits[slot].repeated_in_block |= seen_[slot].repeated_in_block;
  }
  std::fill(seen_.begin(), seen_.end(), access_visits{});
  std::fill(visits_.begin(), visits_.end(), visit{});
}

void shared_races::bulk_copy_begins(const bulk_event& event) {
  for_parts_read_from_shared(event, [&](std::uint32_t warp, const memory_event& part, const access_shape& shape) {
    races_.access(warp, part, shape);
  });
}

void shared_races::bulk_copy_in_flight(const bulk_event& event) {
  if (!event.own) return;
  const access_kind access = event.into_shared ? access_kind::store : access_kind::load;
  for_parts(event, event.shared, ptx::state_space::shared, access,
            [&](std::uint32_t warp, memory_event& part, const access_shape& shape) {
              races_.begin_copy(warp, part);
              if (!event.into_shared) return;
              // In the memory model, the copy writes now, and a thread that waits for the phase is ordered after the
              // write.
              part.ends_copy = part.still_in_flight = true;
              races_.access(warp, part, shape);
              part.ends_copy = part.still_in_flight = false;
            });
  if (event.into_shared) order_.pass_on(event.thread, static_cast<std::uint32_t>(event.object / 4) + event.odd, true);
}

void shared_races::bulk_copy_lands(const bulk_event& event) {
  if (!event.own) return;
  const access_kind access = event.into_shared ? access_kind::store : access_kind::load;
  for_parts(event, event.shared, ptx::state_space::shared, access,
            [&](std::uint32_t warp, const memory_event& part, const access_shape&) { races_.land_copy(warp, part); });
}

}  // namespace emulator::observers
