#include "emulator/observers/race_check.hpp"

#include <algorithm>

namespace emulator::observers {

namespace {

constexpr std::uint32_t max_deferred = 512;

}  // namespace

race_check::race_check(const kernel_facts& facts, bool has_fences, bool shortcuts, thread_order& order,
                       incident_table& found)
    : facts_(facts), order_(order), found_(found), has_fences_(has_fences), shortcuts_(shortcuts) {}

void race_check::begin_block(const block_identity& block, bool restarted) {
  block_ = block;
  const std::size_t words = (block.shared_bytes + 3) / 4;
  const std::size_t cells = words + 2 * padding;
  if (words_.write_stamp.size() < cells) words_.resize(cells);
  if (rows_.size() < cells / 32 + 1) {
    rows_.resize(cells / 32 + 1);
    noted_list_.resize(rows_.size());
    noted_.rows = rows_.data();
    noted_.list = noted_list_.data();
  }
  if (split_at_.size() < words) split_at_.resize(words, 0);
  if (deferred_.empty()) {
    deferred_.resize(max_deferred);
    noted_.deferred = deferred_.data();
    noted_.deferred_room = max_deferred;
  }
  ++block_serial_;
  any_split_ = false;
  if (words_in_flight_ != 0) std::fill(copies_.begin(), copies_.end(), copy_in_flight{});
  words_in_flight_ = 0;
  if (!restarted) return;
  words_.forget();
  bytes_.forget();
  std::fill(rows_.begin(), rows_.end(), row_summary{});
  noted_.count = noted_.since = 0;
  noted_.deferred_count = noted_.deferred_since = 0;
}

race_check::request race_check::request_of(std::uint32_t warp, const memory_event& event) const {
  request r;
  r.event = &event;
  r.pc = event.pc;
  r.warp = warp;
  r.block_floor = order_.block_floor();
  r.warp_floor = order_.warp_floor(warp);
  r.stamps = order_.stamps(warp);
  r.level = level_of(event);
  r.reads = event.access == access_kind::load;
  r.plain_write = event.access == access_kind::store && r.level != access_level::strong;
  return r;
}

void race_check::access_thoroughly(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
  settle_notes();
  const request r = request_of(warp, event);
  if (defer_scattered(r, shape)) return;
  settle_deferred();
  if (words_in_flight_ != 0) [[unlikely]] {
    if (event.ends_copy) return end_copy(r);
    check_copies(r);
  }
  const bool updates = event.access != access_kind::load && !r.plain_write;
  if (updates && words_.atomics.size() < words_.write_stamp.size()) words_.atomics.resize(words_.write_stamp.size());
  if ((r.level == access_level::ordinary || updates) && !any_split_ && event.bytes_per_lane >= 4) {
    access_words(r, shape);
  } else {
    access_by_lane(r);
  }
  if (r.level != access_level::ordinary && has_fences_) synchronise(r);
}

void race_check::begin_copy(std::uint32_t warp, const memory_event& event) {
  settle_notes();
  settle_deferred();
  const request r = request_of(warp, event);
  if (words_in_flight_ != 0) check_copies(r);
  check_lanes(r);
  if (copies_.size() < split_at_.size()) copies_.resize(split_at_.size());
  for (const unsigned l : lanes_in(event.mask)) {
    for (std::uint64_t at = event.addresses[l] / 4; at < (event.addresses[l] + event.bytes_per_lane) / 4; ++at) {
      if (copies_[at].thread == copy_in_flight::nobody) ++words_in_flight_;
      copies_[at] = {warp * warp_size + l, event.pc, r.stamps[l], r.reads};
    }
  }
}

/// The end of a copy is a write like any other. It was checked when the copy began.
void race_check::end_copy(const request& r) {
  if (!r.event->still_in_flight) land_copy(r.warp, *r.event);
  write_lanes(r);
}

void race_check::land_copy(std::uint32_t warp, const memory_event& event) {
  if (words_in_flight_ == 0) return;
  for (const unsigned l : lanes_in(event.mask)) {
    for (std::uint64_t at = event.addresses[l] / 4; at < (event.addresses[l] + event.bytes_per_lane) / 4; ++at) {
      if (copies_[at].thread != warp * warp_size + l || copies_[at].pc != event.pc) continue;
      copies_[at] = {};
      --words_in_flight_;
    }
  }
}

/// Looks for lanes that access words of a copy in flight; reports one word for each lane.
void race_check::check_copies(const request& r) {
  const memory_event& event = *r.event;
  for (const unsigned l : lanes_in(event.mask)) {
    const std::uint64_t last = (event.addresses[l] + event.bytes_per_lane - 1) / 4;
    for (std::uint64_t at = event.addresses[l] / 4; at <= last; ++at) {
      const copy_in_flight& copy = copies_[at];
      if (copy.thread == copy_in_flight::nobody || (copy.reads && r.reads)) continue;
      const incident_kind kind = copy.reads ? incident_kind::write_after_read
                                 : r.reads  ? incident_kind::read_after_write
                                            : incident_kind::write_after_write;
      incident one = incident_at(kind, event.pc, block_, r.warp * warp_size + l);
      one.other_pc = copy.pc;
      one.other_thread = copy.thread;
      one.address = std::max(at * 4, event.addresses[l]);
      one.bytes = std::min<std::uint32_t>(event.bytes_per_lane, 4);
      one.is_in_flight = true;
      one.begins_unordered = !order_.ordered(copy.thread, copy.stamp, one.thread);
      found_.add(one);
      break;
    }
  }
}

/// Chooses the fastest function for an access to whole words.
void race_check::access_words(const request& r, const access_shape& shape) {
  const unsigned bytes = r.event->bytes_per_lane;
  const std::uint32_t stamp = r.stamps[shape.first];
  const bool ordinary = r.level == access_level::ordinary;
  if (!order_.same_stamps(r.warp)) {
    access_scattered(r);
  } else if (ordinary && shape.what == access_shape::pattern::row && bytes == 4) {
    access_row<0>(r, shape.base, stamp);
  } else if (ordinary && shape.what == access_shape::pattern::row && bytes == 8) {
    access_row<1>(r, shape.base, stamp);
  } else if (ordinary && shape.what == access_shape::pattern::row && bytes == 16) {
    access_row<2>(r, shape.base, stamp);
  } else if (shape.what == access_shape::pattern::one && bytes == 4 && !r.plain_write) {
    ordinary ? access_one_word(r, shape.base, stamp) : access_one_atomic(r, shape.base, stamp);
  } else {
    access_scattered(r);
  }
}

/// Calls `visit(shadow, cell, address)` for each cell of the bytes, until one call returns true.
template <typename Visit>
void race_check::visit_cells(std::uint64_t address, unsigned bytes, Visit visit) {
  if (bytes < 4 && split_at_[address / 4] != block_serial_) split(address / 4);
  for (std::uint64_t at = address; at < address + bytes;) {
    if (any_split_ && split_at_[at / 4] == block_serial_) {
      if (visit(bytes_, static_cast<std::size_t>(at), at)) return;
      ++at;
    } else {
      if (visit(words_, static_cast<std::size_t>(at / 4) + padding, at)) return;
      at += 4;
    }
  }
}

/// Handles any access.
void race_check::access_by_lane(const request& r) {
  check_lanes(r);
  if (r.plain_write) {
    write_lanes(r);
    return;
  }
  for (const unsigned l : lanes_in(r.event->mask)) {
    visit_cells(r.event->addresses[l], r.event->bytes_per_lane, [&](shadow& s, std::size_t cell, std::uint64_t) {
      record(r, s, cell, l, false);
      return false;
    });
  }
}

/// Checks each lane for races with accesses before this instruction.
void race_check::check_lanes(const request& r) {
  for (const unsigned l : lanes_in(r.event->mask)) {
    visit_cells(r.event->addresses[l], r.event->bytes_per_lane,
                [&](shadow& s, std::size_t cell, std::uint64_t at) { return check_cell(r, s, cell, l, at); });
  }
}

/// Notes the writes of each lane, and looks for lanes that write the same place.
void race_check::write_lanes(const request& r) {
  ++event_serial_;
  for (const unsigned l : lanes_in(r.event->mask)) {
    bool reported = false;
    visit_cells(r.event->addresses[l], r.event->bytes_per_lane, [&](shadow& s, std::size_t cell, std::uint64_t at) {
      const bool together = s.written_by[cell] == event_serial_;
      if (together && !reported) reported = check_same_instruction(r, s, cell, l, at, &s == &bytes_ ? 1 : 4);
      s.written_by[cell] = event_serial_;
      record(r, s, cell, l, together);
      return false;
    });
  }
}

/// Called if another lane of the same store has written the cell. Reports a race if the values differ.
bool race_check::check_same_instruction(const request& r, const shadow& s, std::size_t cell, unsigned lane,
                                        std::uint64_t address, unsigned bytes) {
  const memory_event& event = *r.event;
  if (event.values == nullptr) return false;
  const access_info other(s.write_info[cell]);
  const unsigned other_lane = other.who() % warp_size;
  const std::uint64_t skip = address - event.addresses[lane];
  const std::uint64_t other_skip = address - event.addresses[other_lane];
  if (skip >= 8 || other_skip >= 8) return false;  // only the first 8 bytes of the values are known
  const std::uint64_t changed = event.values[lane] >> 8 * skip ^ event.values[other_lane] >> 8 * other_skip;
  if ((changed & (bytes == 1 ? 0xffu : 0xffffffffu)) == 0) return false;
  report(r, incident_kind::write_in_same_instruction, lane, address, other.who(), other);
  return true;
}

/// Looks for an earlier access that races with that of `lane`, and reports the first. Returns true if there is one.
bool race_check::check_cell(const request& r, const shadow& s, std::size_t cell, unsigned lane, std::uint64_t address) {
  const incident_kind after_write = r.reads ? incident_kind::read_after_write : incident_kind::write_after_write;
  if (check_write(r, s, cell, lane, address, after_write)) return true;
  if (s.atomics.of[0].newest >= r.block_floor && check_groups(r, s.atomics, cell, lane, address, after_write)) {
    return true;
  }
  return !r.reads && check_groups(r, s.readers, cell, lane, address, incident_kind::write_after_read);
}

bool race_check::check_write(const request& r, const shadow& s, std::size_t cell, unsigned lane, std::uint64_t address,
                             incident_kind kind) {
  const std::uint32_t stamp = s.write_stamp[cell];
  const access_info write(s.write_info[cell]);
  if (!r.late(stamp, write.who() / warp_size) || !levels_conflict(r.level, write.level())) return false;
  const bool several = (write.bits() & access_info::several) != 0;
  for (const unsigned l : lanes_in(several ? s.write_lanes[cell] : 1u << write.who() % warp_size)) {
    const std::uint32_t other = write.who() / warp_size * warp_size + l;
    if (order_.ordered(other, stamp, r.warp * warp_size + lane)) continue;
    report(r, kind, lane, address, other, write);
    return true;
  }
  return false;
}

bool race_check::check_groups(const request& r, const shadow_groups& g, std::size_t cell, unsigned lane,
                              std::uint64_t address, incident_kind kind) {
  for (const shadow_groups::group& group : g.of) {
    const std::uint32_t stamp = group.stamp[cell];
    const access_info info(group.info[cell]);
    if (!r.late(stamp, info.who()) || !levels_conflict(r.level, info.level())) continue;
    for (const unsigned l : lanes_in(group.lanes[cell])) {
      const std::uint32_t other = info.who() * warp_size + l;
      if (order_.ordered(other, stamp, r.warp * warp_size + lane)) continue;
      report(r, kind, lane, address, other, info);
      return true;
    }
  }
  return false;
}

void race_check::record(const request& r, shadow& s, std::size_t cell, unsigned lane, bool together) {
  const std::uint32_t stamp = r.stamps[lane];
  row_summary of_bytes;
  row_summary& row = &s == &words_ ? rows_[cell / 32] : of_bytes;
  if (r.plain_write) {
    s.write(cell, stamp, access_info(r.event->pc, r.level, r.warp * warp_size + lane), together);
    row.write = std::max(row.write, stamp);
  } else {
    if (r.reads) row.read = std::max(row.read, stamp);
    add_to_groups(r, r.reads ? s.readers : s.atomics, cell, stamp, 1u << lane);
  }
}

void race_check::add_to_groups(const request& r, shadow_groups& g, std::size_t cell, std::uint32_t stamp,
                               std::uint32_t lanes) {
  const access_info info(r.pc, r.level, r.warp);
  g.of[0].newest = std::max(g.of[0].newest, stamp);
  for (shadow_groups::group& group : g.of) {
    if (group.stamp[cell] != stamp || group.info[cell] != info.bits()) continue;
    group.lanes[cell] |= lanes;
    return;
  }
  for (unsigned k = 0; k < 2; ++k) {
    // A group may be replaced if everything that races with it also races with the new one.
    const std::uint32_t old_stamp = g.of[k].stamp[cell];
    const access_info old(g.of[k].info[cell]);
    const bool same_warp = old.who() == r.warp && info.level() <= old.level();
    const bool past = old_stamp < r.block_floor;
    if (!past && !(same_warp && (old_stamp < r.warp_floor || (g.of[k].lanes[cell] & ~lanes) == 0))) continue;
    g.set(k, cell, stamp, info, lanes);
    if (k == 1) g.of[1].newest = std::max(g.of[1].newest, stamp);
    return;
  }
  // Both groups may still race. Groups with the same warp and stamp are merged, which loses one program counter.
  const auto alike = [&](unsigned k, std::uint32_t other_stamp, access_info other) {
    const access_info old(g.of[k].info[cell]);
    return g.of[k].stamp[cell] == other_stamp && old.who() == other.who() && old.level() == other.level();
  };
  const access_info first(g.of[0].info[cell]);
  const access_info second(g.of[1].info[cell]);
  if (alike(1, stamp, info)) {
    g.of[1].lanes[cell] |= lanes;
  } else if (alike(0, stamp, info)) {
    g.of[0].lanes[cell] |= lanes;
  } else if (first.who() == second.who()) {  // a second warp matters more than a second group of the same warp
    if (alike(0, g.of[1].stamp[cell], second)) g.of[0].lanes[cell] |= g.of[1].lanes[cell];
    g.set(1, cell, stamp, info, lanes);
    g.of[1].newest = std::max(g.of[1].newest, stamp);
  }
}

/// From now on until the end of the block, the word has a separate shadow for each of its bytes.
void race_check::split(std::size_t word) {
  if (bytes_.write_stamp.size() < split_at_.size() * 4) {
    bytes_.resize(split_at_.size() * 4);
    bytes_.atomics.resize(split_at_.size() * 4);
  }
  for (std::size_t to = word * 4; to < word * 4 + 4; ++to) bytes_.copy(to, words_, word + padding);
  split_at_[word] = block_serial_;
  any_split_ = true;
}

/// Applies the order that a flag in shared memory establishes together with fences.
void race_check::synchronise(const request& r) {
  const memory_event& event = *r.event;
  const std::uint8_t ordering = facts_.instructions[event.pc].ordering;
  const bool acquire = (ordering & ordering_acquire) != 0, release = (ordering & ordering_release) != 0;
  for (const unsigned l : lanes_in(event.mask)) {
    const std::uint32_t thread = r.warp * warp_size + l;
    auto location = static_cast<std::uint32_t>(event.addresses[l] / 4);
    if (event.phases != nullptr) {
      // The two words of an `mbarrier` represent its even and its odd phases, because a thread that waits for one phase
      // must not learn what was done for the next.
      if ((event.phases->still_waits >> l & 1u) != 0) continue;
      const std::uint32_t odd = event.phases->odd >> l & 1u;
      if ((event.phases->completes >> l & 1u) != 0) {
        order_.pass_on(thread, location + odd, release);
        order_.carry_over(location + odd, location + (odd ^ 1u));
        continue;
      }
      location += odd;
    }
    if (event.access != access_kind::store) order_.receive(thread, location, acquire);
    if (event.access != access_kind::load) order_.pass_on(thread, location, release);
  }
}

void race_check::report(const request& r, incident_kind kind, unsigned lane, std::uint64_t address,
                        std::uint32_t other_thread, access_info other) {
  // Cooperative groups pass values on in the reserved bytes, and order these accesses only by shuffles, which do not
  // order memory according to the manual. These races are not the program's.
  if (address < facts_.reserved_shared_bytes) return;
  incident one = incident_at(kind, r.event->pc, block_, r.warp * warp_size + lane);
  one.other_pc = other.pc();
  one.other_thread = other_thread;
  one.address = address;
  one.bytes = std::min<std::uint32_t>(r.event->bytes_per_lane, 4);
  one.is_atomic = r.level == access_level::strong || other.level() == access_level::strong;
  one.is_volatile = !one.is_atomic && (r.level == access_level::volatile_ || other.level() == access_level::volatile_);
  found_.add(one);
}

}  // namespace emulator::observers
