#include "emulator/observers/global_access_log.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

namespace emulator::observers {
namespace {

constexpr std::uint64_t max_entries = 1u << 22;

std::uint8_t flags_of(const memory_event& event, std::uint8_t ordering) {
  const bool changes = is_update(event.access);
  std::uint8_t flags = 0;
  if (event.access == access_kind::load || changes) flags |= global_access::reads;
  if (event.access != access_kind::load) flags |= global_access::writes;
  if (event.is_strong || event.is_volatile || changes) {
    flags |= global_access::strong;
    if ((ordering & ordering_block_only) != 0) flags |= global_access::block_only;
  }
  return flags;
}

std::mutex spare_mutex;
global_accesses spare_room;

/// Returns a bit for each active lane whose address does not directly follow that of the active lane below it.
std::uint32_t first_of_runs(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes) {
  std::uint32_t behind = 0;
  for (unsigned l = 1; l < warp_size; ++l)
    behind |= static_cast<std::uint32_t>(addresses[l] == addresses[l - 1] + bytes) << l;
  return mask & ~(behind & mask << 1);
}

global_accesses take_spare_room() {
  const std::scoped_lock lock(spare_mutex);
  return std::exchange(spare_room, {});
}

}  // namespace

log_limits log_limits::for_blocks(std::uint64_t block_count) {
  log_limits limits;
  const std::uint64_t blocks = std::clamp<std::uint64_t>(block_count, 1, limits.blocks);
  limits.per_block = std::max<std::size_t>(16, max_entries / blocks);
  return limits;
}

void recycle_buffers(global_accesses room) {
  constexpr std::size_t max_bytes = max_entries * sizeof(global_access) / 8;
  const auto leave = [](auto& vector, auto& spare) {
    vector.clear();
    if (vector.capacity() > spare.capacity() && vector.capacity() * sizeof(vector[0]) <= max_bytes) spare.swap(vector);
  };
  const std::scoped_lock lock(spare_mutex);
  leave(room.rows, spare_room.rows);
  leave(room.scattered, spare_room.scattered);
}

void global_accesses::append(const global_accesses& more) {
  rows.insert(rows.end(), more.rows.begin(), more.rows.end());
  scattered.insert(scattered.end(), more.scattered.begin(), more.scattered.end());
}

void global_accesses::expand(const scattered_access& one) {
  global_access part = one.hull;
  std::uint64_t next = 0;
  for (std::uint32_t m = one.mask, before = warp_size; m != 0; m &= m - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(m));
    if (l == before + 1 && one.offset[l] == next) {
      rows.back().length += one.hull.bytes;
    } else {
      part.begin = one.hull.begin + one.offset[l];
      part.length = one.hull.bytes;
      part.thread = static_cast<std::uint16_t>(one.hull.thread + l);
      rows.push_back(part);
      ++part.number;
    }
    before = l;
    next = std::uint64_t{one.offset[l]} + one.hull.bytes;
  }
}

global_access_log::global_access_log(const kernel_facts& facts, block_order* order)
    : facts_(facts), order_(order), noted_(take_spare_room()), last_entry_(facts.instructions.size(), nowhere) {}

void global_access_log::begin_block(const block_identity& block, const log_limits& limits) {
  limits_ = limits;
  watched_ = block.linear < limits.blocks;
  block_ = static_cast<std::uint32_t>(block.linear);
  first_of_block_ = noted_.rows.size();
  kept_ = 0;
  number_ = 0;
  stretch_ = order_ != nullptr ? order_->start() : 0;
  fenced_ = block_order::none;
  received_.clear();
  known_.clear();
  seen_.clear();
  seen_before_.clear();
  cut_ = false;
}

global_accesses global_access_log::take_entries() {
  std::fill(last_entry_.begin(), last_entry_.end(), nowhere);
  first_of_block_ = 0;
  return std::exchange(noted_, {});
}

void global_access_log::access(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
  if (!watched_) return;
  if (cut_) start_stretch();
  const std::uint8_t ordering = facts_.instructions[event.pc].ordering;
  const std::uint8_t flags = flags_of(event, ordering);
  const auto add_lanes = [&](unsigned lane, unsigned lanes) {
    add({event.addresses[lane], event.pc, warp * warp_size + lane, lanes, event.bytes_per_lane, flags});
  };
  if (shape.is_range()) {
    add_lanes(shape.first, shape.last - shape.first + 1);
  } else if (shape.what == access_shape::pattern::one) {
    add_lanes(shape.first, 1);
  } else {
    add_scattered(warp, event, shape, flags);
  }
  if (order_ != nullptr && (flags & global_access::strong) != 0) synchronise(event, ordering, shape);
}

/// Logs lanes with scattered addresses.
void global_access_log::add_scattered(std::uint32_t warp, const memory_event& event, const access_shape& shape,
                                      std::uint8_t flags) {
  const unsigned bytes = event.bytes_per_lane;
  const std::uint32_t firsts = first_of_runs(event.addresses, event.mask, bytes);
  const auto runs = static_cast<unsigned>(std::popcount(firsts));
  const std::uint64_t low = shape.low, high = shape.high;
  constexpr unsigned few = sizeof(scattered_access) / sizeof(global_access);
  if (runs > few && high - low < std::numeric_limits<std::uint32_t>::max() - bytes) {
    if (full(flags)) return;
    kept_ += runs;
    scattered_access& one = noted_.scattered.emplace_back();
    one.hull = {.begin = low,
                .length = static_cast<std::uint32_t>(high - low) + bytes,
                .pc = event.pc,
                .block = block_,
                .stretch = stretch_,
                .number = std::exchange(number_, number_ + runs),
                .thread = static_cast<std::uint16_t>(warp * warp_size),
                .bytes = event.bytes_per_lane,
                .flags = flags};
    one.mask = event.mask;
    for (unsigned l = 0; l < warp_size; ++l) one.offset[l] = static_cast<std::uint32_t>(event.addresses[l] - low);
    last_entry_[event.pc] = nowhere;
    return;
  }
  for (std::uint32_t m = firsts; m != 0; m &= m - 1) {
    const auto first = static_cast<unsigned>(std::countr_zero(m));
    const std::uint32_t next = m & (m - 1);
    const std::uint32_t own = event.mask & (next == 0 ? ~0u : (next & (0 - next)) - 1) & ~0u << first;
    const run r{event.addresses[first], event.pc, warp * warp_size + first, static_cast<unsigned>(std::popcount(own)),
                event.bytes_per_lane,   flags};
    if (m == firsts)
      add(r);
    else if (!full(flags))  // there is no entry that it could extend
      append(r);
  }
}

