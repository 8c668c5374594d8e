#include "emulator/observers/critical_path.hpp"

#include <algorithm>
#include <cmath>

#include "emulator/observers/access_cost.hpp"

namespace emulator::observers {
namespace {

/// Classes that the hardware doesn't execute as separate instructions. Their results are ready when their sources are,
/// and they take no issue cycles.
constexpr std::uint32_t is_free = class_copy | class_parameter;
constexpr std::uint32_t ends_stretch =
    class_loop_branch | class_barrier | class_warp_barrier | class_atomic | class_reduction | class_fence;

}  // namespace

void sectors_read::forget() {
  count_ = 0;
  if (++round_ != 0) return;
  std::fill(readings_.begin(), readings_.end(), reading{});
  round_ = 1;
}

std::size_t sectors_read::place_of(std::uint64_t sector) const {
  const std::uint64_t mixed = (sector >> 2) * 0x9e3779b97f4a7c15u;
  const std::size_t last = readings_.size() - 1;
  std::size_t at = (static_cast<std::size_t>(mixed >> 32) << 2 | (sector & 3u)) & last;
  while (readings_[at].round == round_ && readings_[at].sector != sector) at = (at + 1) & last;
  return at;
}

void sectors_read::grow() {
  std::vector<reading> old(2 * readings_.size());
  old.swap(readings_);
  for (const reading& r : old)
    if (r.round == round_) readings_[place_of(r.sector)] = r;
}

sectors_read::reading& sectors_read::find_or_add(std::uint64_t sector, bool& is_new) {
  std::size_t at = place_of(sector);
  is_new = readings_[at].round != round_;
  if (!is_new) return readings_[at];
  if (2 * ++count_ > readings_.size()) {
    grow();
    at = place_of(sector);
  }
  readings_[at] = {sector, 0, round_};
  return readings_[at];
}

bool sectors_read::contains(std::uint64_t sector) const {
  return readings_[place_of(sector)].round == round_;
}

critical_path::critical_path(const kernel_facts& facts, const path_latencies& latencies)
    : facts_(facts), latencies_(latencies) {
  for (std::size_t pc = 0; pc < facts.instructions.size(); ++pc) {
    const instruction_facts& i = facts.instructions[pc];
    step s;
    s.latency = latency_of(i);
    s.issue = (i.classes & class_divide) != 0 ? latencies_.divide_issue : latencies_.issue;
    s.free = (i.classes & is_free) != 0;
    s.ends_stretch = (i.classes & ends_stretch) != 0 || i.ordering != ordering_none;
    s.registers = static_cast<std::uint32_t>(registers_.size());
    for (const bool written : {false, true}) {
      for (std::uint32_t k = facts.uses_begin[pc]; k < facts.uses_begin[pc + 1]; ++k) {
        if (facts.register_uses[k].written != written) continue;
        registers_.push_back(facts.register_uses[k].number);
        ++(written ? s.sets : s.reads);
      }
    }
    steps_.push_back(s);
  }
}

void critical_path::begin_block(std::uint32_t warps, bool counts) {
  counts_ = counts;
  sectors_kept_ = static_cast<std::uint32_t>(latencies_.first_cache_bytes_per_warp * warps / (1u << sector_shift));
  warps_.resize(warps);
  for (running& w : warps_) {
    w.floor = w.last = {};
    w.ready.assign(facts_.register_count, moment{});
  }
  phase_ = {};
  std::fill(std::begin(issued_), std::end(issued_), 0.0);
  sectors_.forget();
  fetched_ = 0;
}

double critical_path::latency_of(const instruction_facts& i) const {
  if ((i.classes & (class_shuffle | class_vote)) != 0) return latencies_.shuffle;
  if ((i.classes & class_warp_reduce) != 0) return latencies_.warp_reduce;
  if ((i.classes & class_divide) != 0) return latencies_.divide;
  return latencies_.arithmetic;
}

void critical_path::set_results(running& w, const step& s, const moment& m) const {
  const std::uint32_t* const set = registers_.data() + s.registers + s.reads;
  for (unsigned k = 0; k < s.sets; ++k) w.ready[set[k]] = m;
}

void critical_path::run(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
  running& w = warps_[warp_];
  double& issued = issued_[warp_ % schedulers];
  std::uint64_t in_hardware = 0;
  for (const step *s = &steps_[pc], *const end = s + count; s != end; ++s) {
    moment begin = s->free ? moment{} : w.floor;
    const std::uint32_t* const read = registers_.data() + s->registers;
    for (unsigned k = 0; k < s->reads; ++k) wait_for(begin, w.ready[read[k]]);
    if (s->free) {
      set_results(w, *s, begin);
      continue;
    }
    issued += s->issue;
    ++in_hardware;
    if (mask == 0) continue;
    w.begun = begin;
    wait_for(w.last, begin);
    set_results(w, *s, at(begin.cycles + s->latency, begin.waits));
    if (s->ends_stretch) w.floor = w.last;
  }
  if (!counts_) return;
  total_.executed += count;
  total_.issued += in_hardware;
}

/// Returns where the block finds a sector that it reads. We assume that the SM's L1 cache holds the most recently read
/// sectors, and that each warp has the share of it that it would have on a full SM. Memory returns two sectors at a
/// time, and the second one stays in L2.
critical_path::place critical_path::place_of(std::uint64_t sector) {
  bool is_new = false;
  sectors_read::reading& reading = sectors_.find_or_add(sector, is_new);
  const bool near = !is_new && fetched_ - reading.when <= sectors_kept_;
  if (!near) ++fetched_;
  reading.when = fetched_;
  if (is_new) return sectors_.contains(sector ^ 1) ? place::second_cache : place::memory;
  if (counts_) ++(near ? total_.sectors_near : total_.sectors_again);
  return near ? place::first_cache : place::second_cache;
}

/// Returns the furthest place of all sectors that a read of global memory waits for.
critical_path::place critical_path::furthest_of(const memory_event& event, const access_shape& shape) {
  place furthest = place::first_cache;
  if (shape.is_range() || shape.what == access_shape::pattern::one) {
    const std::uint64_t last = (shape.high + event.bytes_per_lane - 1) >> sector_shift;
    for (std::uint64_t s = shape.low >> sector_shift; s <= last; ++s) furthest = std::max(furthest, place_of(s));
    return furthest;
  }
  std::uint64_t last = ~std::uint64_t{0};
  for (const unsigned lane : lanes_in(event.mask)) {
    for (std::uint64_t s = event.addresses[lane] >> sector_shift;
         s <= (event.addresses[lane] + event.bytes_per_lane - 1) >> sector_shift; ++s) {
      if (s == last) continue;  // part of the same request
      last = s;
      furthest = std::max(furthest, place_of(s));
    }
  }
  return furthest;
}

/// Sets when the results of the current warp's load are ready.
void critical_path::end_load(std::uint32_t pc, bool in_shared, unsigned passes, place from) {
  running& w = warps_[warp_];
  double cycles = w.begun.cycles;
  if (in_shared)
    cycles += latencies_.shared + passes * latencies_.shared_pass;
  else if (from != place::memory)
    cycles += from == place::second_cache ? latencies_.second_cache : latencies_.first_cache;
  set_results(w, steps_[pc], at(cycles, w.begun.waits + (!in_shared && from == place::memory ? 1 : 0)));
}

void critical_path::memory(const memory_event& event, const lane_addresses& a, unsigned passes) {
  issued_[warp_ % schedulers] += passes;
  const bool global = event.space == ptx::state_space::global;
  if (global && counts_) total_.lines += count_lines(a);
  if (event.access == access_kind::store || event.access == access_kind::reduction) return;
  const place from = event.access == access_kind::atomic ? place::memory
                     : global                            ? furthest_of(event, a.shape)
                                                         : place::first_cache;
  end_load(event.pc, event.space == ptx::state_space::shared, passes, from);
}

critical_path::moment critical_path::end_phase() {
  phase_ = at(phase_.cycles + *std::max_element(std::begin(issued_), std::end(issued_)), phase_.waits);
  std::fill(std::begin(issued_), std::end(issued_), 0.0);
  return phase_;
}

void critical_path::barrier(std::span<const std::uint32_t> masks) {
  moment last = end_phase();
  for (std::size_t k = 0; k < warps_.size() && k < masks.size(); ++k)
    if (masks[k] != 0) wait_for(last, warps_[k].last);
  last = at(last.cycles + latencies_.barrier + latencies_.barrier_per_warp * static_cast<double>(warps_.size()),
            last.waits);
  for (std::size_t k = 0; k < warps_.size() && k < masks.size(); ++k)
    if (masks[k] != 0) warps_[k].floor = warps_[k].last = last;
  phase_ = last;
}

void critical_path::end_block() {
  moment last = end_phase();
  for (const running& w : warps_) wait_for(last, w.last);
  last.cycles = std::round(last.cycles);  // integers have the same sum in any order of the host's threads
  if (!counts_) {
    total_.last_cycles = last.cycles;
    total_.last_waits = last.waits;
    return;
  }
  ++total_.blocks;
  total_.cycles += last.cycles;
  total_.waits += last.waits;
  if (at(last.cycles, last.waits).length > at(total_.longest_cycles, total_.longest_waits).length) {
    total_.longest_cycles = last.cycles;
    total_.longest_waits = last.waits;
  }
}

}  // namespace emulator::observers
