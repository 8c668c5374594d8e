// `cp.async`: copies from global to shared memory that are waited for later, by the thread itself or, with an
// `mbarrier`, by other threads. The bytes are read at once and arrive at that wait, which is the latest time that the
// hardware allows. A thread that reads the destination earlier sees the old contents. Observers are notified of the
// beginning and the end of a copy, because it may read and write at any time in between.

#include <algorithm>
#include <cstring>

#include "emulator/simt/access_request.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;
using ptx::state_space;

namespace {

/// Returns the store to shared memory that is equivalent to the copies of `lanes`.
observers::memory_event store_of(const pending_copy& copy, std::uint32_t lanes) {
  return {.pc = copy.pc,
          .space = state_space::shared,
          .access = access_kind::store,
          .mask = lanes,
          .bytes_per_lane = static_cast<std::uint8_t>(copy.bytes),
          .addresses = copy.to};
}

}  // namespace

bool memory_unit::begin_copy(block& b, warp& w, const op& o, std::uint32_t pc) {
  pending_copy copy;
  copy.pc = pc;
  copy.mask = w.mask;
  copy.bytes = o.element_bytes;
  request to(access_kind::store, state_space::shared, pc, w.mask, o.element_bytes);
  compute_addresses(w, o, w.mask, to.address);
  if (!check(b, w, to)) return false;
  std::uint32_t reads = 0;  // the other lanes write zeroes
  for (const unsigned l : lanes_in(w.mask)) {
    const std::uint32_t wanted = o.c == no_slot ? o.element_bytes : w.lanes<std::uint32_t>(o.c)[l];
    if (wanted == o.element_bytes) reads |= 1u << l;
    if (wanted == o.element_bytes || wanted == 0) continue;
    return fail(b, w, to, fault_kind::unsupported, l, "cp.async with zeroes for a part of its bytes is not emulated");
  }
  if (reads != 0) {
    op source = o;
    source.a = o.b;
    source.imm = static_cast<std::int32_t>(o.reconvergence);
    source.flags |= flag_address_64;
    request from(access_kind::load, state_space::global, pc, reads, o.element_bytes);
    compute_addresses(w, source, reads, from.address);
    if (!check(b, w, from)) return false;
    if (touched_ != nullptr) note_touch(b, from, false);
    observe(b, w, o, from);
    copy.reads = reads;
    std::memcpy(copy.from, from.address.of, sizeof copy.from);
    for (const unsigned l : lanes_in(reads))
      std::memcpy(copy.data[l], reinterpret_cast<const std::byte*>(from.address.of[l]), o.element_bytes);
  }
  if (observer_ != nullptr) observer_->copy_begins(w.index, event_of(to));
  std::memcpy(copy.to, to.address.of, sizeof copy.to);
  std::memcpy(copy.group, w.copy_groups, sizeof copy.group);
  copy.number = w.copies_begun++;
  w.copies.push_back(copy);
  return true;
}

/// Notifies observers that the copies of `lanes` count as ordinary writes and reads from now on.
void memory_unit::end_copy(warp& w, const pending_copy& copy, std::uint32_t lanes, bool still_in_flight) {
  if (observer_ == nullptr) return;
  observers::memory_event written = store_of(copy, lanes);
  written.ends_copy = true;
  written.still_in_flight = still_in_flight;
  observer_->access(w.index, written);
  if ((lanes & copy.reads) == 0) return;
  request from(access_kind::load, state_space::global, copy.pc, lanes & copy.reads, copy.bytes);
  std::memcpy(from.address.of, copy.from, sizeof copy.from);
  observer_->copy_ends_reading(w.index, event_of(from));
}

/// Completes the copies of `lanes`. Observers have already been notified of the copies that were handed over to an
/// `mbarrier`.
void memory_unit::land_copy(block& b, warp& w, pending_copy& copy, std::uint32_t lanes) {
  for (const unsigned l : lanes_in(lanes)) std::memcpy(b.shared.get() + copy.to[l], copy.data[l], copy.bytes);
  copy.mask &= ~lanes;
  if (const std::uint32_t own = lanes & ~copy.handed_over; own != 0) end_copy(w, copy, own, false);
  const std::uint32_t told = lanes & copy.handed_over;
  if (told != 0 && observer_ != nullptr) observer_->copy_lands(w.index, store_of(copy, told));
}

