// Long because loads and stores share the code for every state space, and because the compiler has to see the checks
// where they are used: they account for much of the cost of an access.

#include "emulator/simt/memory_access.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "emulator/memory/devices.hpp"
#include "emulator/simt/access_request.hpp"
#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"

namespace emulator::simt {

using memory::address_of;
using observers::access_kind;
using observers::access_shape;
using observers::fault_kind;
using ptx::state_space;

namespace {

template <typename T, typename R>
R extended(T value) {
  if constexpr (std::is_same_v<T, R>)
    return value;
  else
    return static_cast<R>(value);  // sign or zero extension, depending on T
}

// If a program has a race, its blocks may access the same global memory from two of our host threads. That race is the
// program's: racecheck reports it, and the value that is read is whatever the host's memory returns, as on a GPU. Only
// these functions access that memory with plain accesses, because atomic ones would not be vectorised. ThreadSanitizer
// skips them, so that it reports only races of the emulator.
//
// If addresses are irregular, a loop over the active lanes is faster than a gather over all lanes, because only a few
// lanes are active.
template <unsigned Count, typename T, typename R>
[[gnu::no_sanitize("thread")]] void load_row(R* d, std::uintptr_t row, std::uint32_t mask) {
  const auto* const from = reinterpret_cast<const T*>(row);
  if (mask == all_lanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l) d[l] = extended<T, R>(from[l * Count]);
  } else if constexpr (Count == 1 && std::is_same_v<T, R>) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l) d[l] = (mask >> l & 1u) != 0 ? from[l] : d[l];
  } else {
    for (const unsigned l : lanes_in(mask)) d[l] = extended<T, R>(from[l * Count]);
  }
}

template <unsigned Count, typename T, typename R>
[[gnu::no_sanitize("thread")]] void store_row(const R* s, std::uintptr_t row, std::uint32_t mask) {
  auto* const to = reinterpret_cast<T*>(row);
  if (mask == all_lanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l) to[l * Count] = static_cast<T>(s[l]);
  } else if constexpr (Count == 1 && std::is_same_v<T, R>) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l)
      if ((mask >> l & 1u) != 0) to[l] = s[l];
  } else {
    for (const unsigned l : lanes_in(mask)) to[l * Count] = static_cast<T>(s[l]);
  }
}

template <typename T, typename R>
[[gnu::no_sanitize("thread")]] void load_lanes(warp& w, slot to, std::uintptr_t base, const lane_places& at,
                                               std::uint32_t mask) {
  if (to == no_slot) return;
  R* d = w.lanes<R>(to);
  const std::uintptr_t first = base + at.shape.base;
  if (at.shape.what == access_shape::pattern::one) {
    const R filled = extended<T, R>(*reinterpret_cast<const T*>(first));
    write_lanes(d, mask, [filled](unsigned) { return filled; });
    return;
  }
  if (at.shape.what == access_shape::pattern::row) {
    if (at.bytes == sizeof(T)) return load_row<1, T>(d, first, mask);
    if (at.bytes == 2 * sizeof(T)) return load_row<2, T>(d, first, mask);
    if (at.bytes == 4 * sizeof(T)) return load_row<4, T>(d, first, mask);
  }
  const auto load = [&](unsigned l) { d[l] = extended<T, R>(*reinterpret_cast<const T*>(bytes_at(base, at.of[l]))); };
  if (mask == all_lanes) {
    for (unsigned l = 0; l < warp_size; ++l) load(l);
  } else {
    for (const unsigned l : lanes_in(mask)) load(l);
  }
}

