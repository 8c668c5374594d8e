// The interpreter's loop, divergence and reconvergence.
// Long because the loop has to be read together with the functions that separate and join paths.

#include "emulator/simt/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <atomic>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {

using observers::fault_kind;

namespace {

/// Number of atomics and ordered loads that a path may execute before other paths of its warp get a turn, because those
/// may have to write the word that it polls. It is larger than the number of iterations in which lanes compete for one
/// word with compare-and-swap.
constexpr std::uint32_t poll_patience = 1024;

std::uint32_t guard_mask(warp& w, const op& o) {
  if (o.guard == no_slot) return all_lanes;
  return w.predicate(o.guard) ^ (o.guard_negated ? all_lanes : 0u);
}

}  // namespace

void start_block(block& b, const launch_constants& launch, const observers::block_identity& identity) {
  const program& p = *launch.code;
  const bool fresh = b.launch != &launch;
  if (fresh) {
    b.launch = &launch;
    b.warps.assign(launch.warp_count, warp{});
    b.registers = make_aligned_bytes(std::size_t{p.file_bytes} * launch.warp_count);
    b.shared = make_aligned_bytes(launch.shared_bytes);
    b.local_bytes_per_warp = launch.local_bytes * warp_size;
    b.local = make_aligned_bytes(b.local_bytes_per_warp * launch.warp_count);
    for (block_barrier& barrier : b.barriers) barrier.arrived.assign(launch.warp_count, 0);
  }
  // Uninitialised shared and local memory contains a bit pattern that is a NaN in every floating-point type.
  std::memset(b.shared.get(), 0xff, launch.shared_bytes);
  if (p.reserved_shared_bytes != 0) std::memset(b.shared.get(), 0, p.reserved_shared_bytes);
  if (b.local_bytes_per_warp != 0) std::memset(b.local.get(), 0xff, b.local_bytes_per_warp * launch.warp_count);
  b.identity = identity;
  b.live_threads = launch.thread_count;
  b.next_warp = 0;
  b.executed = b.passed = 0;
  b.bulk_loads.clear();
  b.cluster = nullptr;
  b.cluster_rank = 0;
  b.fault = {};
  for (block_barrier& barrier : b.barriers) {
    if (barrier.arrived_threads != 0) std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0u);
    barrier.arrived_threads = barrier.wanted = barrier.true_count = 0;
  }
  for (std::uint32_t k = 0; k < launch.warp_count; ++k) {
    warp& w = b.warps[k];
    const std::uint32_t threads = std::min(warp_size, launch.thread_count - k * warp_size);
    w.file = b.registers.get() + std::size_t{k} * p.file_bytes;
    w.started = w.live = threads == warp_size ? all_lanes : (1u << threads) - 1;
    w.carry = w.let_go = 0;
    w.cluster_arrived = w.cluster_released = 0;
    w.copies.clear();
    w.handovers.clear();
    w.bulk_stores.clear();
    std::fill_n(w.bulk_groups, warp_size, 0u);
    w.copies_begun = 0;
    std::fill_n(w.copy_groups, warp_size, 0u);
    w.index = k;
    w.current = 0;
    w.owner = &b;
    w.vector_registers = p.vector_registers.data();
    w.join_points.clear();
    w.calls.clear();
    w.paths.assign(1, ready_path(w.live, 0, -1));
    if (fresh) {
      for (const pooled_constant& c : p.constants) {
        for (unsigned l = 0; l < warp_size; ++l) std::memcpy(w.file + c.at + l * c.bytes, &c.value, c.bytes);
      }
    }
    if (fresh || p.sees_unset) std::memset(w.file + p.register_begin, 0, p.file_bytes - p.register_begin);
    // On hardware the contents are undefined. With zeroes, a sum that isn't initialised would be right by chance.
    for (const register_place& place : p.unset)
      std::memset(w.file + place.at, launch.watched.unset_byte, std::size_t{place.bytes} * warp_size);
  }
}

template <bool Watched>
turn interpreter<Watched>::run(block& b, std::uint64_t slice, bool until_deadlock) {
  if (b.executed == 0) {
    watches_.clear();
    watches_changes_ = false;
    memory_.begin_block(b);
    jumpers_first_ = b.launch->order != nullptr && b.launch->order->jumpers_first();
  }
  if (b.launch->order != nullptr && b.launch->order->reorders()) [[unlikely]]
    return run_in_order(b, slice, until_deadlock);
  return run_in_turns(b, slice, until_deadlock);
}