bool global_access_log::full(std::uint8_t flags) const {
  return kept_ >= limits_.per_block && ((flags & global_access::writes) == 0 || kept_ >= 2 * limits_.per_block);
}

/// Logs neighbouring lanes that access neighbouring addresses.
void global_access_log::add(const run& r) {
  const std::uint32_t length = r.lanes * r.bytes;
  const std::uint32_t last = last_entry_[r.pc];
  if (last != nowhere && last >= first_of_block_) {
    global_access& before = noted_.rows[last];
    // The same access again, as in a loop that polls, or the next part of a contiguous range.
    if (before.stretch == stretch_ && before.flags == r.flags && before.bytes == r.bytes) {
      if (before.begin == r.begin && before.length == length && before.thread == r.thread) return;
      if (before.end() == r.begin && before.thread_at(r.begin) == r.thread && before.length < 1u << 30) {
        before.length += length;
        return;
      }
    }
  }
  if (!full(r.flags)) append(r);
}

void global_access_log::append(const run& r) {
  last_entry_[r.pc] = static_cast<std::uint32_t>(noted_.rows.size());
  ++kept_;
  noted_.rows.push_back({.begin = r.begin,
                         .length = r.lanes * r.bytes,
                         .pc = r.pc,
                         .block = block_,
                         .stretch = stretch_,
                         .number = number_++,
                         .thread = static_cast<std::uint16_t>(r.thread),
                         .bytes = r.bytes,
                         .flags = r.flags});
}

void global_access_log::start_stretch() {
  cut_ = false;
  if (order_ != nullptr)
    stretch_ = order_->follow(stretch_, {});
  else
    ++stretch_;
}

void global_access_log::fence(int scope) {
  if (order_ == nullptr || scope == 0) {
    cut();
    return;
  }
  fenced_ = stretch_;
  start_stretch();
  learn(received_, known_, block_order::relation::acquired);
}

void global_access_log::cluster_barrier(std::uint64_t cluster, bool learns) {
  if (order_ == nullptr) {
    cut();
    return;
  }
  // This location can't be an address of global memory.
  const std::uint64_t location = std::uint64_t{0xc1} << 56 | cluster << 4;
  if (!learns) {
    order_->publish(location, stretch_, stretch_);
    return;
  }
  start_stretch();
  receive(order_->released_at(location), received_, known_);
  learn(received_, known_, block_order::relation::acquired);
}

/// Adds `what` to `list` unless it is already in `list` or in `known`.
void global_access_log::receive(block_order::vertex what, std::vector<block_order::vertex>& list,
                                const std::vector<block_order::vertex>& known) {
  // A loop that polls receives the same values again and again. Only recent entries are searched, because a search
  // through everything that such a block has received would take longer and longer. A duplicate entry does no harm.
  const auto in = [what](const std::vector<block_order::vertex>& all) {
    const auto end = all.rbegin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), 2 * warp_size));
    return std::find(all.rbegin(), end, what) != end;
  };
  if (what != block_order::none && !in(known) && !in(list)) list.push_back(what);
}

/// Begins a stretch of the block that knows everything in `list`. If `list` is empty, for example after a poll that
/// found nothing new, no stretch begins.
void global_access_log::learn(std::vector<block_order::vertex>& list, std::vector<block_order::vertex>& known,
                              block_order::relation how) {
  if (list.empty()) return;
  stretch_ = order_->follow(stretch_, list, how);
  if (known.size() > 2 * warp_size) known.clear();
  known.insert(known.end(), list.begin(), list.end());
  list.clear();
}

/// Applies the order made by a strong access: what it releases to other blocks, and what it acquires from them.
void global_access_log::synchronise(const memory_event& event, std::uint8_t ordering, const access_shape& shape) {
  if ((ordering & ordering_block_only) != 0) {
    cut();
    return;
  }
  const std::uint32_t mask = shape.what == access_shape::pattern::one ? 1u << shape.first : event.mask;
  // A reduction returns nothing, so its thread learns nothing.
  if (event.access == access_kind::load || event.access == access_kind::atomic) {
    for (const unsigned l : lanes_in(mask)) {
      const block_order::vertex there = order_->released_at(event.addresses[l]);
      receive(there, received_, known_);
      receive(there, seen_, seen_before_);
    }
    learn(seen_, seen_before_, block_order::relation::seen);
    if ((ordering & ordering_acquire) != 0) learn(received_, known_, block_order::relation::acquired);
  }
  if (event.access == access_kind::load) return;
  const bool releases = (ordering & ordering_release) != 0;
  for (const unsigned l : lanes_in(mask)) order_->publish(event.addresses[l], releases ? stretch_ : fenced_, stretch_);
  if (releases) start_stretch();
}

}  // namespace emulator::observers