template <typename T, typename R>
[[gnu::no_sanitize("thread")]] void store_lanes(warp& w, slot from, std::uintptr_t base, const lane_places& at,
                                                std::uint32_t mask) {
  const R* s = w.lanes<R>(from);
  if (at.shape.what == access_shape::pattern::row) {
    const std::uintptr_t first = base + at.shape.base;
    if (at.bytes == sizeof(T)) return store_row<1, T>(s, first, mask);
    if (at.bytes == 2 * sizeof(T)) return store_row<2, T>(s, first, mask);
    if (at.bytes == 4 * sizeof(T)) return store_row<4, T>(s, first, mask);
  }
  for (const unsigned l : lanes_in(mask)) *reinterpret_cast<T*>(bytes_at(base, at.of[l])) = static_cast<T>(s[l]);
}

// Strong accesses may conflict with others on other host threads, so they are atomic on the host, too.
template <typename T, typename R>
void load_lanes_strong(warp& w, slot to, std::uintptr_t base, const std::uint64_t* address, std::uint32_t mask) {
  if (to == no_slot) return;
  R* d = w.lanes<R>(to);
  for (const unsigned l : lanes_in(mask)) {
    d[l] = extended<T, R>(
        std::atomic_ref<T>(*reinterpret_cast<T*>(bytes_at(base, address[l]))).load(std::memory_order_acquire));
  }
}
template <typename T, typename R>
void store_lanes_strong(warp& w, slot from, std::uintptr_t base, const std::uint64_t* address, std::uint32_t mask) {
  const R* s = w.lanes<R>(from);
  for (const unsigned l : lanes_in(mask)) {
    std::atomic_ref<T>(*reinterpret_cast<T*>(bytes_at(base, address[l])))
        .store(static_cast<T>(s[l]), std::memory_order_release);
  }
}

slot element_slot(const warp& w, const op& o, unsigned element, slot single) {
  return o.element_count == 1 ? single : w.vector_registers[o.target + element];
}

void move_direct(warp& w, const op& o, std::uintptr_t base, const lane_places& at, std::uint32_t mask, bool load) {
  const bool strong = (o.flags & flag_strong) != 0;
  for (unsigned e = 0; e < o.element_count; ++e) {
    const slot reg = element_slot(w, o, e, load ? o.dst : o.b);
    const std::uintptr_t first = base + std::uint64_t{e} * o.element_bytes;
    with_types(o, [&](auto element, auto in_register) {
      using T = decltype(element);
      using R = decltype(in_register);
      if (load)
        strong ? load_lanes_strong<T, R>(w, reg, first, at.of, mask) : load_lanes<T, R>(w, reg, first, at, mask);
      else
        strong ? store_lanes_strong<T, R>(w, reg, first, at.of, mask) : store_lanes<T, R>(w, reg, first, at, mask);
    });
  }
}

/// Copies between a lane's local memory, which is interleaved by words, and contiguous bytes.
void copy_local(block& b, const warp& w, std::uint64_t offset, unsigned lane, std::byte* bytes, unsigned count,
                bool load) {
  while (count > 0) {
    const auto inside = static_cast<unsigned>(offset % 4);
    const unsigned part = std::min(4 - inside, count);
    std::byte* at = b.local_byte(w, offset, lane);
    if (load)
      std::memcpy(bytes, at, part);
    else
      std::memcpy(at, bytes, part);
    bytes += part;
    offset += part;
    count -= part;
  }
}