/// Runs the warps of a block in turns.
template <bool Watched>
turn interpreter<Watched>::run_in_turns(block& b, std::uint64_t slice, bool until_deadlock) {
  const std::uint64_t end = turns_end_ = b.executed + slice;
  const auto warps = static_cast<std::uint32_t>(b.warps.size());
  while (b.live_threads != 0) {
    progress_ = false;
    for (turn_ = 0; turn_ < warps && b.live_threads != 0; ++turn_) {
      warp& w = next_warp(b);
      if (w.live == 0) continue;
      if constexpr (Watched) observer_->turn_of(w.index);
      run_warp(b, w, b.launch->warp_slice);
      if (b.fault.kind != fault_kind::none) return turn::faulted;
      if (b.executed >= end && b.live_threads != 0) return turn::more;
    }
    if (!progress_ && b.live_threads != 0 && !resolve_deadlock(b))
      return b.fault.kind == fault_kind::none ? turn::stalled : turn::faulted;
    if (until_deadlock && watches_changes_ && b.live_threads != 0 && makes_no_progress(b)) return turn::stalled;
  }
  return turn::finished;
}

/// Chooses a path that can run. Returns false if all of them wait.
template <bool Watched>
bool interpreter<Watched>::next_split(warp& w) {
  const auto count = static_cast<std::uint32_t>(w.paths.size());
  std::uint32_t at = w.current;
  for (std::uint32_t k = 0; k < count; ++k) {  // the newest first, as on a stack
    if (w.paths[at].state == path_state::ready) {
      w.current = at;
      return true;
    }
    at = at == 0 ? count - 1 : at - 1;
  }
  return false;
}

/// Ends the turn of the current path, because it may be waiting for other paths of this warp.
template <bool Watched>
[[gnu::noinline]] void interpreter<Watched>::end_turn(block& b, warp& w, bool stands_aside) {
  if (++w.paths[w.current].turns >= turn_patience) release_waiting_join_points(w);
  w.current = w.current == 0 ? static_cast<std::uint32_t>(w.paths.size()) - 1 : w.current - 1;
  watch_for_circles(b, w, stands_aside);
}

template <bool Watched>
void interpreter<Watched>::run_warp(block& b, warp& one, std::uint64_t slice) {
  warp* w = &one;  // machine code may continue with a different warp of the block
  if (w->paths.empty()) return;
  if (w->current >= w->paths.size()) w->current = static_cast<std::uint32_t>(w->paths.size()) - 1;
  const op* const code = b.launch->code->code.data();
  std::uint64_t limit = std::min(b.executed + slice, b.launch->instruction_limit);
  native_kernel* const native = code_for(b);
  native_state state;
  if (native != nullptr) {
    if (b.launch->watched.native_after == 0)
      for (const bool full : {false, true}) native->worked(form_of(b, full), 1, 0);
    prepare(b, *w, limit, *native, state);
  }
  while (next_split(*w)) {
    progress_ = true;
    std::uint32_t pc = w->paths[w->current].pc;
    std::uint32_t mask = w->paths[w->current].mask;
    std::uint32_t reconvergence = reconvergence_pc(*w, w->paths[w->current].join);
    w->mask = mask;
    w->polls = 0;
    const std::uint64_t before = b.executed;
    std::uint64_t executed = before, in_code = 0;
    bool attended = false;  // machine code has already reported the branch at `pc`
    if constexpr (Watched) observer_->enter(pc, mask);
    if (native != nullptr) {
      state.enter(mask);
      state.reconvergence = reconvergence;
    }
    for (;;) {
      if (pc == reconvergence) {
        if constexpr (Watched) observer_->leave(pc, mask);
        w->paths[w->current].pc = pc;
        arrive_at_frame(*w);
        break;
      }
      if (native != nullptr) {
        const native_form* const form = state.forms[mask == all_lanes ? 1 : 0];
        if (const std::byte* const entry = form != nullptr ? form->entry(pc) : nullptr) {
          state.executed = executed;
          pc = form->run(state, entry);
          in_code += state.executed - executed;
          executed = state.executed;
          w = state.of;
          limit = state.limit;
          if (std::exchange(state.ended, false)) break;
          attended = std::exchange(state.attended, false);
          mask = state.active.mask;
          reconvergence = state.reconvergence;
          if (pc == reconvergence) continue;
        }
      }
      const op* o = &code[pc];
      if (o->plain_run != 0) {
        const std::uint32_t run = std::min<std::uint32_t>(o->plain_run, reconvergence - pc);
        if constexpr (Watched) observer_->run(pc, run, mask);
        for (const op* const end = o + run; o != end; ++o) o->run(*w, *o);
        executed += run;
        pc += run;
        continue;
      }
      if (o->kind == op_kind::branch) {
        ++executed;
        const std::uint32_t taken = guard_mask(*w, *o) & mask;
        if constexpr (Watched) {
          if (!std::exchange(attended, false)) observer_->run(pc, 1, mask);
          if (taken != 0 && taken != mask) observer_->branch(w->index, pc, mask, taken);
        }
        if (taken == 0) {
          ++pc;
          continue;
        }
        if constexpr (Watched) observer_->leave(pc + 1, mask);
        if (taken != mask) {
          diverge(*w, *o, pc, taken);
          break;
        }
        const bool backwards = o->target <= pc;
        pc = o->target;
        if (backwards && executed >= limit) {
          b.executed = executed;
          w->paths[w->current].pc = pc;
          if (executed >= b.launch->instruction_limit) {
            stop(b, *w, pc, fault_kind::instruction_limit, {});
            return;
          }
          return end_turn(b, *w, false);
        }
        if constexpr (Watched) observer_->enter(pc, mask);
        continue;
      }
      if (!carry_out(b, *w, pc, mask, executed)) break;  // the path has ended or waits, or the block has faulted
    }
    b.executed = executed;
    if (native != nullptr) note_work(*native, state, mask == all_lanes, executed - before - in_code);
    if (b.fault.kind != fault_kind::none || w->paths.empty()) return;
    if (stands_aside_) {
      stands_aside_ = false;
      return end_turn(b, *w, true);
    }
    if (w->current >= w->paths.size()) w->current = static_cast<std::uint32_t>(w->paths.size()) - 1;
  }
}

