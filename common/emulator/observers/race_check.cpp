#include "emulator/observers/race_check.hpp"

#include <algorithm>
#include <bit>

namespace emulator::observers {
namespace {

constexpr unsigned warp_size = 32;
/// Cells in front of and behind the words, so that the lanes of a row of words may reach beyond where they are
/// inactive.
constexpr std::size_t padding = warp_size;

// A cell's entry: stamp (32 bits), program counter (20), level (2), and a thread of the block or a warp (10).
constexpr std::uint64_t most_pc = (1u << 20) - 1;
constexpr std::uint64_t who_mask = (1u << 10) - 1;

std::uint64_t make_entry(std::uint64_t stamp, std::uint32_t pc, std::uint32_t level, std::uint32_t who) {
  return stamp << 32 | std::min<std::uint64_t>(pc, most_pc) << 12 | std::uint64_t{level} << 10 | who;
}
std::uint64_t stamp_of(std::uint64_t entry) {
  return entry >> 32;
}
std::uint32_t pc_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> 12 & most_pc);
}
std::uint32_t who_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry & who_mask);
}
std::uint32_t level_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> 10 & 3);
}

/// Says whether accesses of these levels may race at all.
bool levels_conflict(std::uint32_t a, std::uint32_t b) {
  return a == 0 || b == 0 || (a == 1 && b == 1);
}

}  // namespace

void race_check::groups::resize(std::size_t cells) {
  for (unsigned k = 0; k < 2; ++k) {
    key[k].resize(cells);
    lanes[k].resize(cells);
  }
}

void race_check::groups::copy(std::size_t from, const groups& source, std::size_t to) {
  for (unsigned k = 0; k < 2; ++k) {
    key[k][to] = source.key[k][from];
    lanes[k][to] = source.lanes[k][from];
  }
}

void race_check::cells::resize(std::size_t count) {
  write.resize(count);
  readers.resize(count);
  written_by_event.resize(count);
}

race_check::race_check(const kernel_facts& facts, bool has_fences, thread_order& order, incident_table& found)
    : facts_(facts), order_(order), found_(found), has_fences_(has_fences) {}

void race_check::begin_block(const block_identity& block, bool restarted) {
  block_ = block;
  const std::size_t words = (block.shared_bytes + 3) / 4;
  if (words_.write.size() < words + 2 * padding) words_.resize(words + 2 * padding);
  if (split_at_.size() < words) split_at_.resize(words, 0);
  ++block_serial_;
  any_split_ = false;
  if (!restarted) return;
  last_atomic_stamp_ = 0;
  const auto clear = [](std::vector<std::uint64_t>& entries) { std::fill(entries.begin(), entries.end(), 0); };
  for (cells* const c : {&words_, &bytes_}) {
    clear(c->write);
    for (groups* const g : {&c->readers, &c->atomics}) {
      for (auto& key : g->key) clear(key);
    }
  }
}

void race_check::access(std::uint32_t warp, const memory_event& event) {
  request r;
  r.event = &event;
  r.warp = warp;
  r.block_floor = order_.block_floor();
  r.warp_floor = order_.warp_floor(warp);
  r.stamps = order_.stamps(warp);
  const bool atomic = event.access == access_kind::atomic || event.access == access_kind::reduction;
  r.how = atomic || (event.is_strong && !event.is_volatile) ? strong : event.is_volatile ? is_volatile : ordinary;
  r.reads = event.access == access_kind::load;
  r.plain_write = event.access == access_kind::store && r.how != strong;
  const bool simple =
      r.how == ordinary && event.bytes_per_lane == 4 && !any_split_ && last_atomic_stamp_ < r.block_floor;
  if (simple && (access_row(r) || (r.reads && access_one_word(r)))) return;
  access_by_lane(r);
  if (r.how != ordinary && has_fences_) synchronise(r);
}