/// Addresses are multiples of an element's size, so an element is within one word or is two words.
void move_local(block& b, warp& w, const op& o, const address_set& set, std::uint32_t mask, bool load) {
  std::byte* const words = b.local_byte(w, 0, 0);
  constexpr std::uint64_t word_bytes = 4, bytes_of_row = word_bytes * warp_size;
  for (unsigned e = 0; e < o.element_count; ++e) {
    const slot reg = element_slot(w, o, e, load ? o.dst : o.b);
    if (load && reg == no_slot) continue;
    with_types(o, [&](auto element, auto in_register) {
      using T = decltype(element);
      using R = decltype(in_register);
      constexpr std::size_t part = std::min<std::size_t>(sizeof(T), word_bytes);
      R* const r = w.lanes<R>(reg);
      if constexpr (sizeof(T) == word_bytes && sizeof(R) == word_bytes) {
        if (set.low == set.high && mask == all_lanes) {
          std::byte* const row = words + (set.low / word_bytes + e) * bytes_of_row;
          load ? std::memcpy(r, row, bytes_of_row) : std::memcpy(row, r, bytes_of_row);
          return;
        }
      }
      for (const unsigned l : lanes_in(mask)) {
        const std::uint64_t offset = set.of[l] + std::uint64_t{e} * sizeof(T);
        std::byte* at = words + offset / word_bytes * bytes_of_row + l * word_bytes + offset % word_bytes;
        T value = load ? T{} : static_cast<T>(r[l]);
        auto* bytes = reinterpret_cast<std::byte*>(&value);
        for (std::size_t done = 0; done < sizeof(T); done += part, at += bytes_of_row)
          load ? std::memcpy(bytes + done, at, part) : std::memcpy(at, bytes + done, part);
        if (load) r[l] = extended<T, R>(value);
      }
    });
  }
}

}  // namespace

bool memory_unit::fail(block& b, const warp& w, const request& r, fault_kind kind, unsigned lane, std::string message) {
  b.fault.address = r.address.of[lane];
  b.fault.bytes = r.bytes;
  b.fault.space = r.space;
  if (r.other != nullptr) b.fault.owner = r.other->identity.linear;
  return stop_lanes(b, w, r.pc, kind, 1u << lane, std::move(message), r.kind);
}

/// Returns true if memory belongs to a different device than the one that runs the kernel.
bool memory_unit::is_remote(const block& b, const memory::allocation& a) {
  return a.device != b.launch->space->devices.running() && a.from != memory::origin::pinned &&
         a.from != memory::origin::managed;
}

/// Counts the data that the lanes of `mask` send over a link. Returns false, with a fault, if their device may not
/// access the memory.
bool memory_unit::pass_link(block& b, const warp& w, const request& r, const memory::allocation& in,
                            std::uint32_t mask) {
  auto& all = b.launch->space->devices;
  const int here = all.running();
  // Access to a pool's memory is set by the pool alone.
  const bool allowed =
      in.from == memory::origin::pool ? (in.reached_from >> here & 1u) != 0 : all.may_access(here, in.device);
  if (!allowed) {
    std::string what;
    static_cast<void>(b.launch->space->memory.classify(r.address.of[std::countr_zero(mask)], &what));
    return fail(b, w, r, fault_kind::no_peer_access, static_cast<unsigned>(std::countr_zero(mask)),
                "it is " + what + " of device " + std::to_string(in.device) + ", and the kernel runs on device " +
                    std::to_string(here));
  }
  if (r.is_edge) return true;
  const std::uint64_t bytes = std::uint64_t{r.bytes} * static_cast<unsigned>(std::popcount(mask));
  const bool load = r.kind == access_kind::load;
  memory::link_counters& link = load ? all.link(in.device, here) : all.link(here, in.device);
  const bool store = r.kind == access_kind::store;
  (load ? link.load_bytes : store ? link.store_bytes : link.atomic_bytes) += bytes;
  (load ? link.load_requests : store ? link.store_requests : link.atomic_requests) += 1;
  return true;
}