/// Executes the operation at `pc`, which isn't a branch, for the current path, whose lanes are `mask`; advances `pc`.
/// Returns false if the loop can't simply continue with the path at `pc`.
template <bool Watched>
bool interpreter<Watched>::carry_out(block& b, warp& w, std::uint32_t& pc, std::uint32_t mask,
                                     std::uint64_t& executed) {
  const op& o = b.launch->code->code[pc];
  const std::uint32_t at = pc;
  bool goes_on = true;
  ++executed;
  if (o.guard == no_slot) {
    if constexpr (Watched) observer_->run(pc, 1, mask);
  } else {
    w.mask = guard_mask(w, o) & mask;
    if constexpr (Watched) {
      observer_->leave(pc, mask);
      observer_->instruction(pc, w.mask);
      observer_->enter(pc + 1, mask);
    }
  }
  if (w.mask == 0) {
    ++pc;
  } else {
    b.executed = executed;
    w.paths[w.current].pc = pc;
    goes_on = step(b, w, o, pc);
  }
  if (!goes_on || pc != at + 1) {
    if constexpr (Watched) observer_->leave(at + 1, mask);
    if (!goes_on) return false;
    if constexpr (Watched) observer_->enter(pc, mask);
  }
  w.mask = mask;
  return true;
}

/// Executes an operation that may be more than arithmetic for the lanes in `w.mask`; advances `pc`. Returns false if
/// the loop can't simply continue with the current path at `pc`.
template <bool Watched>
bool interpreter<Watched>::step(block& b, warp& w, const op& o, std::uint32_t& pc) {
  switch (o.kind) {
    case op_kind::arithmetic:
      if (o.sub == reads_clock) read_clock(b, w);
      o.run(w, o);
      break;
    case op_kind::load:
      if (!memory_.load(b, w, o, pc) || give_way(w, o, pc)) return false;
      break;
    case op_kind::store:
      if (!memory_.store(b, w, o, pc)) return false;
      break;
    case op_kind::atomic:
      if (!memory_.atomic(b, w, o, pc) || give_way(w, o, pc)) return false;
      break;
    case op_kind::parameter_load:
      if (!memory_.parameter_load(b, w, o, pc)) return false;
      break;
    case op_kind::fence:
      if (o.imm >= 0) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if constexpr (Watched) observer_->fence(w.index, pc, w.mask, o.imm);
      }
      break;
    case op_kind::call:
      return call(b, w, o, pc);
    case op_kind::call_return:
      return return_from_call(b, w, o, pc);
    case op_kind::async_copy:
      note_change();
      if (!memory_.async_copy(b, w, o, pc)) return false;
      break;
    case op_kind::barrier_object:
      if (!memory_.barrier_object(b, w, o, pc)) return false;
      if (static_cast<object_operation>(o.sub) >= object_operation::wait_state &&
          (w.predicate(o.dst) & w.mask) != w.mask) {
        w.paths[w.current].pc = pc + 1;
        stands_aside_ = true;  // the warps that it waits for have to run first
        return false;
      }
      break;
    case op_kind::exit:
      note_change();
      return exit_lanes(b, w, pc, w.mask) && (++pc, true);
    case op_kind::branch_table:
      return branch_by_table(b, w, o, pc);
    case op_kind::barrier:
      note_change();
      return arrive_at_barrier(b, w, o, pc) && (++pc, true);
    case op_kind::cluster_barrier:
      note_change();
      return cluster_barrier(b, w, o, pc) && (++pc, true);
    case op_kind::warp_barrier:
    case op_kind::collective:
      return warp_barrier(b, w, o, pc) && (++pc, true);
    case op_kind::system_call:
      note_change();
      if (!system_call(b, w, o, pc)) return false;
      break;
    case op_kind::texture:
      note_change();
      if (!memory_.texture(b, w, o, pc)) return false;
      break;
    case op_kind::matrix:
      if (w.mask != all_lanes) return gather_warp(b, w, pc);
      if (o.run != nullptr)
        o.run(w, o);
      else if (!memory_.matrix(b, w, o, pc))
        return false;
      break;
    case op_kind::trap:
      return stop(b, w, pc, fault_kind::trap, {});
    case op_kind::unsupported:
      return stop(b, w, pc, fault_kind::unsupported, b.launch->code->unsupported_reasons[o.target]);
    case op_kind::branch:
      break;  // handled by the loop
  }
  ++pc;
  return true;
}

