#include "emulator/simt/other_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/simt/access_request.hpp"
#include "emulator/simt/interpreter.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;

namespace {

/// Texts that are stored for comparison.
constexpr std::size_t max_texts = 1u << 16;

/// Number of rounds in which the other lanes of the block run before the lanes that are held back continue, because the
/// others may be waiting for them.
constexpr std::uint32_t rounds_held_back = 8;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// Returns the k-th of the numbers from 0 to `count` - 1 if those in `first` come first. \param fall  the rest is in
/// descending order
template <typename T>
T nth(T k, T count, const std::vector<T>& first, bool fall) {
  T in_front = 0;
  for (const T one : first) {
    if (one >= count) continue;
    if (in_front++ == k) return one;
  }
  k -= in_front;
  if (fall) k = count - in_front - 1 - k;
  std::vector<T> rest = first;
  std::sort(rest.begin(), rest.end());
  for (const T one : rest) {
    if (one <= k) ++k;
  }
  return k;
}

}  // namespace

std::uint64_t other_order::block_at(std::uint64_t k, std::uint64_t count) const {
  // A block may wait for one with a lower number. If there isn't room for all blocks, those have to start first.
  const std::uint64_t begin = window_ == 0 ? 0 : k / window_ * window_;
  const std::uint64_t size = window_ == 0 ? count : std::min(window_, count - begin);
  std::vector<std::uint64_t> first;
  for (const std::uint64_t one : choices_.blocks_first) {
    if (one >= begin && one < begin + size) first.push_back(one - begin);
  }
  return begin + nth<std::uint64_t>(k - begin, size, first, choices_.blocks_fall);
}

std::uint32_t other_order::warp_at(std::uint32_t k, std::uint32_t count) const {
  return nth<std::uint32_t>(k, count, choices_.warps_first, choices_.warps_fall);
}

bool other_order::parts_lanes() const {
  return std::any_of(choices_.holds.begin(), choices_.holds.end(),
                     [](const held_back& hold) { return hold.lanes != all_lanes; });
}

std::uint32_t other_order::held_at(const block& b, const warp& w, std::uint32_t pc, std::uint32_t mask, bool& of_grid) {
  for (std::size_t k = 0; k < choices_.holds.size(); ++k) {
    const held_back& hold = choices_.holds[k];
    if (hold.pc != pc || (mask & hold.lanes) == 0) continue;
    const std::uint64_t unit = b.identity.linear * b.launch->warp_count + w.index;
    if (unit % hold.every != hold.rest) continue;
    if (!hold.each_time && times_[unit << 8 | k]++ != 0) continue;
    of_grid = hold.of_grid;
    return mask & hold.lanes;
  }
  return 0;
}

void other_order::before_write(const block& b, const warp& w, std::uint32_t pc, const std::uint64_t* addresses,
                               std::uint32_t mask, std::uint32_t bytes, memory::allocation* in) {
  for (std::uint32_t m = mask; m != 0;) {
    // In the order of execution: if several lanes write to one place, the last one is the writer.
    const auto l = static_cast<unsigned>(lanes_fall() ? std::bit_width(m) - 1 : std::countr_zero(m));
    m &= ~(1u << l);
    memory::allocation* of = in != nullptr ? in : b.launch->space->memory.find(addresses[l]);
    if (of != nullptr) saved_.before_write(*of, addresses[l], bytes);
    if (watched_ < addresses[l] || watched_ >= addresses[l] + bytes) continue;
    writer_ = {pc, b.identity.linear, w.index * warp_size + l, bytes};
  }
}

void other_order::learned(const block& b, const warp& w, std::uint32_t pc, unsigned lane, std::uint64_t value) {
  const std::uint64_t thread = b.identity.linear * b.launch->thread_count + w.index * warp_size + lane;
  const std::uint64_t who = mix(thread << 24 ^ pc);
  // A lane that polls learns the same value again and again; the number of times doesn't matter.
  const auto [last, fresh] = last_learned_.try_emplace(who, value);
  if (!fresh && last->second == value) return;
  last->second = value;
  told_ += mix(who ^ mix(value + 0x9e3779b97f4a7c15u));
}

bool other_order::printed(const std::string& text) {
  if (texts_.size() < max_texts) texts_.insert(text);
  return shows_;
}