bool memory_unit::check_global(block& b, warp& w, request& r) {
  const std::uint64_t low = r.address.low, high = r.address.high;
  for (unsigned k = 0; k < 2; ++k) {
    if (low >= recent_[k].begin && high < recent_[k].end && high + r.bytes <= recent_[k].end) {
      r.allocation = recent_[k].allocation;
      if (k == 1) std::swap(recent_[0], recent_[1]);
      break;
    }
  }
  auto& memory = b.launch->space->memory;
  if (r.allocation == nullptr) {
    memory::allocation* found = memory.find(low);
    if (found != nullptr && high < found->end() && high + r.bytes <= found->end() && high >= found->begin) {
      r.allocation = found;
      if (is_remote(b, *found) && !pass_link(b, w, r, *found, r.mask)) return false;
      // Memory that the kernel may free is looked up each time. So is memory of other devices, because each access has
      // to be counted.
      if (found->from != memory::origin::heap && !is_remote(b, *found)) {
        recent_[1] = recent_[0];
        recent_[0] = {found->begin, found->end(), found};
      }
    }
  }
  const bool writes = r.kind != access_kind::load;
  const auto allowed = [&](const memory::allocation& a) { return !(writes && a.read_only); };
  if (r.allocation != nullptr) {
    if (!allowed(*r.allocation))
      return fail(b, w, r, fault_kind::read_only, static_cast<unsigned>(std::countr_zero(r.mask)));
    if (writes && !notes_writes_ &&
        !std::atomic_ref<bool>(r.allocation->written_unobserved).load(std::memory_order_relaxed)) {
      std::atomic_ref<bool>(r.allocation->written_unobserved).store(true, std::memory_order_relaxed);
    }
    if (writes && recent_[0].allocation == r.allocation) recent_[0].stores = 1;
    return true;
  }
  for (const unsigned l : lanes_in(r.mask)) {  // several allocations, or an invalid address
    memory::allocation* a = memory.find(r.address.of[l]);
    if (a == nullptr || r.address.of[l] + r.bytes > a->end()) {
      std::string nearest;
      const memory::address_class what = memory.classify(a == nullptr ? r.address.of[l] : a->end(), &nearest);
      fault_kind kind = fault_kind::out_of_bounds;
      if (what == memory::address_class::freed) kind = fault_kind::use_after_free;
      if (what == memory::address_class::null) kind = fault_kind::null_pointer;
      if (what == memory::address_class::host) kind = fault_kind::host_pointer;
      return fail(b, w, r, kind, l, nearest);
    }
    if (is_remote(b, *a) && !pass_link(b, w, r, *a, 1u << l)) return false;
    if (!allowed(*a)) return fail(b, w, r, fault_kind::read_only, l);
    if (writes && !notes_writes_) std::atomic_ref<bool>(a->written_unobserved).store(true, std::memory_order_relaxed);
  }
  return true;
}

/// Checks that each lane stays within a variable of the kernel. In the stack of the functions that it calls, only the
/// end of the stack is checked.
bool memory_unit::check_local(block& b, warp& w, request& r) {
  const std::uint64_t high = r.address.high;
  if (high < b.launch->first_local_bytes && high + r.bytes <= b.launch->first_local_bytes) return true;
  const program& p = *b.launch->code;
  for (const unsigned l : lanes_in(r.mask)) {
    const std::uint64_t first = r.address.of[l];
    const bool inside =
        first < p.local_bytes
            ? std::any_of(p.local_objects.begin(), p.local_objects.end(),
                          [&](const local_object& o) { return first >= o.begin && first + r.bytes <= o.end; })
            : first < b.launch->local_bytes && first + r.bytes <= b.launch->local_bytes;
    if (!inside) return fail(b, w, r, fault_kind::out_of_bounds, l);
  }
  return true;
}

bool memory_unit::check(block& b, warp& w, request& r) {
  const bool changes = r.kind == access_kind::atomic || r.kind == access_kind::reduction;
  if ((r.space == state_space::local && changes) || (r.space == state_space::param && r.kind != access_kind::load))
    return fail(b, w, r, fault_kind::wrong_space, static_cast<unsigned>(std::countr_zero(r.mask)));
  if ((r.address.together & (r.bytes - 1)) != 0) {
    for (const unsigned l : lanes_in(r.mask)) {
      if ((r.address.of[l] & (r.bytes - 1)) != 0) return fail(b, w, r, fault_kind::misaligned, l);
    }
  }
  if (r.space == state_space::global || r.space == state_space::constant) return check_global(b, w, r);
  if (r.space == state_space::local) return check_local(b, w, r);
  const std::uint64_t limit = r.space == state_space::shared ? b.launch->shared_bytes : b.launch->parameters.size();
  const std::uint64_t high = r.address.high;
  if (high < limit && high + r.bytes <= limit) return true;
  for (const unsigned l : lanes_in(r.mask)) {
    if (r.address.of[l] >= limit || r.address.of[l] + r.bytes > limit)
      return fail(b, w, r, fault_kind::out_of_bounds, l);
  }
  return true;
}

