// Enters machine code, and provides the functions of the interpreter that it calls.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/lanes.hpp"

namespace emulator::simt {

using observers::fault_kind;

/// Returns the machine code of the block's kernel, or null if it may not be used.
template <bool Watched>
native_kernel* interpreter<Watched>::code_for(const block& b) const {
  if (b.launch->native == nullptr || b.launch->order != nullptr) return nullptr;
  if constexpr (Watched)
    if (observer_->wants_results()) return nullptr;
  return b.launch->native;
}

template <bool Watched>
watching interpreter<Watched>::who_watches() const {
  if constexpr (Watched) return observer_->wants_instructions() ? watching::path : watching::observer;
  return watching::nobody;
}

/// Returns the kind of code that the block's launch needs.
template <bool Watched>
native_kernel::form interpreter<Watched>::form_of(const block& b, bool full) const {
  return {b.launch->native_width, who_watches(), full, b.launch->watched.native_compares};
}

/// Saves the registers before a section that is compared.
template <bool Watched>
void interpreter<Watched>::begin_comparison(native_state& s) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  const std::uint32_t bytes = s.in->launch->code->file_bytes;
  loop.registers_before_ = make_aligned_bytes(bytes);
  std::memcpy(loop.registers_before_.get(), s.file, bytes);
}

/// Repeats the section with the operations' handlers and the saved registers, and compares the results.
template <bool Watched>
void interpreter<Watched>::end_comparison(native_state& s, const compared_stretch& stretch) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  warp& w = *s.of;
  const program& p = *s.in->launch->code;
  std::byte* const own = std::exchange(w.file, loop.registers_before_.get());
  for (std::uint32_t pc = stretch.begin; pc != stretch.end; ++pc) p.code[pc].run(w, p.code[pc]);
  w.file = own;
  for (const compared_stretch::bytes& one : stretch.written) {
    if (std::memcmp(own + one.begin, loop.registers_before_.get() + one.begin, one.size) == 0) continue;
    std::fprintf(stderr,
                 "emulator: machine code and interpreter differ in %s, line %u: operations %u to %u, registers at byte "
                 "%u, warp %u, lanes %08x. It is a fault of the emulator: please report it, with the program.\n",
                 p.facts.demangled.c_str(), p.facts.instructions[stretch.begin].line, stretch.begin, stretch.end,
                 one.begin, w.index, w.mask);
    std::abort();
  }
}

/// Called after the loop has executed this number of operations itself. Generates machine code if that is worth the
/// time.
template <bool Watched>
void interpreter<Watched>::note_work(native_kernel& code, native_state& s, bool full, std::uint64_t operations) {
  const native_form*& form = s.forms[full ? 1 : 0];
  if (form != nullptr) return;
  code.worked(form_of(*s.in, full), operations, s.in->launch->watched.native_after);
  form = code.ready(form_of(*s.in, full));
}

template <bool Watched>
void interpreter<Watched>::prepare(block& b, warp& w, std::uint64_t limit, const native_kernel& code, native_state& s) {
  s.file = w.file;
  s.running = &w.mask;
  if constexpr (Watched) {
    static_assert(sizeof(observers::instruction_activity) == native_state::divergence_bytes);
    s.edges = observer_->edges();
    s.divergences = observer_->divergences();
  }
  s.limit = limit;
  for (const bool full : {false, true}) s.forms[full ? 1 : 0] = code.ready(form_of(b, full));
  memory_.prepare(b, s);
  s.parameters = b.launch->parameters.data();
  s.dimensions = b.launch->block;
  s.grid = b.launch->grid;
  s.block_index = b.identity.index;
  s.active.warp = w.index;
  s.of = &w;
  s.in = &b;
  s.loop = this;
  s.carry_out = &interpreter::carry_out_for_code;
  s.carry_out_apart = &interpreter::carry_out_apart_for_code;
  s.wait = &interpreter::wait_for_code;
  s.meet = &interpreter::meet_for_code;
  s.part = &interpreter::part_for_code;
  s.compare_begin = &interpreter::begin_comparison;
  s.compare_end = &interpreter::end_comparison;
  if constexpr (Watched) {
    s.meet_in_warp = [](native_state& of, std::uint32_t pc) {
      static_cast<interpreter*>(of.loop)->observer_->warp_barrier(of.active.warp, pc, of.active.mask);
    };
    s.attend = [](native_state& of, std::uint32_t pc, std::uint32_t count) {
      static_cast<interpreter*>(of.loop)->observer_->run(pc, count, of.active.mask);
    };
    s.tell = [](native_state& of, const op* o, std::uint64_t begin, std::uint32_t pc, std::uint32_t how,
                memory::allocation* in) {
      static_cast<interpreter*>(of.loop)->memory_.tell(of, *o, begin, pc, how, in);
    };
  }
}

/// Chooses the next path for machine code: one of the current warp, else one of the next warp that can run. Returns the
/// address of its code, or null if the loop has to continue.
template <bool Watched>
[[gnu::always_inline]] inline const std::byte* interpreter<Watched>::next_for_code(native_state& s) {
  block& b = *s.in;
  b.executed = s.executed;
  if (b.fault.kind != fault_kind::none || stands_aside_ || !(has_ready(*s.of) || next_warp_for_code(s))) {
    s.ended = true;
    return nullptr;
  }
  warp& w = *s.of;
  const path& now = w.paths[w.current];
  w.mask = now.mask;
  w.polls = 0;
  s.pc = now.pc;
  s.reconvergence = reconvergence_pc(w, now.join);
  if (now.mask != s.active.mask) s.enter(now.mask);
  if constexpr (Watched) observer_->enter(now.pc, now.mask);
  const native_form* const form = s.forms[now.mask == all_lanes ? 1 : 0];
  return form != nullptr ? form->entry(now.pc) : nullptr;
}