/// Handles lanes that access neighbouring words in their order. Returns false where they do not.
bool race_check::access_row(const request& r) {
  const std::uint64_t* const address = r.event->addresses;
  const std::uint32_t mask = r.event->mask;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t base = address[first] - 4 * first;
  alignas(64) std::uint64_t active[warp_size];
  std::uint64_t differs = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    active[l] = 0 - static_cast<std::uint64_t>(mask >> l & 1u);
    differs |= active[l] & (address[l] ^ (base + 4 * l));
  }
  if (differs != 0) return false;

  const auto cell = static_cast<std::size_t>((static_cast<std::int64_t>(base) >> 2) + std::int64_t{padding});
  std::uint64_t* const write = &words_.write[cell];
  const std::uint64_t own = std::uint64_t{r.warp} * warp_size;
  const std::uint64_t warp = r.warp;
  // Stamps are below 2^32, so that their differences tell the order by the sign.
  std::uint64_t suspicious = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const std::uint64_t stamp = write[l] >> 32;
    const std::uint64_t who = write[l] & who_mask;
    const bool synchronised = stamp < (who / warp_size == warp ? r.warp_floor : r.block_floor);
    suspicious |= active[l] & (synchronised || who == own + l ? 0 : 1);
  }
  if (!r.reads) {
    for (unsigned k = 0; k < 2; ++k) {
      const std::uint64_t* const key = &words_.readers.key[k][cell];
      const std::uint32_t* const lanes = &words_.readers.lanes[k][cell];
      for (unsigned l = 0; l < warp_size; ++l) {
        const std::uint64_t stamp = key[l] >> 32;
        const bool same = (key[l] & who_mask) == warp;
        const bool synchronised = stamp < (same ? r.warp_floor : r.block_floor);
        suspicious |= active[l] & (synchronised || (same && lanes[l] == 1u << l) ? 0 : 1);
      }
    }
  }
  if (suspicious != 0) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(m));
      check_cell(r, words_, cell + l, l, address[l]);
    }
  }

  const std::uint64_t entry = make_entry(0, r.event->pc, ordinary, 0);
  if (!r.reads) {
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t made = std::uint64_t{r.stamps[l]} << 32 | entry | (own + l);
      write[l] = (made & active[l]) | (write[l] & ~active[l]);
    }
    return true;
  }
  std::uint64_t* const key = &words_.readers.key[0][cell];
  std::uint32_t* const lanes = &words_.readers.lanes[0][cell];
  std::uint64_t crowded = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const std::uint64_t stamp = key[l] >> 32;
    const bool same = (key[l] & who_mask) == warp;
    const bool gone = stamp < (same ? r.warp_floor : r.block_floor);
    crowded |= active[l] & (gone || (same && lanes[l] == 1u << l) ? 0 : 1);
  }
  if (crowded == 0) {
    for (unsigned l = 0; l < warp_size; ++l) {
      const std::uint64_t made = std::uint64_t{r.stamps[l]} << 32 | entry | warp;
      key[l] = (made & active[l]) | (key[l] & ~active[l]);
      lanes[l] = active[l] != 0 ? 1u << l : lanes[l];
    }
  } else {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(m));
      record(r, words_, cell + l, l);
    }
  }
  return true;
}

/// Handles lanes that all read the same word. Returns false where they do not.
bool race_check::access_one_word(const request& r) {
  const std::uint64_t* const address = r.event->addresses;
  const std::uint32_t mask = r.event->mask;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  std::uint64_t differs = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const std::uint64_t active = 0 - static_cast<std::uint64_t>(mask >> l & 1u);
    differs |= active & ((address[l] ^ address[first]) | (r.stamps[l] ^ r.stamps[first]));
  }
  if (differs != 0) return false;
  const std::size_t cell = address[first] / 4 + padding;
  const std::uint64_t write = words_.write[cell];
  if (stamp_of(write) >= (who_of(write) / warp_size == r.warp ? r.warp_floor : r.block_floor)) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      check_cell(r, words_, cell, static_cast<unsigned>(std::countr_zero(m)), address[first]);
    }
  }
  add_to_group(r, words_.readers, cell, make_entry(r.stamps[first], r.event->pc, ordinary, r.warp), mask);
  return true;
}

/// Calls `visit(cells, index, address)` for each cell of the shadow that the bytes lie in, until one returns true.
template <typename Visit>
void race_check::visit_cells(std::uint64_t address, unsigned bytes, Visit visit) {
  if (bytes < 4 && split_at_[address / 4] != block_serial_) split(address / 4);
  for (std::uint64_t at = address; at < address + bytes;) {
    if (split_at_[at / 4] == block_serial_) {
      if (visit(bytes_, static_cast<std::size_t>(at), at)) return;
      ++at;
    } else {
      if (visit(words_, static_cast<std::size_t>(at / 4) + padding, at)) return;
      at += 4;
    }
  }
}