template <bool Watched>
bool interpreter<Watched>::stop(block& b, const warp& w, std::uint32_t pc, fault_kind kind, std::string message) {
  return stop_lanes(b, w, pc, kind, w.mask, std::move(message));
}

/// Called when the current path has reached the join point.
template <bool Watched>
void interpreter<Watched>::arrive_at_frame(warp& w) {
  path& s = w.paths[w.current];
  const std::int32_t index = s.join;
  join_point& f = w.join_points[static_cast<std::size_t>(index)];
  f.arrived |= s.mask;
  if (f.arrived == f.expected) {
    s = ready_path(f.expected, f.pc, f.parent);
    f.pc = no_pc;
  } else {
    remove_split(w, w.current);
  }
}

/// Makes the current path diverge at a branch: `taken` of its lanes jump, the others continue.
template <bool Watched>
void interpreter<Watched>::diverge(warp& w, const op& o, std::uint32_t pc, std::uint32_t taken) {
  path& s = w.paths[w.current];
  const std::uint32_t rest = s.mask & ~taken;
  std::int32_t join = s.join;
  if (o.reconvergence != no_pc && reconvergence_pc(w, join) != o.reconvergence) {
    join = new_join_point(w, join_point{.pc = o.reconvergence, .expected = s.mask, .parent = s.join});
  }
  s.mask = rest;
  s.pc = pc + 1;
  s.join = join;
  s.turns = 0;
  if (join >= 0 && o.target == reconvergence_pc(w, join)) {
    w.join_points[static_cast<std::size_t>(join)].arrived |=
        taken;  // the jump goes directly to the reconvergence point
    return;
  }
  w.paths.push_back(ready_path(taken, o.target, join));
  if (jumpers_first_) [[unlikely]]
    w.current = static_cast<std::uint32_t>(w.paths.size()) - 1;
}

template <bool Watched>
bool interpreter<Watched>::branch_by_table(block& b, warp& w, const op& o, std::uint32_t& pc) {
  const std::vector<std::uint32_t>& table = b.launch->code->tables[o.target];
  const std::uint32_t* index = w.lanes<std::uint32_t>(o.a);
  const std::uint32_t lanes = w.mask;
  const path before = w.paths[w.current];
  std::vector<path> ways;
  for (const unsigned l : lanes_in(lanes)) {
    if (index[l] >= table.size()) return stop(b, w, pc, fault_kind::trap, "a jump table's index is outside the table");
    const std::uint32_t to = table[index[l]];
    const auto same = std::find_if(ways.begin(), ways.end(), [to](const path& s) { return s.pc == to; });
    if (same != ways.end())
      same->mask |= 1u << l;
    else
      ways.push_back(ready_path(1u << l, to, before.join));
  }
  if (lanes != before.mask) {  // under a guard, the other lanes fall through
    ways.push_back(ready_path(before.mask & ~lanes, pc + 1, before.join));
  }
  if (ways.size() == 1) {
    pc = ways[0].pc;
    return true;
  }
  if (o.reconvergence != no_pc) {
    const std::int32_t join =
        new_join_point(w, join_point{.pc = o.reconvergence, .expected = before.mask, .parent = before.join});
    for (path& s : ways) s.join = join;
  }
  w.paths[w.current] = ways[0];
  w.paths.insert(w.paths.end(), ways.begin() + 1, ways.end());
  return false;
}

