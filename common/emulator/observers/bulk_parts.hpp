#pragma once
/// \file
/// Splits a bulk copy into accesses by one lane.

#include <cstdint>

#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// Calls `act(warp, event, shape)` for each 16-byte part of [begin, begin + bulk.bytes). Each part is an access by the
/// thread that began the copy.
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
    act(bulk.thread / warp_size, event, shape_of(addresses, event.mask, 16));
  }
}

/// The same for the bytes that the copy reads from shared memory when it begins.
template <typename Act>
void for_parts_read_from_shared(const bulk_event& bulk, Act act) {
  if (bulk.shared_source) for_parts(bulk, *bulk.shared_source, ptx::state_space::shared, access_kind::load, act);
  if (!bulk.into_shared) for_parts(bulk, bulk.shared, ptx::state_space::shared, access_kind::load, act);
}

/// The same for the bytes of the copy in global memory, if there are any.
template <typename Act>
void for_parts_in_global(const bulk_event& bulk, Act act) {
  const access_kind access = bulk.into_shared ? access_kind::load : access_kind::store;
  if (bulk.global != 0) for_parts(bulk, bulk.global, ptx::state_space::global, access, act);
}

}  // namespace emulator::observers