void race_check::access_by_lane(const request& r) {
  const memory_event& event = *r.event;
  const unsigned bytes = event.bytes_per_lane;
  if (r.how == strong && !r.reads && words_.atomics.key[0].size() < words_.write.size()) {
    words_.atomics.resize(words_.write.size());
  }
  for (std::uint32_t m = event.mask; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    visit_cells(event.addresses[l], bytes,
                [&](cells& c, std::size_t cell, std::uint64_t at) { return check_cell(r, c, cell, l, at); });
    if (r.plain_write) continue;  // what the lanes write together is looked at below
    visit_cells(event.addresses[l], bytes, [&](cells& c, std::size_t cell, std::uint64_t) {
      record(r, c, cell, l);
      return false;
    });
  }
  if (!r.plain_write) return;
  ++event_serial_;
  for (std::uint32_t m = event.mask; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    bool reported = false;
    visit_cells(event.addresses[l], bytes, [&](cells& c, std::size_t cell, std::uint64_t at) {
      if (!reported && c.written_by_event[cell] == event_serial_) {
        reported = check_same_instruction(r, c, cell, l, at, &c == &bytes_ ? 1 : 4);
      }
      c.written_by_event[cell] = event_serial_;
      record(r, c, cell, l);
      return false;
    });
  }
}

/// Another lane of the same store has written the cell before: a race where the values differ.
bool race_check::check_same_instruction(const request& r, const cells& c, std::size_t cell, unsigned lane,
                                        std::uint64_t address, unsigned bytes) {
  const memory_event& event = *r.event;
  if (event.values == nullptr) return false;
  const std::uint32_t other = who_of(c.write[cell]);
  const std::uint64_t skip = address - event.addresses[lane];
  const std::uint64_t other_skip = address - event.addresses[other % warp_size];
  if (skip >= 8 || other_skip >= 8) return false;  // beyond the part of the values that is known
  const std::uint64_t changed = event.values[lane] >> 8 * skip ^ event.values[other % warp_size] >> 8 * other_skip;
  if ((changed & (bytes == 1 ? 0xffu : 0xffffffffu)) == 0) return false;
  report(r, incident_kind::write_in_same_instruction, lane, address, other, event.pc, r.how);
  return true;
}

/// Looks for an earlier access that races with that of `lane`; reports the first. Returns true where there is one.
bool race_check::check_cell(const request& r, const cells& c, std::size_t cell, unsigned lane, std::uint64_t address) {
  const std::uint32_t thread = r.warp * warp_size + lane;
  const incident_kind after_write = r.reads ? incident_kind::read_after_write : incident_kind::write_after_write;
  const std::uint64_t write = c.write[cell];
  if (stamp_of(write) >= r.block_floor && levels_conflict(r.how, level_of(write)) &&
      !order_.ordered(who_of(write), static_cast<std::uint32_t>(stamp_of(write)), thread)) {
    report(r, after_write, lane, address, who_of(write), pc_of(write), static_cast<level>(level_of(write)));
    return true;
  }
  if (last_atomic_stamp_ >= r.block_floor && cell < c.atomics.key[0].size() &&
      check_group(r, c.atomics, cell, lane, address, after_write)) {
    return true;
  }
  return !r.reads && check_group(r, c.readers, cell, lane, address, incident_kind::write_after_read);
}

bool race_check::check_group(const request& r, const groups& g, std::size_t cell, unsigned lane, std::uint64_t address,
                             incident_kind kind) {
  for (unsigned k = 0; k < 2; ++k) {
    const std::uint64_t key = g.key[k][cell];
    if (stamp_of(key) < r.block_floor || !levels_conflict(r.how, level_of(key))) continue;
    for (std::uint32_t m = g.lanes[k][cell]; m != 0; m &= m - 1) {
      const std::uint32_t other = who_of(key) * warp_size + static_cast<std::uint32_t>(std::countr_zero(m));
      if (order_.ordered(other, static_cast<std::uint32_t>(stamp_of(key)), r.warp * warp_size + lane)) continue;
      report(r, kind, lane, address, other, pc_of(key), static_cast<level>(level_of(key)));
      return true;
    }
  }
  return false;
}

void race_check::record(const request& r, cells& c, std::size_t cell, unsigned lane) {
  const std::uint32_t stamp = r.stamps[lane];
  if (r.plain_write) {
    c.write[cell] = make_entry(stamp, r.event->pc, r.how, r.warp * warp_size + lane);
    return;
  }
  const std::uint64_t key = make_entry(stamp, r.event->pc, r.how, r.warp);
  if (!r.reads) last_atomic_stamp_ = std::max(last_atomic_stamp_, stamp);
  add_to_group(r, r.reads ? c.readers : c.atomics, cell, key, 1u << lane);
}

