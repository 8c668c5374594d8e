// Lets lanes and warps wait for each other: member masks, block barriers, and the text for a deadlock.
// Long because all kinds of waiting share the code that releases waiting lanes.

#include <algorithm>
#include <bit>
#include <string>

#include "emulator/explain/finding_text.hpp"
#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {

using observers::fault_kind;

namespace {

/// Returns the lanes of `lanes` whose member mask equals that of the lowest one.
std::uint32_t same_members(const std::uint32_t* members, std::uint32_t lanes) {
  const std::uint32_t wanted = members[std::countr_zero(lanes)];
  return mask_of([=](unsigned l) { return members[l] == wanted; }) & lanes;
}

/// The same for a member mask (or barrier number) in a register.
std::uint32_t same_members(const block& b, warp& w, slot at, std::uint32_t lanes) {
  return b.is_constant(at) ? lanes : same_members(w.lanes<std::uint32_t>(at), lanes);
}

std::string lane_list(std::uint32_t mask) {
  return mask == all_lanes ? "all lanes" : explain::lane_list(mask);
}

/// Joins paths of a warp that have only lanes of `among` and continue together after a barrier, because they have the
/// same pc and the same reconvergence point. This reunites lanes that were separated because one of them spins.
void join_equal_paths(warp& w, std::uint32_t among) {
  for (std::size_t k = 0; k < w.paths.size(); ++k) {
    for (std::size_t other = w.paths.size() - 1; other > k; --other) {
      path& a = w.paths[k];
      const path& b = w.paths[other];
      if (a.pc != b.pc || a.join != b.join || a.state != path_state::ready || b.state != path_state::ready ||
          ((a.mask | b.mask) & ~among) != 0)
        continue;
      a.mask |= b.mask;
      a.turns = 0;
      w.paths.erase(w.paths.begin() + static_cast<std::ptrdiff_t>(other));
      if (w.current == other)
        w.current = static_cast<std::uint32_t>(k);
      else if (w.current > other)
        --w.current;
    }
  }
}

}  // namespace

/// Executes a collective operation for lanes that have arrived as required, once for each group with the same member
/// mask.
template <bool Watched>
void interpreter<Watched>::perform_collective(block& b, warp& w, const op& o, std::uint32_t pc, std::uint32_t lanes) {
  const slot at = member_slot(o);
  if (at == no_slot) {
    w.mask = lanes;
    o.run(w, o);
    // Which lanes execute it together depends on the order.
    if (b.launch->order != nullptr)
      b.launch->order->learned(b, w, pc, static_cast<unsigned>(std::countr_zero(lanes)), lanes);
    return;
  }
  for (std::uint32_t rest = lanes; rest != 0;) {
    const std::uint32_t group = same_members(b, w, at, rest);
    rest &= ~group;
    w.mask = group;
    if (o.kind == op_kind::warp_barrier) {
      if constexpr (Watched) observer_->warp_barrier(w.index, pc, group);
    } else {
      w.strays = 0;
      o.run(w, o);
      if constexpr (Watched) {
        if (is_shuffle(o))
          observer_->shuffle(w.index, pc, group,
                             {.wanted = w.lanes<std::uint32_t>(o.b),
                              .giver = w.giver,
                              .got = o.dst != no_slot ? w.lanes<std::uint32_t>(o.dst) : nullptr});
        if (w.strays != 0) observer_->shuffle_from_nowhere(w.index, pc, w.strays);
      }
    }
  }
}

/// Executes `bar.warp.sync` or a `.sync` operation for the current path. Returns true if the path may continue at once.
template <bool Watched>
bool interpreter<Watched>::warp_barrier(block& b, warp& w, const op& o, std::uint32_t pc) {
  const std::uint32_t lanes = w.mask;
  const slot at = member_slot(o);
  if (at == no_slot) {
    perform_collective(b, w, o, pc, lanes);
    return true;
  }
  const std::uint32_t* members = w.lanes<std::uint32_t>(at);
  bool complete = true;
  for (std::uint32_t rest = lanes; rest != 0;) {
    const std::uint32_t group = same_members(b, w, at, rest);
    const std::uint32_t wanted = members[std::countr_zero(rest)];
    rest &= ~group;
    if ((group & ~wanted) != 0) {
      w.mask = group & ~wanted;
      return stop(b, w, pc, fault_kind::bad_member_mask,
                  lane_list(group & ~wanted) + (std::popcount(group & ~wanted) == 1 ? " takes" : " take") +
                      " part in " + b.launch->code->facts.instructions[pc].mnemonic + " but the member mask leaves " +
                      (std::popcount(group & ~wanted) == 1 ? "it" : "them") + " out");
    }
    complete &= (wanted & w.live & ~group) == 0;
  }
  if (complete) {
    perform_collective(b, w, o, pc, lanes);
    w.mask = lanes;
    return true;
  }
  // Under a guard, only some lanes of the path are here. They leave the others and wait on their own.
  wait_at(w, lanes, pc, path_state::at_warp_barrier);
  release_warp_barriers(b, w);
  return false;
}