/// Chooses a path that can run. Returns false if there is none.
template <bool Watched>
inline bool interpreter<Watched>::has_ready(warp& w) {
  if (w.paths.empty()) return false;
  if (w.current >= w.paths.size()) w.current = static_cast<std::uint32_t>(w.paths.size()) - 1;
  return next_split(w);
}

/// Begins the next warp's turn, in the same order as `run_in_turns`. Returns false if no warp can run, or if the loop
/// has to decide.
template <bool Watched>
inline bool interpreter<Watched>::next_warp_for_code(native_state& s) {
  block& b = *s.in;
  const auto warps = static_cast<std::uint32_t>(b.warps.size());
  while (s.executed < turns_end_ && b.live_threads != 0) {
    if (turn_ + 1 != warps) {
      ++turn_;
    } else {  // between two rounds, the loop checks if the block is stalled
      if (!progress_ || watches_changes_) return false;
      progress_ = false;
      turn_ = 0;
    }
    warp& w = next_warp(b);
    if (w.live == 0 || !has_ready(w)) continue;
    progress_ = true;
    s.of = &w;
    s.file = w.file;
    s.running = &w.mask;
    s.active.warp = w.index;
    if constexpr (Watched) observer_->turn_of(w.index);
    s.limit = std::min(s.executed + b.launch->warp_slice, b.launch->instruction_limit);
    return true;
  }
  return false;
}

/// Executes a `bar.sync` of all threads if the warp arrives as a whole, as nearly all warps do. Otherwise, `carry_out`
/// executes it.
template <bool Watched>
const std::byte* interpreter<Watched>::wait_for_code(native_state& s, std::uint32_t pc, std::uint32_t number) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  warp& w = *s.of;
  block& b = *s.in;
  if (w.paths.size() != 1 || s.active.mask != w.live || w.let_go != 0 || loop.watches_changes_) [[unlikely]]
    return carry_out_for_code(s, pc);
  block_barrier& barrier = b.barriers[number];
  ++s.executed;
  if constexpr (Watched) {
    loop.observer_->run(pc, 1, s.active.mask);
    if (number == 0)
      loop.observer_->barrier_arrive_whole(w.index, pc, s.active.mask);
    else
      loop.observer_->barrier_arrive(w.index, pc, s.active.mask, s.active.mask, number);
    loop.observer_->leave(pc + 1, s.active.mask);
  }
  barrier.wanted = 0;
  barrier.operation = barrier_operation::sync;
  barrier.arrived[w.index] |= s.active.mask;
  barrier.arrived_threads += static_cast<std::uint32_t>(s.lanes);
  path& own = w.paths[0];
  own.state = path_state::at_barrier;
  own.waits_for = number;
  own.pc = pc;
  if (barrier.arrived_threads >= b.live_threads) loop.open_barrier(b, number);
  return loop.next_for_code(s);
}

template <bool Watched>
const std::byte* interpreter<Watched>::carry_out_apart_for_code(native_state& s, std::uint32_t pc,
                                                                std::uint32_t branch) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  warp& w = *s.of;
  loop.diverge(w, s.in->launch->code->code[branch], branch, s.outer & ~s.active.mask);
  s.reconvergence = reconvergence_pc(w, w.paths[w.current].join);
  const std::byte* const next = carry_out_for_code(s, pc);
  if (next != native_state::here) return next;
  return s.forms[0] != nullptr ? s.forms[0]->entry(pc + 1) : nullptr;
}

template <bool Watched>
const std::byte* interpreter<Watched>::meet_for_code(native_state& s) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  warp& w = *s.of;
  if constexpr (Watched) loop.observer_->leave(s.pc, s.active.mask);
  w.paths[w.current].pc = s.pc;
  loop.arrive_at_frame(w);
  return loop.next_for_code(s);
}

template <bool Watched>
const std::byte* interpreter<Watched>::part_for_code(native_state& s, std::uint32_t pc, std::uint32_t taken) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  warp& w = *s.of;
  if constexpr (Watched) {
    loop.observer_->branch(w.index, pc, s.active.mask, taken);
    loop.observer_->leave(pc + 1, s.active.mask);
  }
  loop.diverge(w, s.in->launch->code->code[pc], pc, taken);
  return loop.next_for_code(s);
}

/// Calls `carry_out` for machine code. Returns `native_state::here`, a different address at which the code continues,
/// or null if the code has to return.
template <bool Watched>
const std::byte* interpreter<Watched>::carry_out_for_code(native_state& s, std::uint32_t pc) {
  auto& loop = *static_cast<interpreter*>(s.loop);
  s.pc = pc;
  const bool goes_on = loop.carry_out(*s.in, *s.of, s.pc, s.active.mask, s.executed);
  if (loop.watches_changes_) [[unlikely]]
    loop.memory_.prepare(*s.in, s);  // after a change, stores need not be checked any more
  if (goes_on) return s.pc == pc + 1 ? native_state::here : nullptr;
  return loop.next_for_code(s);
}

EMULATOR_OF_BOTH(native_kernel::form, form_of(const block&, bool) const);
EMULATOR_OF_BOTH(native_kernel*, code_for(const block&) const);
EMULATOR_OF_BOTH(void, note_work(native_kernel&, native_state&, bool, std::uint64_t));
EMULATOR_OF_BOTH(void, prepare(block&, warp&, std::uint64_t, const native_kernel&, native_state&));

}  // namespace emulator::simt
