#include "emulator/observers/global_access_log.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

namespace emulator::observers {
namespace {

constexpr std::uint64_t most_entries = 1u << 22;

bool is_read_modify_write(access_kind access) {
  return access == access_kind::atomic || access == access_kind::reduction;
}

std::uint8_t flags_of(const memory_event& event, std::uint8_t ordering) {
  const bool changes = is_read_modify_write(event.access);
  std::uint8_t flags = 0;
  if (event.access == access_kind::load || changes) flags |= global_access::reads;
  if (event.access != access_kind::load) flags |= global_access::writes;
  if (event.is_strong || event.is_volatile || changes) {
    flags |= global_access::strong;
    if ((ordering & ordering_block_only) != 0) flags |= global_access::block_only;
  }
  return flags;
}

}  // namespace

log_limits log_limits::for_blocks(std::uint64_t block_count) {
  log_limits limits;
  const std::uint64_t blocks = std::clamp<std::uint64_t>(block_count, 1, limits.blocks);
  limits.per_block = std::max<std::size_t>(16, most_entries / blocks);
  return limits;
}

namespace {

std::mutex spare_mutex;
std::vector<global_access> spare_room;

}  // namespace

std::vector<global_access> take_spare_room() {
  const std::scoped_lock lock(spare_mutex);
  return std::exchange(spare_room, {});
}

void leave_spare_room(std::vector<global_access> room) {
  constexpr std::size_t most = most_entries / 8;
  room.clear();
  const std::scoped_lock lock(spare_mutex);
  if (room.capacity() > spare_room.capacity() && room.capacity() <= most) spare_room.swap(room);
}

global_access_log::global_access_log(const kernel_facts& facts, block_order* order)
    : facts_(facts), order_(order), entries_(take_spare_room()), last_entry_(facts.instructions.size(), nowhere) {}

void global_access_log::begin_block(const block_identity& block, const log_limits& limits) {
  limits_ = limits;
  watched_ = block.linear < limits.blocks;
  block_ = static_cast<std::uint32_t>(block.linear);
  first_of_block_ = entries_.size();
  number_ = 0;
  stretch_ = order_ != nullptr ? order_->start() : 0;
  fenced_ = block_order::none;
  received_.clear();
  known_.clear();
  seen_.clear();
  seen_before_.clear();
  cut_ = false;
}

std::vector<global_access> global_access_log::take_entries() {
  std::fill(last_entry_.begin(), last_entry_.end(), nowhere);
  first_of_block_ = 0;
  return std::exchange(entries_, {});
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
    // Runs of neighbours. Room for all of them is made at once.
    if (entries_.capacity() - entries_.size() < warp_size)
      entries_.reserve(std::max<std::size_t>(1024, 2 * entries_.size()));
    for (std::uint32_t m = event.mask; m != 0;) {
      const auto first = static_cast<unsigned>(std::countr_zero(m));
      unsigned lanes = 1;
      while (first + lanes < warp_size && (m >> (first + lanes) & 1u) != 0 &&
             event.addresses[first + lanes] == event.addresses[first] + std::uint64_t{lanes} * event.bytes_per_lane) {
        ++lanes;
      }
      if (m == event.mask)
        add_lanes(first, lanes);
      else if (!full(flags))  // nothing that it goes on from
        append({event.addresses[first], event.pc, warp * warp_size + first, lanes, event.bytes_per_lane, flags});
      m &= first + lanes < warp_size ? ~std::uint32_t{0} << (first + lanes) : 0u;
    }
  }
  if (order_ != nullptr && (flags & global_access::strong) != 0) synchronise(event, ordering, shape);
}

bool global_access_log::full(std::uint8_t flags) const {
  const std::size_t kept = entries_.size() - first_of_block_;
  return kept >= limits_.per_block && ((flags & global_access::writes) == 0 || kept >= 2 * limits_.per_block);
}

void global_access_log::access_simply(const simple_access& access) {
  if (!watched_) return;
  if (cut_) start_stretch();
  const bool one = access.shape.what == access_shape::pattern::one;
  add({access.begin, access.pc, access.warp * warp_size + access.shape.first,
       one ? 1 : access.shape.last - access.shape.first + 1, static_cast<std::uint8_t>(access.bytes),
       access.loads ? global_access::reads : global_access::writes});
}

/// Notes lanes that are neighbours.
void global_access_log::add(const run& r) {
  const std::uint32_t length = r.lanes * r.bytes;
  const std::uint32_t last = last_entry_[r.pc];
  if (last != nowhere && last >= first_of_block_) {
    global_access& before = entries_[last];
    // The same once more, as in a loop that polls, or the row's next part.
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
  last_entry_[r.pc] = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({.begin = r.begin,
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
  // No address of global memory.
  const std::uint64_t location = std::uint64_t{0xc1} << 56 | cluster << 4;
  if (!learns) {
    order_->publish(location, stretch_, stretch_);
    return;
  }
  start_stretch();
  receive(order_->released_at(location), received_, known_);
  learn(received_, known_, block_order::relation::acquired);
}

/// Adds `what` to `list` unless it is there, or in `known`.
void global_access_log::receive(block_order::vertex what, std::vector<block_order::vertex>& list,
                                const std::vector<block_order::vertex>& known) {
  // Polls repeat what came last. To look through all that a spinning block has received would take it ever longer; what
  // stands there twice is known twice.
  const auto in = [what](const std::vector<block_order::vertex>& all) {
    const auto end = all.rbegin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), 2 * warp_size));
    return std::find(all.rbegin(), end, what) != end;
  };
  if (what != block_order::none && !in(known) && !in(list)) list.push_back(what);
}

/// What is in `list` is known to the block's next stretch. A poll that finds nothing new starts none.
void global_access_log::learn(std::vector<block_order::vertex>& list, std::vector<block_order::vertex>& known,
                              block_order::relation how) {
  if (list.empty()) return;
  stretch_ = order_->follow(stretch_, list, how);
  if (known.size() > 2 * warp_size) known.clear();
  known.insert(known.end(), list.begin(), list.end());
  list.clear();
}

/// What a strong access passes on to other blocks, and what it learns from them.
void global_access_log::synchronise(const memory_event& event, std::uint8_t ordering, const access_shape& shape) {
  if ((ordering & ordering_block_only) != 0) {
    cut();
    return;
  }
  const std::uint32_t mask = shape.what == access_shape::pattern::one ? 1u << shape.first : event.mask;
  // A reduction returns nothing, so that its thread learns nothing.
  if (event.access == access_kind::load || event.access == access_kind::atomic) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const block_order::vertex there = order_->released_at(event.addresses[std::countr_zero(m)]);
      receive(there, received_, known_);
      receive(there, seen_, seen_before_);
    }
    learn(seen_, seen_before_, block_order::relation::seen);
    if ((ordering & ordering_acquire) != 0) learn(received_, known_, block_order::relation::acquired);
  }
  if (event.access == access_kind::load) return;
  const bool releases = (ordering & ordering_release) != 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    order_->publish(event.addresses[std::countr_zero(m)], releases ? stretch_ : fenced_, stretch_);
  }
  if (releases) start_stretch();
}

}  // namespace emulator::observers