/// Runs a block as `run` does, except for the order of its warps and the lanes that are held back.
template <bool Watched>
[[gnu::noinline, gnu::cold]] turn interpreter<Watched>::run_in_order(block& b, std::uint64_t slice,
                                                                     bool until_deadlock) {
  const other_order& order = *b.launch->order;
  const std::uint64_t end = b.executed + slice;
  const auto warps = static_cast<std::uint32_t>(b.warps.size());
  const auto any = [&b](path_state state) {
    return std::any_of(b.warps.begin(), b.warps.end(), [=](const warp& w) {
      return std::any_of(w.paths.begin(), w.paths.end(), [=](const path& s) { return s.state == state; });
    });
  };
  const auto let_go = [&b](path_state state) {
    for (warp& w : b.warps) {
      for (path& s : w.paths) {
        if (s.state == state) s.state = path_state::ready;
      }
    }
  };
  let_go(path_state::held_for_grid);  // other blocks have had their turn
  for (std::uint32_t rounds = 0; b.live_threads != 0;) {
    bool progress = false;
    for (std::uint32_t k = 0; k < warps && b.live_threads != 0; ++k) {
      warp& w = b.warps[order.warp_at(k, warps)];
      if (w.live == 0) continue;
      // With a slice of 0, only this warp runs.
      const std::uint64_t before = b.executed;
      b.next_warp = w.index;
      static_cast<void>(run_in_turns(b, 0, false));
      progress |= b.executed != before;
      if (b.fault.kind != fault_kind::none) return turn::faulted;
      if (b.executed >= end && b.live_threads != 0) return turn::more;
    }
    if (b.live_threads == 0) break;
    const bool enough = !progress || ++rounds >= rounds_held_back;
    if (any(path_state::held)) {
      if (!enough) continue;
      let_go(path_state::held);
      rounds = 0;
      continue;
    }
    if (any(path_state::held_for_grid)) {
      if (enough) return turn::more;
      continue;
    }
    if (!progress && !resolve_deadlock(b)) return turn::faulted;
    if (until_deadlock && watches_changes_ && makes_no_progress(b)) return turn::stalled;
  }
  return turn::finished;
}

EMULATOR_OF_BOTH(turn, run_in_order(block&, std::uint64_t, bool));

namespace {

/// Returns true if the order of such atomics matters even if their results are not used.
bool order_matters(const op& o) {
  if (o.half != half_kind::none || (o.flags & flag_float) != 0) return true;
  switch (static_cast<atomic_operation>(o.sub)) {
    case atomic_operation::inc:
    case atomic_operation::dec:
    case atomic_operation::exchange:
    case atomic_operation::compare_and_swap:
      return true;
    default:
      return false;
  }
}

std::uint64_t first_bytes(const std::byte* from, std::uint32_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, std::min<std::uint32_t>(bytes, sizeof value));
  return value;
}

}  // namespace

[[gnu::noinline, gnu::cold]] void memory_unit::tell_order_before(block& b, const warp& w, const op& o,
                                                                 const request& r) {
  const bool writes = r.kind != access_kind::load;
  if (writes && r.space == ptx::state_space::global)
    order_->before_write(b, w, r.pc, r.address.of, r.mask, r.bytes, r.allocation);
  if (r.space == ptx::state_space::local || r.space == ptx::state_space::param) return;
  const bool strong = (o.flags & flag_strong) != 0;
  const bool told = r.kind == access_kind::reduction ? order_matters(o) : r.kind != access_kind::atomic && strong;
  if (!told || o.kind == op_kind::barrier_object) return;
  std::byte there[warp_size][32];
  copy_out(b, w, r, there);
  const std::uint64_t salt = writes && order_->lanes_fall() ? std::uint64_t{1} << 63 : 0;
  for (const unsigned l : lanes_in(r.mask)) order_->learned(b, w, r.pc, l, first_bytes(there[l], r.bytes) ^ salt);
}

/// Records the value that an atomic returned; for a vector, its first element.
[[gnu::noinline, gnu::cold]] void memory_unit::tell_order_after(block& b, warp& w, const op& o, const request& r) {
  if (r.kind != access_kind::atomic) return;
  const slot from = o.element_count == 1 ? o.dst : w.vector_registers[o.target + o.element_count];
  if (from == no_slot) return;
  for (const unsigned l : lanes_in(r.mask)) {
    order_->learned(b, w, r.pc, l, first_bytes(w.file + from + std::size_t{l} * o.element_bytes, o.element_bytes));
  }
}

/// Called after the access at `pc`. Returns false if lanes of the path wait now.
[[gnu::noinline, gnu::cold]] bool memory_unit::go_on_behind(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (o.space == ptx::state_space::param || o.space == ptx::state_space::local) return true;  // private to the thread
  order_->accessed(pc);
  bool of_grid = false;
  const std::uint32_t lanes = order_->held_at(b, w, pc, w.mask, of_grid);
  if (lanes == 0) return true;
  path& s = w.paths[w.current];
  s.pc = pc + 1;
  const path_state waits = of_grid ? path_state::held_for_grid : path_state::held;
  if (lanes == s.mask) {
    s.state = waits;
    return false;
  }
  path behind = s;
  behind.mask = lanes;
  behind.state = waits;
  // The program didn't separate these lanes, so they need not arrive at the block's next barrier together.
  w.let_go |= s.mask;
  s.mask &= ~lanes;
  w.paths.push_back(behind);
  return false;
}

}  // namespace emulator::simt
