// `cp.async.bulk`: copies of many bytes between global and shared memory by one thread. If the destination is shared
// memory, a barrier object counts the bytes. They are read at once and arrive at the first wait for a phase that lacks
// nothing else. If the source is shared memory, the thread waits for groups of copies, and the bytes are read and
// written at that wait. Both are the latest time that the hardware allows, so a thread that reads the destination
// earlier sees the old contents.

#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "emulator/simt/access_request.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;
using ptx::state_space;

namespace {

constexpr std::uint32_t bulk_unit = 16;

std::uint64_t address_in(warp& w, slot at, bool wide, unsigned lane) {
  return wide ? w.lanes<std::uint64_t>(at)[lane] : w.lanes<std::uint32_t>(at)[lane];
}

/// Returns a shared address without the window bits that a generic address has.
std::uint64_t in_cluster_memory(std::uint64_t address) {
  return address & ~window_mask;
}

observers::bulk_event told_of(const bulk_store& copy, const warp& w) {
  return {.pc = copy.pc,
          .thread = w.index * warp_size + copy.lane,
          .shared = copy.from,
          .bytes = copy.bytes,
          .global = copy.to,
          .shared_source = {}};
}

}  // namespace

/// Checks the first and the last bytes that one lane copies; all bytes between them must be in the same memory.
bool memory_unit::check_bulk(block& b, warp& w, request& r, std::uint64_t address, std::uint32_t bytes) {
  r.is_edge = true;
  for (const std::uint64_t at : {address, address + bytes - bulk_unit}) {
    r.allocation = nullptr;
    set_addresses<std::uint64_t>(r.address, r.mask, [at](unsigned) { return at; });
    if (!check(b, w, r)) return false;
    if (r.space != state_space::global || r.allocation == nullptr || at != address) continue;
    if (address + bytes <= r.allocation->end()) continue;
    const std::uint64_t end = r.allocation->end();
    set_addresses<std::uint64_t>(r.address, r.mask, [end](unsigned) { return end; });
    return fail(b, w, r, fault_kind::out_of_bounds, static_cast<unsigned>(std::countr_zero(r.mask)));
  }
  if (r.space == state_space::global && r.allocation != nullptr && is_remote(b, *r.allocation)) {
    request whole = r;
    whole.bytes = bytes;
    whole.is_edge = false;
    if (!pass_link(b, w, whole, *whole.allocation, whole.mask)) return false;
  }
  if (r.space == state_space::global && touched_ != nullptr && r.allocation != nullptr)
    touched_->note(*r.allocation, address, bytes,
                   r.kind == access_kind::load ? memory::touch::read : memory::touch::write);
  return true;
}

bool memory_unit::find_other(block& b, const warp& w, request& r, std::uint64_t rank, unsigned lane) {
  r.other = nullptr;
  if (rank == 0) return true;
  const cluster_group& all = *b.cluster;
  if (rank > all.blocks.size())
    return fail(b, w, r, fault_kind::left_cluster, lane,
                "the cluster has no block of rank " + std::to_string(rank - 1) + ", it has " +
                    std::to_string(all.blocks.size()) + " blocks");
  r.other = all.blocks[rank - 1];
  if (r.other == nullptr)
    return fail(b, w, r, fault_kind::left_cluster, lane,
                "block " + std::to_string(all.numbers[rank - 1]) + " has left the kernel");
  if (r.other == &b) r.other = nullptr;
  return true;
}

bool memory_unit::begin_bulk_load(block& b, warp& w, const op& o, std::uint32_t pc, unsigned lane) {
  const bool from_global = static_cast<copy_operation>(o.sub) == copy_operation::bulk_from_global;
  const std::uint32_t bytes = w.lanes<std::uint32_t>(o.c)[lane];
  const std::uint64_t from = address_in(w, o.b, (o.register_bytes & bulk_wide_from) != 0, lane);
  std::uint64_t to = in_cluster_memory(address_in(w, o.a, (o.register_bytes & bulk_wide_to) != 0, lane));
  const std::uint64_t object =
      in_cluster_memory(address_in(w, static_cast<slot>(o.imm), (o.register_bytes & bulk_wide_object) != 0, lane));
  request r(access_kind::store, state_space::shared, pc, 1u << lane, bulk_unit);
  set_addresses<std::uint64_t>(r.address, r.mask, [to](unsigned) { return to; });
  if ((to & ~cluster_offset_mask) != (object & ~cluster_offset_mask))
    return fail(b, w, r, fault_kind::bad_bulk_copy, lane,
                "into the shared memory of a block other than the one with the mbarrier that counts its bytes");
  if (b.cluster != nullptr) {
    if (!find_other(b, w, r, to >> cluster_rank_at, lane)) return false;
    to &= cluster_offset_mask;
  }
  if (!check_bulk(b, w, r, to, bytes)) return false;
  request counter(access_kind::atomic, state_space::shared, pc, r.mask, sizeof(std::uint64_t));
  counter.other = r.other;
  set_addresses<std::uint64_t>(counter.address, counter.mask, [=](unsigned) { return object & cluster_offset_mask; });
  if (!check(b, w, counter)) return false;
  block& home = r.home(b);
  request source(access_kind::load, from_global ? state_space::global : state_space::shared, pc, r.mask, bulk_unit);
  if (!check_bulk(b, w, source, from_global ? from : in_cluster_memory(from), bytes)) return false;
  const std::byte* const begin =
      from_global ? reinterpret_cast<const std::byte*>(from) : b.shared.get() + in_cluster_memory(from);
  bulk_load copy;
  copy.pc = pc;
  copy.thread = w.index * warp_size + lane;
  copy.own = &home == &b;
  copy.to = to;
  copy.object = object & cluster_offset_mask;
  copy.data.assign(begin, begin + bytes);
  if (observer_ != nullptr)
    observer_->bulk_copy_begins({.pc = pc,
                                 .thread = copy.thread,
                                 .into_shared = true,
                                 .own = copy.own,
                                 .shared = to,
                                 .bytes = bytes,
                                 .global = from_global ? from : 0,
                                 .shared_source = from_global ? std::nullopt : std::optional(in_cluster_memory(from)),
                                 .object = copy.object,
                                 .odd = is_odd_phase(home, copy.object),
                                 .owner = home.cluster_rank});
  home.bulk_loads.push_back(std::move(copy));
  return true;
}