/// Reports that the paths `party` reconverge at `bar.warp.sync`. Each path may be at a different `bar.warp.sync`
/// instruction, whose register holds the member mask.
template <bool Watched>
void interpreter<Watched>::meet(warp& w, const std::vector<op>& code, const std::vector<std::size_t>& party) {
  if constexpr (Watched) {
    std::uint32_t members[warp_size] = {}, lanes = 0;
    for (const std::size_t k : party) {
      const path& s = w.paths[k];
      lanes |= s.mask;
      const std::uint32_t* own = w.lanes<std::uint32_t>(member_slot(code[s.pc]));
      for (const unsigned l : lanes_in(s.mask)) members[l] = own[l];
    }
    while (lanes != 0) {
      const std::uint32_t group = same_members(members, lanes);
      lanes &= ~group;
      observer_->warp_barrier(w.index, w.paths[party[0]].pc, group);
    }
  } else {
    static_cast<void>(w), static_cast<void>(code), static_cast<void>(party);
  }
}

/// Releases the paths of a warp whose member masks are satisfied, because the missing lanes have arrived or exited.
/// Lanes may arrive at different `bar.warp.sync` instructions; for other operations they have to be at the same one.
template <bool Watched>
bool interpreter<Watched>::release_warp_barriers(block& b, warp& w) {
  const auto& code = b.launch->code->code;
  bool any = false;
  std::uint32_t together = 0;
  for (std::size_t first = 0; first < w.paths.size(); ++first) {
    if (w.paths[first].state != path_state::at_warp_barrier) continue;
    const std::uint32_t first_pc = w.paths[first].pc;
    const bool barrier = code[first_pc].kind == op_kind::warp_barrier;
    std::vector<std::size_t> party;
    for (std::size_t k = 0; k < w.paths.size(); ++k) {
      const path& s = w.paths[k];
      if (s.state == path_state::at_warp_barrier &&
          (s.pc == first_pc || (barrier && code[s.pc].kind == op_kind::warp_barrier)))
        party.push_back(k);
    }
    // Drop paths that still wait for other lanes until no remaining path does.
    for (bool dropped = true; dropped;) {
      dropped = false;
      std::uint32_t here = 0;
      for (const std::size_t k : party) here |= w.paths[k].mask;
      for (std::size_t k = 0; k < party.size(); ++k) {
        const path& s = w.paths[party[k]];
        const std::uint32_t* members = w.lanes<std::uint32_t>(member_slot(code[s.pc]));
        bool content = true;
        for (const unsigned l : lanes_in(s.mask)) content &= (members[l] & w.live & ~here) == 0;
        if (!content) {
          party.erase(party.begin() + static_cast<std::ptrdiff_t>(k));
          dropped = true;
          break;
        }
      }
    }
    if (party.empty()) continue;
    std::uint32_t lanes = 0;
    for (const std::size_t k : party) lanes |= w.paths[k].mask;
    if constexpr (Watched) {
      // Reports lanes that were waited for, but have left the kernel.
      std::uint32_t named = 0;
      for (const unsigned l : lanes_in(lanes)) named |= w.lanes<std::uint32_t>(member_slot(code[first_pc]))[l];
      if (const std::uint32_t gone = named & w.started & ~w.live; gone != 0)
        observer_->waited_in_vain(w.index, first_pc, lanes, gone);
    }
    const bool matrix = code[first_pc].kind == op_kind::matrix;
    if (barrier)
      meet(w, code, party);
    else if (!matrix)
      perform_collective(b, w, code[first_pc], first_pc, lanes);
    for (const std::size_t k : party) {
      w.paths[k].state = path_state::ready;
      if (!matrix) ++w.paths[k].pc;  // else the lanes execute it together
    }
    together |= lanes;
    any = true;
  }
  // On a GPU, such an operation brings lanes together. If lanes that were let go continued separately, some of them
  // could run ahead of the others. Code that polls a word in shared memory after the operation isn't written for that.
  // Lanes that an order has separated stay separate, because the programming model allows it.
  const bool parted_by_order = b.launch->order != nullptr && b.launch->order->parts_lanes();
  if ((together & w.let_go) != 0 && !parted_by_order) {
    join_equal_paths(w, together);
    if (w.paths.size() == 1 && w.paths[0].mask == w.live) w.let_go = 0;
  }
  return any;
}