namespace {

/// Collects the first 8 bytes that each lane stores.
void collect_values(warp& w, const op& o, std::uint64_t* values) {
  const slot from = element_slot(w, o, 0, o.b);
  const auto widen = [&](auto in_register) {
    using R = decltype(in_register);
    const R* s = w.lanes<R>(from);
    const R kept = static_cast<R>(o.element_bytes >= sizeof(R) ? ~R{0} : (R{1} << 8 * o.element_bytes) - 1);
    for (unsigned l = 0; l < warp_size; ++l) values[l] = static_cast<std::uint64_t>(s[l] & kept);
  };
  switch (o.register_bytes) {
    case 2:
      widen(std::uint16_t{});
      break;
    case 4:
      widen(std::uint32_t{});
      break;
    default:
      widen(std::uint64_t{});
      break;
  }
  for (unsigned e = 1; e < o.element_count && (e + 1u) * o.element_bytes <= 8; ++e) {
    const slot next = element_slot(w, o, e, o.b);
    for (unsigned l = 0; l < warp_size; ++l) {
      std::uint64_t value = 0;
      std::memcpy(&value, w.file + next + std::size_t{l} * o.register_bytes, o.element_bytes);
      values[l] |= value << 8 * e * o.element_bytes;
    }
  }
}

}  // namespace

observers::memory_event memory_unit::event_of(const request& r) {
  return {.pc = r.pc,
          .space = r.space,
          .access = r.kind,
          .mask = r.mask,
          .bytes_per_lane = static_cast<std::uint8_t>(r.bytes),
          .addresses = r.address.of};
}

/// Reports an access to another block's shared memory, or to a barrier object.
[[gnu::noinline, gnu::cold]] void memory_unit::observe_apart(block& b, warp& w, const op& o, const request& r) {
  observers::memory_event event = event_of(r);
  event.is_volatile = (o.flags & flag_volatile) != 0;
  event.is_strong = (o.flags & flag_strong) != 0;
  observers::barrier_phases phases;
  if (o.kind == op_kind::barrier_object) {
    phases = phases_of(r.home(b), w, o, r);
    event.phases = &phases;
  }
  if (r.other != nullptr)
    observer_->access_of_other_block(w.index, event, r.other->cluster_rank);
  else
    observer_->access(w.index, event);
}

void memory_unit::observe(block& b, warp& w, const op& o, const request& r) {
  if (observer_ == nullptr || r.space == state_space::param) return;
  if (r.other != nullptr || (o.kind == op_kind::barrier_object && r.space == state_space::shared)) [[unlikely]]
    return observe_apart(b, w, o, r);
  observers::memory_event event = event_of(r);
  event.is_volatile = (o.flags & flag_volatile) != 0;
  event.is_strong = (o.flags & flag_strong) != 0;
  if (r.has_shape) event.shape = &r.shape;
  if (r.space == state_space::global) event.in = r.allocation;
  alignas(64) std::uint64_t values[warp_size];
  // Only the values of lanes with equal addresses are compared.
  const bool may_meet = !(r.has_shape && r.shape.what == access_shape::pattern::row);
  if (may_meet && r.kind == access_kind::store && r.space == state_space::shared && observer_->wants_values()) {
    collect_values(w, o, values);
    event.values = values;
  }
  observer_->access(w.index, event);
}

