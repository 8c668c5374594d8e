#pragma once
/// \file
/// Blocks that can't make progress on their own: finds out where each of them waits and what it waits for, and whether
/// passing time or a change from outside can end the wait.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/memory/global_memory.hpp"
#include "emulator/simt/launch_state.hpp"

namespace emulator::simt {

/// Returns where the warps of a block wait.
template <bool Watched>
explain::waiting_block waits_of(const resident<Watched>& r) {
  explain::waiting_block block;
  block.identity = r.b.identity;
  for (const warp& w : r.b.warps) {
    const polled_place* const looks = r.runner->looks_at(w);
    for (const path& s : w.paths) {
      explain::place_of_wait at;
      at.warp = w.index;
      at.at_barrier = s.state != path_state::ready;
      at.at_cluster_barrier = s.state == path_state::at_cluster_barrier;
      if (!at.at_barrier && (looks == nullptr || looks->pc == no_pc || (looks->lanes & s.mask) == 0)) continue;
      at.pc = at.at_barrier ? s.pc : looks->pc;
      at.mask = at.at_barrier ? s.mask : looks->lanes;
      if (!at.at_barrier) {
        at.address = looks->address;
        at.bytes = looks->bytes;
        at.space = looks->space;
        const bool of_object = r.b.launch->code->code[at.pc].kind == op_kind::barrier_object;
        if (of_object && at.address + sizeof(std::uint64_t) <= r.b.launch->shared_bytes)
          at.object = phase_of_object(r.b, at.address);
      }
      block.places.push_back(at);
    }
  }
  return block;
}

/// Called if no block can make progress. Stores where each waits, as a deadlock or, if none of them polls, as the fault
/// of a block that loops forever.
template <bool Watched>
void store_deadlock(launch_state<Watched>& d, std::span<const std::unique_ptr<resident<Watched>>> blocks) {
  explain::grid_deadlock all;
  all.grid_blocks = d.block_count;
  all.not_started = d.block_count - std::min(d.block_count, d.next.load());
  all.fit_at_once = d.fit_at_once;
  all.grid_barrier = d.constants->workspace;
  bool any_polls = false;
  for (const auto& r : blocks) {
    if (r->done) continue;
    all.blocks.push_back(waits_of(*r));
    for (const explain::place_of_wait& at : all.blocks.back().places)
      any_polls |= !at.at_barrier || at.at_cluster_barrier;
  }
  observers::fault f;
  f.block = all.blocks.front().identity;
  f.kind = observers::fault_kind::grid_deadlock;
  if (!any_polls) {  // the loops poll nothing that others could change, so they would never end
    for (const auto& r : blocks) {
      if (r->done) continue;
      for (const warp& w : r->b.warps) {
        for (const path& s : w.paths) {
          if (s.state != path_state::ready || f.kind == observers::fault_kind::instruction_limit) continue;
          f.kind = observers::fault_kind::instruction_limit;
          f.pc = s.pc;
          f.block = r->b.identity;
          f.warp = w.index;
          f.mask = s.mask;
        }
      }
    }
  } else {
    d.grid_deadlock = std::move(all);
  }
  d.keep(f);
}

/// Advances the clock, because no block can make progress otherwise. Returns false if no block waits for time to pass,
/// or if the clock has been advanced by the longest leap without any effect.
template <bool Watched>
bool let_time_pass(launch_state<Watched>& d, std::span<const std::unique_ptr<resident<Watched>>> blocks) {
  const bool asked = std::any_of(blocks.begin(), blocks.end(),
                                 [](const auto& r) { return !r->done && r->runner->waits_for_time(r->b); });
  if (d.changes->count != d.changed_before) d.next_leap = first_leap;
  if (!asked || d.next_leap > last_leap) return false;
  for (const auto& r : blocks) {
    if (!r->done) r->b.passed += d.next_leap;
  }
  d.passed += d.next_leap;
  d.next_leap *= leap_growth;
  d.changed_before = ++d.changes->count;
  return true;
}

/// Returns the value at an address of global memory that is still allocated; 0 if it isn't, or has more than 8 bytes.
inline std::uint64_t word_at(memory::global_memory& memory, std::uintptr_t address, std::uint32_t bytes) {
  std::uint64_t value = 0;
  if (bytes <= sizeof value && memory.find(address) != nullptr)
    std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
  return value;
}

/// Returns true if the host or another grid may change the word.
template <bool Watched>
bool is_others(const launch_state<Watched>& d, std::uintptr_t address) {
  const std::uintptr_t barrier = d.constants->workspace;
  if (barrier != 0 && address >= barrier && address < barrier + 64) return false;
  const memory::allocation* in = d.constants->space->memory.find(address);
  if (in == nullptr) return false;
  return d.where == pausing::for_others || in->from == memory::origin::managed || in->from == memory::origin::pinned;
}

/// Returns the words that blocks poll and that the host or another grid may change.
template <bool Watched>
std::vector<seen_word> looks_outside(const launch_state<Watched>& d,
                                     const std::vector<std::unique_ptr<resident<Watched>>>& blocks) {
  std::vector<seen_word> words;
  for (const auto& r : blocks) {
    if (r->done) continue;
    for (const explain::place_of_wait& at : waits_of(*r).places) {
      if (!at.at_barrier && at.space == ptx::state_space::global && is_others(d, at.address))
        words.push_back({at.address, word_at(d.constants->space->memory, at.address, at.bytes), at.bytes});
    }
  }
  return words;
}

/// Called after the launch has run for a long time. If it last polled a word that others may change, it is assumed to
/// wait for such a change.
template <bool Watched>
void see_whether_it_looks(launch_state<Watched>& d, const std::vector<std::unique_ptr<resident<Watched>>>& blocks) {
  for (const auto& r : blocks) {
    if (!r->done) r->runner->note_changes_from_now_on(r->b);
  }
  const polled_place& last = d.changes->last;
  if (last.pc == no_pc || last.space != ptx::state_space::global || !is_others(d, last.address)) return;
  d.seen.push_back({last.address, word_at(d.constants->space->memory, last.address, last.bytes), last.bytes});
  d.still_runs = true;
}

}  // namespace emulator::simt