namespace {

/// Returns the lanes that have to arrive at an aligned barrier together with `lanes`. On hardware, lanes wait before
/// the barrier for a lane of their warp that polls. Here, such lanes may have been let go and may not have arrived yet,
/// so they are reported as missing only if they wait at a different barrier.
std::uint32_t missed_at(const warp& w, std::uint32_t pc, std::uint32_t lanes) {
  std::uint32_t elsewhere = 0;
  for (const path& s : w.paths) {
    if (s.state == path_state::at_barrier && s.pc != pc) elsewhere |= s.mask;
  }
  const bool all_let_go = (lanes & ~w.let_go) == 0;
  return lanes | (w.let_go & elsewhere) | (all_let_go ? 0u : w.live & ~w.let_go);
}

}  // namespace

template <bool Watched>
bool interpreter<Watched>::arrive_at_barrier(block& b, warp& w, const op& o, std::uint32_t pc) {
  const std::uint32_t others = w.mask & ~same_members(b, w, o.a, w.mask);
  if (others != 0) {  // lanes that name a different barrier go there on their own
    path& s = w.paths[w.current];
    s.mask &= ~others;
    w.mask &= ~others;
    w.paths.push_back(ready_path(others, pc, s.join));
  }
  const std::uint32_t lanes = w.mask;
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const std::uint32_t number = w.lanes<std::uint32_t>(o.a)[first];
  if (number >= barrier_count)
    return stop(b, w, pc, fault_kind::trap,
                "barrier number " + std::to_string(number) + " does not exist: a block has barriers 0 to 15");
  block_barrier& barrier = b.barriers[number];
  if constexpr (Watched) {
    const bool aligned = (o.flags & flag_aligned) != 0;
    observer_->barrier_arrive(w.index, pc, lanes, aligned ? missed_at(w, pc, lanes) : lanes, number);
  }
  barrier.wanted = o.b == no_slot ? 0 : w.lanes<std::uint32_t>(o.b)[first];
  barrier.operation = static_cast<barrier_operation>(o.sub);
  barrier.arrived[w.index] |= lanes;
  // If there is a thread count, a whole warp counts as 32 even if the block's last warp isn't full.
  barrier.arrived_threads +=
      barrier.wanted != 0 && lanes == w.started ? warp_size : static_cast<std::uint32_t>(std::popcount(lanes));
  if (o.c != no_slot) {
    const std::uint32_t p = (w.predicate(o.c) ^ (o.imm != 0 ? all_lanes : 0u)) & lanes;
    barrier.true_count += static_cast<std::uint32_t>(std::popcount(p));
  }
  const bool waits = barrier.operation != barrier_operation::arrive;
  if (waits) wait_at(w, lanes, pc, path_state::at_barrier, number);
  const std::uint32_t needed = barrier.wanted == 0 ? b.live_threads : barrier.wanted;
  if (barrier.arrived_threads >= needed) open_barrier(b, number);
  if (!waits && others != 0) {  // the path has become smaller, so the loop has to read it again
    w.paths[w.current].pc = pc + 1;
    return false;
  }
  return !waits;
}

template <bool Watched>
void interpreter<Watched>::open_barrier(block& b, unsigned number) {
  block_barrier& barrier = b.barriers[number];
  if constexpr (Watched)
    observer_->barrier_opens(number, barrier.arrived, barrier.wanted == 0 || barrier.wanted >= b.launch->thread_count);
  const auto count_threads = [&barrier] {
    std::uint32_t threads = 0;
    for (const std::uint32_t mask : barrier.arrived) threads += static_cast<std::uint32_t>(std::popcount(mask));
    return threads;
  };
  const auto& code = b.launch->code->code;
  for (warp& w : b.warps) {
    bool released = false;
    for (path& s : w.paths) {
      if (s.state != path_state::at_barrier || s.waits_for != number) continue;
      const op& o = code[s.pc];
      if (o.dst != no_slot) {
        w.mask = s.mask;
        const bool all = barrier.true_count == count_threads(), some = barrier.true_count != 0;
        if (o.sub == static_cast<std::uint8_t>(barrier_operation::reduce_popc)) {
          alignas(64) std::uint32_t t[warp_size];
          for (std::uint32_t& x : t) x = barrier.true_count;
          blend(w.lanes<std::uint32_t>(o.dst), t, s.mask);
        } else {
          set_predicate(
              w, o.dst,
              (o.sub == static_cast<std::uint8_t>(barrier_operation::reduce_and) ? all : some) ? all_lanes : 0u);
        }
      }
      s.state = path_state::ready;
      ++s.pc;
      w.let_go &= ~s.mask;
      released = true;
    }
    if (released && w.paths.size() > 1) join_equal_paths(w, all_lanes);
  }
  std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0u);
  barrier.arrived_threads = barrier.true_count = 0;
}