void memory_unit::note_touch(const block& b, const request& r, bool strong) {
  const bool changes = r.kind == access_kind::atomic || r.kind == access_kind::reduction;
  const bool loads = r.kind == access_kind::load;
  const memory::touch how = changes  ? memory::touch::atomic
                            : strong ? (loads ? memory::touch::polled : memory::touch::atomic)
                            : loads  ? memory::touch::read
                                     : memory::touch::write;
  bool row = r.allocation != nullptr && r.mask == all_lanes;
  for (unsigned l = 1; l < warp_size && row; ++l) row = r.address.of[l] == r.address.of[0] + std::uint64_t{l} * r.bytes;
  if (row) return touched_->note(*r.allocation, r.address.low, std::uint64_t{warp_size} * r.bytes, how);
  for (const unsigned l : lanes_in(r.mask)) {
    const std::uint64_t address = r.address.of[l];
    const memory::allocation* in = r.allocation != nullptr ? r.allocation : b.launch->space->memory.find(address);
    if (in != nullptr && in->from != memory::origin::heap) touched_->note(*in, address, r.bytes, how);
  }
}

void memory_unit::copy_out(block& b, const warp& w, const request& r, std::byte (*to)[32]) {
  for (const unsigned l : lanes_in(r.mask)) {
    if (r.space == state_space::local)
      copy_local(b, w, r.address.of[l], l, to[l], r.bytes, true);
    else
      std::memcpy(to[l],
                  bytes_at(r.space == state_space::shared ? address_of(r.home(b).shared.get()) : 0, r.address.of[l]),
                  r.bytes);
  }
}

[[gnu::noinline, gnu::cold]] void memory_unit::tell_values(block& b, warp& w, const op& o, const request& r) {
  if (r.space == state_space::param) return;
  std::byte now[warp_size][32];
  copy_out(b, w, r, now);
  const bool found = r.kind == access_kind::atomic && o.element_count == 1 && o.dst != no_slot;
  observer_->access_done(now, found ? w.lanes<std::byte>(o.dst) : nullptr);
}

[[gnu::noinline, gnu::cold]] void memory_unit::note_before(block& b, const warp& w, const op& o, const request& r) {
  compares_ = false;
  if (r.space == state_space::global && touched_ != nullptr) note_touch(b, r, (o.flags & flag_strong) != 0);
  if (order_ != nullptr) tell_order_before(b, w, o, r);
  if (note_ == nullptr) return;
  if (r.kind == access_kind::atomic || (r.kind == access_kind::load && (o.flags & flag_strong) != 0))
    note_->last = note_->polled = {r.pc,    w.index, r.mask,
                                   r.bytes, r.space, r.address.of[static_cast<unsigned>(std::countr_zero(r.mask))]};
  if (r.kind == access_kind::load || note_->counted) return;
  compares_ = true;
  copy_out(b, w, r, before_);
}

[[gnu::noinline, gnu::cold]] void memory_unit::note_after(block& b, const warp& w, const request& r) {
  if (!compares_) return;
  std::byte after[warp_size][32];
  copy_out(b, w, r, after);
  for (const unsigned l : lanes_in(r.mask)) {
    if (std::memcmp(before_[l], after[l], r.bytes) != 0) return note_->changed();
  }
}

/// Accesses parameters of a call, which are in hidden local memory and are not counted.
bool memory_unit::hidden_access(block& b, warp& w, const op& o, std::uint32_t pc, access_kind kind) {
  request r(kind, state_space::local, pc, w.mask, std::uint32_t{o.element_bytes} * o.element_count);
  compute_addresses(w, o, w.mask, r.address);
  if (!check(b, w, r)) return false;
  if (noted_) note_before(b, w, o, r);
  move_local(b, w, o, r.address, w.mask, kind == access_kind::load);
  if (noted_) note_after(b, w, r);
  return true;
}

