// `cp.async`: copies from global to shared memory that a thread waits for later. The bytes are read at
// once and arrive when the thread waits, as late as the hardware may have them: who looks before sees what was there.
// Observers are told of both ends, for the copy may read and write at any time between them.

#include <bit>
#include <cstring>

#include "emulator/simt/access_request.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;
using ptx::state_space;

bool memory_unit::begin_copy(block& b, warp& w, const op& o, std::uint32_t pc) {
  pending_copy copy;
  copy.pc = pc;
  copy.mask = w.mask;
  copy.bytes = o.element_bytes;
  request to;
  to.space = state_space::shared;
  to.kind = access_kind::store;
  to.pc = pc;
  to.mask = w.mask;
  to.bytes = o.element_bytes;
  compute_addresses(w, o, w.mask, to.address);
  if (!check(b, w, to)) return false;
  std::uint32_t reads = 0;  // the other lanes copy zeroes
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const std::uint32_t wanted = o.c == no_slot ? o.element_bytes : w.lanes<std::uint32_t>(o.c)[l];
    if (wanted == o.element_bytes) reads |= 1u << l;
    if (wanted == o.element_bytes || wanted == 0) continue;
    return fail(b, w, to, fault_kind::unsupported, static_cast<unsigned>(l),
                "cp.async with zeroes for a part of its bytes is not emulated");
  }
  if (reads != 0) {
    op source = o;
    source.a = o.b;
    source.imm = static_cast<std::int32_t>(o.reconvergence);
    source.flags |= flag_address_64;
    request from;
    from.pc = pc;
    from.mask = reads;
    from.bytes = o.element_bytes;
    compute_addresses(w, source, reads, from.address);
    if (!check(b, w, from)) return false;
    if (touched_ != nullptr) note_touch(from, false);
    observe(b, w, o, from);
    copy.reads = reads;
    std::memcpy(copy.from, from.address.of, sizeof copy.from);
    for (std::uint32_t m = reads; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      std::memcpy(copy.data[l], reinterpret_cast<const std::byte*>(from.address.of[l]), o.element_bytes);
    }
  }
  if (observer_ != nullptr) observer_->copy_begins(w.index, event_of(to));
  std::memcpy(copy.to, to.address.of, sizeof copy.to);
  std::memcpy(copy.group, w.copy_groups, sizeof copy.group);
  w.copies.push_back(copy);
  return true;
}

void memory_unit::finish_copies(block& b, warp& w, std::int64_t groups_left) {
  for (pending_copy& copy : w.copies) {
    request to;
    for (std::uint32_t m = copy.mask & w.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      if (copy.group[l] + groups_left >= w.copy_groups[l]) continue;
      to.mask |= 1u << l;
      std::memcpy(b.shared.get() + copy.to[l], copy.data[l], copy.bytes);
    }
    if (to.mask == 0) continue;
    copy.mask &= ~to.mask;
    to.space = state_space::shared;
    to.kind = access_kind::store;
    to.pc = copy.pc;
    to.bytes = copy.bytes;
    std::memcpy(to.address.of, copy.to, sizeof copy.to);
    if (observer_ == nullptr) continue;
    observers::memory_event written = event_of(to);
    written.ends_copy = true;
    observer_->memory(w.index, written);
    if ((to.mask & copy.reads) == 0) continue;
    request from;
    from.pc = copy.pc;
    from.mask = to.mask & copy.reads;
    from.bytes = copy.bytes;
    std::memcpy(from.address.of, copy.from, sizeof copy.from);
    observer_->copy_ends_reading(w.index, event_of(from));
  }
  std::erase_if(w.copies, [](const pending_copy& copy) { return copy.mask == 0; });
}

bool memory_unit::async_copy(block& b, warp& w, const op& o, std::uint32_t pc) {
  const auto operation = static_cast<copy_operation>(o.sub);
  if (operation == copy_operation::copy) return begin_copy(b, w, o, pc);
  if (operation != copy_operation::wait) {
    for (std::uint32_t m = w.mask; m != 0; m &= m - 1) ++w.copy_groups[std::countr_zero(m)];
  }
  if (operation != copy_operation::commit) finish_copies(b, w, o.imm);
  return true;
}

}  // namespace emulator::simt
