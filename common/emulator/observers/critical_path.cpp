#include "emulator/observers/critical_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace emulator::observers {
namespace {

constexpr std::uint64_t line_bytes = 128, sector_bytes = 32;

/// How many lines of global memory the lanes of an access touch: the cache looks up one per cycle.
std::uint64_t lines_of(const memory_event& event) {
  std::array<std::uint64_t, warp_size> lines;
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    if ((event.mask >> lane & 1u) == 0) continue;
    const std::uint64_t line = event.addresses[lane] / line_bytes;
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(lines.begin(), end, line) == end) lines[count++] = line;
  }
  return count;
}

}  // namespace

critical_path::critical_path(const kernel_facts& facts, const path_latencies& latencies)
    : facts_(facts), latencies_(latencies) {}

void critical_path::begin_block(std::uint32_t warps, bool counts) {
  counts_ = counts;
  warps_.resize(warps);
  for (running& w : warps_) {
    w.floor = w.last = {};
    w.ready.assign(facts_.register_count, moment{});
  }
  phase_ = {};
  std::fill(std::begin(issued_), std::end(issued_), 0.0);
  sectors_.clear();
  fetched_ = 0;
}

double critical_path::latency_of(const instruction_facts& i) const {
  if ((i.classes & (class_shuffle | class_vote)) != 0) return latencies_.shuffle;
  if ((i.classes & class_warp_reduce) != 0) return latencies_.warp_reduce;
  if ((i.classes & class_divide) != 0) return latencies_.divide;
  return latencies_.arithmetic;
}

void critical_path::set_results(running& w, std::uint32_t pc, const moment& m) {
  for (std::uint32_t k = facts_.uses_begin[pc]; k < facts_.uses_begin[pc + 1]; ++k)
    if (const register_use use = facts_.register_uses[k]; use.written) w.ready[use.number] = m;
}

void critical_path::instruction(std::uint32_t pc, std::uint32_t mask) {
  const instruction_facts& i = facts_.instructions[pc];
  running& w = warps_[warp_];
  // What is no instruction on the hardware hands on when its sources are ready, and takes no time.
  const bool free = (i.classes & (class_copy | class_parameter)) != 0;
  moment begin = free ? moment{} : w.floor;
  for (std::uint32_t k = facts_.uses_begin[pc]; k < facts_.uses_begin[pc + 1]; ++k)
    if (const register_use use = facts_.register_uses[k]; !use.written) wait_for(begin, w.ready[use.number]);
  total_.executed += counts_ ? 1 : 0;
  if (free) return set_results(w, pc, begin);
  issued_[warp_ % schedulers] += (i.classes & class_divide) != 0 ? latencies_.divide_issue : latencies_.issue;
  total_.issued += counts_ ? 1 : 0;
  if (mask == 0) return;
  w.begun = begin;
  wait_for(w.last, begin);
  moment done = begin;
  done.cycles += latency_of(i);
  set_results(w, pc, done);
  constexpr std::uint32_t ends_stretch =
      class_loop_branch | class_barrier | class_warp_barrier | class_atomic | class_reduction | class_fence;
  if ((i.classes & ends_stretch) != 0 || i.ordering != ordering_none) w.floor = w.last;
}

/// Says where a sector is when the block reads it. The multiprocessor's cache keeps what was read last: as much per
/// warp as there is when all its warps are there. Memory gives two sectors at a time, the second of which waits in L2.
critical_path::place critical_path::place_of(std::uint64_t sector) {
  const auto [at, is_new] = sectors_.try_emplace(sector, 0);
  const double kept = latencies_.first_cache_bytes_per_warp * static_cast<double>(warps_.size()) / sector_bytes;
  const bool near = !is_new && static_cast<double>(fetched_ - at->second) <= kept;
  if (!near) ++fetched_;
  at->second = fetched_;
  if (is_new) return sectors_.contains(sector ^ 1) ? place::second_cache : place::memory;
  if (counts_) ++(near ? total_.sectors_near : total_.sectors_again);
  return near ? place::first_cache : place::second_cache;
}

/// Where the furthest sector is that a read of global memory waits for.
critical_path::place critical_path::furthest_of(const memory_event& event) {
  place furthest = place::first_cache;
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    if ((event.mask >> lane & 1u) == 0) continue;
    for (std::uint64_t s = event.addresses[lane] / sector_bytes;
         s <= (event.addresses[lane] + event.bytes_per_lane - 1) / sector_bytes; ++s) {
      if (s == last) continue;  // of the same request
      last = s;
      furthest = std::max(furthest, place_of(s));
    }
  }
  return furthest;
}

void critical_path::memory(const memory_event& event, unsigned passes) {
  running& w = warps_[warp_];
  issued_[warp_ % schedulers] += passes;
  if (event.space == ptx::state_space::global && counts_) total_.lines += lines_of(event);
  if (event.access == access_kind::store || event.access == access_kind::reduction) return;
  moment done = w.begun;
  if (event.space == ptx::state_space::shared) {
    done.cycles += latencies_.shared + passes * latencies_.shared_pass;
  } else {
    const bool reads_global = event.space == ptx::state_space::global && event.access != access_kind::atomic;
    const place from = reads_global                          ? furthest_of(event)
                       : event.access == access_kind::atomic ? place::memory
                                                             : place::first_cache;
    if (from == place::memory) done.waits += 1;
    if (from == place::second_cache) done.cycles += latencies_.second_cache;
    if (from == place::first_cache) done.cycles += latencies_.first_cache;
  }
  set_results(w, event.pc, done);
}

critical_path::moment critical_path::end_phase() {
  phase_.cycles += *std::max_element(std::begin(issued_), std::end(issued_));
  std::fill(std::begin(issued_), std::end(issued_), 0.0);
  return phase_;
}

void critical_path::barrier(std::span<const std::uint32_t> masks) {
  moment last = end_phase();
  for (std::size_t k = 0; k < warps_.size() && k < masks.size(); ++k)
    if (masks[k] != 0) wait_for(last, warps_[k].last);
  last.cycles += latencies_.barrier + latencies_.barrier_per_warp * static_cast<double>(warps_.size());
  for (std::size_t k = 0; k < warps_.size() && k < masks.size(); ++k)
    if (masks[k] != 0) warps_[k].floor = warps_[k].last = last;
  phase_ = last;
}

void critical_path::end_block() {
  moment last = end_phase();
  for (const running& w : warps_) wait_for(last, w.last);
  last.cycles = std::round(last.cycles);  // whole numbers add up to the same sum in any order of the host's threads
  if (!counts_) {
    total_.last_cycles = last.cycles;
    total_.last_waits = last.waits;
    return;
  }
  ++total_.blocks;
  total_.cycles += last.cycles;
  total_.waits += last.waits;
  if (length(last) > total_.longest_cycles + total_.longest_waits * latencies_.global) {
    total_.longest_cycles = last.cycles;
    total_.longest_waits = last.waits;
  }
}

}  // namespace emulator::observers