/// Calls `carry` for one lane after the other, from the last to the first.
template <typename Carry>
void from_last_lane(std::uint32_t mask, Carry carry) {
  for (std::uint32_t m = mask; m != 0;) {
    const std::uint32_t lane = std::bit_floor(m);
    m &= ~lane;
    carry(lane);
  }
}

/// Executes a load or a store.
template <access_kind Kind, bool Noted>
bool memory_unit::access(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (o.space == state_space::param) return hidden_access(b, w, o, pc, Kind);
  constexpr bool load = Kind == access_kind::load;
  return by_space<Noted>(b, w, o, pc, Kind, [&](const request& r) {
    if (r.space == state_space::local) return move_local(b, w, o, r.address, r.mask, load);
    const std::uintptr_t base = r.space == state_space::shared  ? address_of((Noted ? r.home(b) : b).shared.get())
                                : r.space == state_space::param ? address_of(b.launch->parameters.data())
                                                                : 0;
    const lane_places at{r.address.of, r.shape, r.bytes};
    if constexpr (Noted && !load) {
      if (order_ != nullptr && order_->lanes_fall())
        return from_last_lane(r.mask, [&](std::uint32_t lane) { move_direct(w, o, base, at, lane, load); });
    }
    move_direct(w, o, base, at, r.mask, load);
  });
}

/// Executes a load or a store that has to be recorded.
template <access_kind Kind>
[[gnu::noinline, gnu::cold]] bool memory_unit::noted_access(block& b, warp& w, const op& o, std::uint32_t pc) {
  return access<Kind, true>(b, w, o, pc) && (order_ == nullptr || go_on_behind(b, w, o, pc));
}

bool memory_unit::load(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (noted_ && ((o.flags & flag_strong) != 0 || !needs_no_note(true))) [[unlikely]]
    return noted_access<access_kind::load>(b, w, o, pc);
  return access<access_kind::load, false>(b, w, o, pc);
}

bool memory_unit::store(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (!needs_no_note(false)) [[unlikely]]
    return noted_access<access_kind::store>(b, w, o, pc);
  return access<access_kind::store, false>(b, w, o, pc);
}

template <bool Noted>
bool memory_unit::atomic_access(block& b, warp& w, const op& o, std::uint32_t pc) {
  const access_kind kind = (o.flags & flag_no_result) != 0 ? access_kind::reduction : access_kind::atomic;
  return by_space<Noted>(b, w, o, pc, kind, [&](const request& r) {
    const std::uintptr_t base = r.space == state_space::shared ? address_of((Noted ? r.home(b) : b).shared.get()) : 0;
    if constexpr (Noted) {
      if (order_ != nullptr && order_->lanes_fall())
        from_last_lane(r.mask, [&](std::uint32_t lane) { atomic_lanes(w, o, base, r.address.of, lane); });
      else
        atomic_lanes(w, o, base, r.address.of, r.mask);
      if (order_ != nullptr) tell_order_after(b, w, o, r);
    } else {
      atomic_lanes(w, o, base, r.address.of, r.mask);
    }
  });
}

bool memory_unit::atomic(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (noted_) [[unlikely]]
    return atomic_access<true>(b, w, o, pc) && (order_ == nullptr || go_on_behind(b, w, o, pc));
  return atomic_access<false>(b, w, o, pc);
}

bool memory_unit::parameter_load(block& b, warp& w, const op& o, std::uint32_t pc) {
  request r(access_kind::load, state_space::param, pc, w.mask, std::uint32_t{o.element_bytes} * o.element_count);
  with_addresses(w, o, [&](auto type, auto address) { r.place<decltype(type)>(address); });
  if (!check(b, w, r)) return false;
  move_direct(w, o, address_of(b.launch->parameters.data()), {r.address.of, r.shape, r.bytes}, w.mask, true);
  return true;
}

}  // namespace emulator::simt
