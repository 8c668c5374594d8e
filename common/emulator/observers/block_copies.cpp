// What the interpreter tells of asynchronous and bulk copies of a block.

#include "emulator/observers/block_observer_state.hpp"

namespace emulator::observers {

void block_observer::copy_begins(std::uint32_t warp, const memory_event& event) {
  if (state_->races) state_->races->begin_copy(warp, event);
}

void block_observer::copy_lands(std::uint32_t warp, const memory_event& event) {
  if (state_->races) state_->races->land_copy(warp, event);
}

void block_observer::copy_ends_reading(std::uint32_t warp, const memory_event& event) {
  if (state_->global_accesses)
    state_->global_accesses->access(warp, event, shape_of(event.addresses, event.mask, event.bytes_per_lane));
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
    act(event, shape_of(addresses, event.mask, 16));
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
  if (s.cluster && event.into_shared) {
    for_parts(event, event.shared, ptx::state_space::shared, access_kind::store,
              [&](const memory_event& part, const auto&) { s.cluster->begin_copy(s.rank, warp, part, event.owner); });
    s.cluster->hand_over(s.rank, event.thread, event.owner, event.object, event.odd);
  }
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

}  // namespace emulator::observers