void memory_unit::tell_landing(const bulk_load& copy) {
  if (observer_ == nullptr) return;
  observer_->bulk_copy_lands({.pc = copy.pc,
                              .thread = copy.thread,
                              .into_shared = true,
                              .own = copy.own,
                              .shared = copy.to,
                              .bytes = static_cast<std::uint32_t>(copy.data.size()),
                              .shared_source = {}});
}

bool memory_unit::begin_bulk_store(block& b, warp& w, const op& o, std::uint32_t pc, unsigned lane) {
  bulk_store copy;
  copy.pc = pc;
  copy.lane = lane;
  copy.bytes = w.lanes<std::uint32_t>(o.c)[lane];
  copy.from = in_cluster_memory(address_in(w, o.b, (o.register_bytes & bulk_wide_from) != 0, lane));
  copy.to = address_in(w, o.a, (o.register_bytes & bulk_wide_to) != 0, lane);
  copy.group = w.bulk_groups[lane];
  request r(access_kind::load, state_space::shared, pc, 1u << lane, bulk_unit);
  if (!check_bulk(b, w, r, copy.from, copy.bytes)) return false;
  r.space = state_space::global;
  r.kind = access_kind::store;
  if (!check_bulk(b, w, r, copy.to, copy.bytes)) return false;
  if (observer_ != nullptr) observer_->bulk_copy_begins(told_of(copy, w));
  w.bulk_stores.push_back(copy);
  return true;
}

void memory_unit::carry_bulk_store(block& b, warp& w, const bulk_store& copy) {
  if (order_ != nullptr) {
    std::uint64_t addresses[warp_size];
    addresses[copy.lane] = copy.to;
    order_->before_write(b, w, copy.pc, addresses, 1u << copy.lane, copy.bytes, nullptr);
  }
  std::memcpy(reinterpret_cast<std::byte*>(copy.to), b.shared.get() + copy.from, copy.bytes);
  if (note_ != nullptr) note_->changed();
  if (observer_ != nullptr) observer_->bulk_copy_lands(told_of(copy, w));
}

void memory_unit::end_bulk_stores(block& b, warp& w, std::uint32_t lanes) {
  std::erase_if(w.bulk_stores, [&](const bulk_store& copy) {
    if ((lanes >> copy.lane & 1u) == 0) return false;
    carry_bulk_store(b, w, copy);
    return true;
  });
}

bool memory_unit::bulk_copy(block& b, warp& w, const op& o, std::uint32_t pc) {
  const auto operation = static_cast<copy_operation>(o.sub);
  const std::uint32_t lanes = w.mask;
  if (operation == copy_operation::bulk_wait || operation == copy_operation::bulk_wait_read) {
    std::erase_if(w.bulk_stores, [&](const bulk_store& copy) {
      const bool waited =
          (lanes >> copy.lane & 1u) != 0 && copy.group + static_cast<std::uint64_t>(o.imm) < w.bulk_groups[copy.lane];
      if (waited) carry_bulk_store(b, w, copy);
      return waited;
    });
    return true;
  }
  for (std::uint32_t m = lanes; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m)) & 31u;
    if (operation == copy_operation::bulk_commit) {
      ++w.bulk_groups[l];
      continue;
    }
    const std::uint32_t bytes = w.lanes<std::uint32_t>(o.c)[l];
    if (bytes == 0) continue;
    if (bytes % bulk_unit != 0) {
      request r(access_kind::load, state_space::global, pc, 1u << l, bytes);
      set_addresses<std::uint64_t>(r.address, r.mask, [](unsigned) { return std::uint64_t{0}; });
      return fail(b, w, r, fault_kind::bad_bulk_copy, l,
                  "of " + std::to_string(bytes) + " bytes, which isn't a multiple of 16");
    }
    const bool stores = operation == copy_operation::bulk_to_global;
    if (!(stores ? begin_bulk_store(b, w, o, pc, l) : begin_bulk_load(b, w, o, pc, l))) return false;
  }
  return true;
}

}  // namespace emulator::simt