template <bool Watched>
bool interpreter<Watched>::exit_lanes(block& b, warp& w, std::uint32_t pc, std::uint32_t lanes) {
  if (!w.bulk_stores.empty()) memory_.end_bulk_stores(b, w, lanes);
  if constexpr (Watched) observer_->exited(w.index, pc, lanes);
  const bool whole = w.paths.size() == 1 && lanes == w.live && b.cluster == nullptr;
  w.live &= ~lanes;
  b.live_threads -= static_cast<std::uint32_t>(std::popcount(lanes));
  if (whole) {  // no lanes are left to reconverge with
    w.paths.clear();
    open_barriers_after_exit(b);
    return false;
  }
  for (join_point& f : w.join_points) {
    if (f.pc == no_pc) continue;
    f.expected &= ~lanes;
    f.arrived &= ~lanes;
  }
  path& s = w.paths[w.current];
  s.mask &= ~lanes;
  const bool gone = s.mask == 0;
  if (gone) remove_split(w, w.current);
  // The lanes that exited may have been the last ones that others waited for. Join points are in no particular order,
  // so this repeats until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (join_point& f : w.join_points) {
      if (f.pc == no_pc) continue;
      if (f.expected == 0) {
        f.pc = no_pc;
        changed = true;
      } else if (f.arrived == f.expected) {
        w.paths.push_back(ready_path(f.expected, f.pc, f.parent));
        f.pc = no_pc;
        changed = true;
      }
    }
  }
  release_warp_barriers(b, w);
  open_barriers_after_exit(b);
  if (b.cluster != nullptr) leave_cluster_barrier(b, w, lanes);
  if (gone) return false;
  w.mask = w.paths[w.current].mask;
  w.paths[w.current].pc = pc + 1;
  return false;  // the mask has changed, so the loop has to read the path again
}

/// Lets lanes that wait at a reconvergence point continue without the others. Returns false if no lanes waited.
template <bool Watched>
bool interpreter<Watched>::release_waiting_join_points(warp& w) {
  bool released = false;
  for (join_point& f : w.join_points) {
    if (f.pc == no_pc || f.arrived == 0) continue;
    if constexpr (Watched) {
      // Lanes that wait where the kernel ends have returned early.
      if (w.owner->launch->code->code[f.pc].kind != op_kind::exit) observer_->runs_ahead(w.index, f.arrived);
    }
    w.paths.push_back(ready_path(f.arrived, f.pc, f.parent));
    w.let_go |= f.arrived;
    f.expected &= ~f.arrived;
    f.arrived = 0;
    released = true;
  }
  return released;
}

/// Lets other paths of the warp run if the current one seems to wait for them, because it has polled memory for a long
/// time. Returns true if it yields; it continues after `o`.
template <bool Watched>
bool interpreter<Watched>::give_way(warp& w, const op& o, std::uint32_t pc) {
  if ((o.flags & flag_strong) == 0 || ++w.polls < poll_patience) return false;
  w.polls = 0;
  const bool released = release_waiting_join_points(w);
  const auto count = static_cast<std::uint32_t>(w.paths.size());
  if (count == 1) return false;
  w.paths[w.current].pc = pc + 1;
  w.current = (released || w.current == 0 ? count : w.current) - 1;
  return true;
}

/// Called if no warp can run. Releases lanes that wait only at reconvergence points. If there are none, the block is
/// deadlocked, or it waits for other blocks of its cluster, which isn't a fault.
template <bool Watched>
bool interpreter<Watched>::resolve_deadlock(block& b) {
  bool released = false;
  for (warp& w : b.warps) {
    if (w.live != 0) released |= release_waiting_join_points(w);
  }
  if (released) return true;
  for (const warp& w : b.warps)
    for (const path& s : w.paths)
      if (s.state == path_state::at_cluster_barrier) return false;
  for (const warp& w : b.warps) {
    if (w.paths.empty()) continue;
    b.fault.mask = w.paths[0].mask;
    stop(b, w, w.paths[0].pc, fault_kind::deadlock, {});
    b.fault.mask = w.paths[0].mask;
    b.fault.waiting = waiting_lanes_of(b);
    break;
  }
  return false;
}

template class interpreter<false>;
template class interpreter<true>;

}  // namespace emulator::simt