template <bool Watched>
void interpreter<Watched>::open_barriers_after_exit(block& b) {
  if (b.live_threads == 0) return;
  for (unsigned number = 0; number < barrier_count; ++number) {
    const block_barrier& barrier = b.barriers[number];
    if (barrier.arrived_threads != 0 && barrier.wanted == 0 && barrier.arrived_threads >= b.live_threads)
      open_barrier(b, number);
  }
}

/// Called for an operation on matrices if some of the 32 lanes, which have to execute it together, are missing. If the
/// emulator has let them go, because another lane polled or was held back by an order, the operation waits for them, as
/// on a GPU. If other lanes are missing, it is a fault.
template <bool Watched>
[[gnu::noinline, gnu::cold]] bool interpreter<Watched>::gather_warp(block& b, warp& w, std::uint32_t pc) {
  const std::uint32_t missing = ~w.mask;
  path& s = w.paths[w.current];
  const bool apart = std::any_of(w.paths.begin(), w.paths.end(),
                                 [&](const path& other) { return other.pc == pc && other.join != s.join; });
  if (w.let_go != 0 && (missing & ~w.live) == 0 && s.mask == w.mask && !apart) {
    s.state = path_state::at_warp_barrier;
    s.pc = pc;
    release_warp_barriers(b, w);
    return false;
  }
  std::string words;
  if (const std::uint32_t never = missing & ~w.started; never != 0) {
    words = lane_list(never) + (std::popcount(never) == 1 ? " does" : " do") + " not exist: the block has " +
            std::to_string(b.launch->thread_count) + " threads";
  } else if (const std::uint32_t gone = missing & ~w.live; gone != 0) {
    words = lane_list(gone) + (std::popcount(gone) == 1 ? " has" : " have") + " left the kernel";
  } else {
    words = lane_list(missing) + (std::popcount(missing) == 1 ? " does" : " do") + " not come with the others";
  }
  return stop(b, w, pc, fault_kind::incomplete_warp, std::move(words));
}

std::vector<observers::waiting_lanes> waiting_lanes_of(const block& b) {
  using observers::waiting_lanes;
  std::vector<waiting_lanes> all;
  for (const warp& w : b.warps) {
    for (const path& s : w.paths) {
      waiting_lanes one{.warp = w.index, .mask = s.mask, .pc = s.pc};
      if (s.state == path_state::at_barrier) {
        one.barrier = s.waits_for;
      } else if (s.state == path_state::at_warp_barrier) {
        one.where = waiting_lanes::place::warp_operation;
        const op& o = b.launch->code->code[s.pc];
        const auto* members = reinterpret_cast<const std::uint32_t*>(w.file + member_slot(o));
        one.missing = members[std::countr_zero(s.mask)] & w.live & ~s.mask;
      }
      all.push_back(one);
    }
    if (w.live == 0) all.push_back({.where = waiting_lanes::place::exited, .warp = w.index});
  }
  return all;
}

EMULATOR_OF_BOTH(bool, warp_barrier(block&, warp&, const op&, std::uint32_t));
EMULATOR_OF_BOTH(bool, gather_warp(block&, warp&, std::uint32_t));
EMULATOR_OF_BOTH(bool, release_warp_barriers(block&, warp&));
EMULATOR_OF_BOTH(bool, arrive_at_barrier(block&, warp&, const op&, std::uint32_t));
EMULATOR_OF_BOTH(void, meet(warp&, const std::vector<op>&, const std::vector<std::size_t>&));
EMULATOR_OF_BOTH(void, perform_collective(block&, warp&, const op&, std::uint32_t, std::uint32_t));
EMULATOR_OF_BOTH(void, open_barrier(block&, unsigned));
EMULATOR_OF_BOTH(void, open_barriers_after_exit(block&));

}  // namespace emulator::simt