/// Says whether whatever races with the old threads also races with the new ones, which `new_key` stands for.
bool race_check::replaceable(const request& r, std::uint64_t key, std::uint32_t old_lanes, std::uint32_t lanes,
                             std::uint64_t new_key) const {
  if (stamp_of(key) < r.block_floor) return true;
  if (level_of(new_key) > level_of(key) || who_of(key) != r.warp) return false;
  return stamp_of(key) < r.warp_floor || (old_lanes & ~lanes) == 0;
}

void race_check::add_to_group(const request& r, groups& g, std::size_t cell, std::uint64_t key, std::uint32_t lanes) {
  for (unsigned k = 0; k < 2; ++k) {
    if (g.key[k][cell] == key) {
      g.lanes[k][cell] |= lanes;
      return;
    }
  }
  for (unsigned k = 0; k < 2; ++k) {
    if (replaceable(r, g.key[k][cell], g.lanes[k][cell], lanes, key)) {
      g.key[k][cell] = key;
      g.lanes[k][cell] = lanes;
      return;
    }
  }
  // Two groups that may still race. Of one warp and stamp they become one, at the price of one program counter.
  const std::uint64_t first = g.key[0][cell];
  const std::uint64_t second = g.key[1][cell];
  const auto alike = [](std::uint64_t a, std::uint64_t b) {
    return stamp_of(a) == stamp_of(b) && who_of(a) == who_of(b) && level_of(a) == level_of(b);
  };
  if (alike(key, second)) {
    g.lanes[1][cell] |= lanes;
  } else if (alike(key, first)) {
    g.lanes[0][cell] |= lanes;
  } else if (who_of(first) == who_of(second)) {  // a second warp matters more than a second group of the same
    if (alike(first, second)) g.lanes[0][cell] |= g.lanes[1][cell];
    g.key[1][cell] = key;
    g.lanes[1][cell] = lanes;
  }
}

void race_check::split(std::size_t word) {
  if (bytes_.write.size() < split_at_.size() * 4) bytes_.resize(split_at_.size() * 4);
  if (bytes_.atomics.key[0].size() < bytes_.write.size()) bytes_.atomics.resize(bytes_.write.size());
  const std::size_t from = word + padding;
  for (std::size_t to = word * 4; to < word * 4 + 4; ++to) {
    bytes_.write[to] = words_.write[from];
    bytes_.readers.copy(from, words_.readers, to);
    if (from < words_.atomics.key[0].size()) bytes_.atomics.copy(from, words_.atomics, to);
  }
  split_at_[word] = block_serial_;
  any_split_ = true;
}

/// A flag in shared memory orders what stands before and behind fences.
void race_check::synchronise(const request& r) {
  const memory_event& event = *r.event;
  const std::string& mnemonic = facts_.instructions[event.pc].mnemonic;
  const bool both = mnemonic.find(".acq_rel") != std::string::npos;
  const bool acquire = both || mnemonic.find(".acquire") != std::string::npos;
  const bool release = both || mnemonic.find(".release") != std::string::npos;
  for (std::uint32_t m = event.mask; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const std::uint32_t thread = r.warp * warp_size + l;
    const auto location = static_cast<std::uint32_t>(event.addresses[l] / 4);
    if (event.access != access_kind::store) order_.receive(thread, location, acquire);
    if (event.access != access_kind::load) order_.pass_on(thread, location, release);
  }
}

void race_check::report(const request& r, incident_kind kind, unsigned lane, std::uint64_t address,
                        std::uint32_t other_thread, std::uint32_t other_pc, level other_level) {
  incident one;
  one.kind = kind;
  one.pc = r.event->pc;
  one.other_pc = other_pc;
  one.block = block_;
  one.thread = r.warp * warp_size + lane;
  one.other_thread = other_thread;
  one.address = address;
  one.bytes = std::min<std::uint32_t>(r.event->bytes_per_lane, 4);
  one.is_atomic = r.how == strong || other_level == strong;
  one.is_volatile = !one.is_atomic && (r.how == is_volatile || other_level == is_volatile);
  found_.add(one);
}

}  // namespace emulator::observers