void memory_unit::finish_copies(block& b, warp& w, std::int64_t groups_left) {
  for (pending_copy& copy : w.copies) {
    std::uint32_t lanes = 0;
    for (const unsigned l : lanes_in(copy.mask & w.mask)) {
      if (copy.group[l] + groups_left < w.copy_groups[l]) lanes |= 1u << l;
    }
    if (lanes != 0) land_copy(b, w, copy, lanes);
  }
  std::erase_if(w.copies, [](const pending_copy& copy) { return copy.mask == 0; });
}

/// Hands the copies that the lanes have begun over to an `mbarrier`. In the memory model, these copies write now,
/// before the lanes arrive at the barrier. Here, their bytes arrive only after a thread has waited for the phase.
void memory_unit::hand_over_copies(warp& w, const op& o) {
  bool any = false;
  for (pending_copy& copy : w.copies) {
    const std::uint32_t lanes = copy.mask & w.mask & ~copy.handed_over;
    any |= (copy.mask & w.mask) != 0;
    if (lanes == 0) continue;
    end_copy(w, copy, lanes, true);
    copy.handed_over |= lanes;
  }
  if (!any) return;
  copy_handover made;
  made.waits = w.mask;
  made.copies = w.copies_begun;
  address_set at;
  compute_addresses(w, o, w.mask, at);
  const bool generic = o.space == state_space::generic;
  for (unsigned l = 0; l < warp_size; ++l) made.object[l] = generic ? at.of[l] & ~window_mask : at.of[l];
  w.handovers.push_back(made);
}

void memory_unit::phase_is_over(block& b, std::uint64_t object) {
  for (warp& w : b.warps) {
    for (copy_handover& h : w.handovers) {
      for (const unsigned l : lanes_in(h.waits)) {
        if (h.object[l] == object) h.over |= 1u << l;
      }
      h.waits &= ~h.over;
    }
  }
}

void memory_unit::land_handed_over(block& b, std::uint64_t object) {
  for (warp& w : b.warps) {
    if (w.handovers.empty()) continue;
    bool any = false;
    for (copy_handover& h : w.handovers) {
      std::uint32_t lanes = 0;
      for (const unsigned l : lanes_in(h.over)) {
        if (h.object[l] == object) lanes |= 1u << l;
      }
      if (lanes == 0) continue;
      h.over &= ~lanes;
      any = true;
      for (pending_copy& copy : w.copies) {
        if (copy.number < h.copies && (copy.mask & lanes) != 0) land_copy(b, w, copy, copy.mask & lanes);
      }
    }
    if (!any) continue;
    if (note_ != nullptr) note_->changed();
    std::erase_if(w.handovers, [](const copy_handover& h) { return (h.waits | h.over) == 0; });
    std::erase_if(w.copies, [](const pending_copy& copy) { return copy.mask == 0; });
  }
}

void memory_unit::forget_handovers(block& b, std::uint64_t object) {
  for (warp& w : b.warps) {
    for (copy_handover& h : w.handovers) {
      for (unsigned l = 0; l < warp_size; ++l) {
        if (h.object[l] != object) continue;
        h.waits &= ~(1u << l);
        h.over &= ~(1u << l);
      }
    }
    std::erase_if(w.handovers, [](const copy_handover& h) { return (h.waits | h.over) == 0; });
  }
}

bool memory_unit::async_copy(block& b, warp& w, const op& o, std::uint32_t pc) {
  const auto operation = static_cast<copy_operation>(o.sub);
  if (operation >= copy_operation::bulk_from_global) return bulk_copy(b, w, o, pc);
  if (operation == copy_operation::copy) return begin_copy(b, w, o, pc);
  if (operation == copy_operation::hand_over) {
    hand_over_copies(w, o);
    return true;
  }
  if (operation != copy_operation::wait) {
    for (const unsigned l : lanes_in(w.mask)) ++w.copy_groups[l];
  }
  if (operation != copy_operation::commit) finish_copies(b, w, o.imm);
  return true;
}

}  // namespace emulator::simt
