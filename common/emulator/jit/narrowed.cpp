// Short code that some lanes of a warp skip: the others execute it inline, without calling the interpreter to make the
// paths diverge and reconverge.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "emulator/jit/emitter.hpp"

namespace emulator::simt::native {

/// Returns true if lanes that take the branch skip a single basic block, after which they reconverge with the others,
/// and if the others can execute that block inline.
bool emitter::skips_few(std::uint32_t pc) const {
  const op& o = program_.code[pc];
  constexpr std::uint32_t few = 64;
  if (o.reconvergence != o.target || o.target <= pc + 1 || o.target - pc > few) return false;
  if (flow_.begin[flow_.block_of[pc + 1] + 1] != o.target) return false;
  return std::all_of(&program_.code[pc + 1], &program_.code[o.target], [this](const op& inner) {
    if (inner.guard != no_slot) return false;
    if (inner.kind == op_kind::parameter_load) return parameter_at(inner).has_value();
    return inner.plain_run != 0 || (inner.simple && inner.element_count == 1 && knows_access(inner));
  });
}

/// Lets the lanes that don't jump run to the reconvergence point, as if there were no others. eax contains the lanes
/// that jump.
void emitter::write_narrowed(std::uint32_t pc) {
  const op& o = program_.code[pc];
  const bool full = full_;
  const auto set_lanes = [this] {
    a.mov(in_active(offsetof(running_lanes, mask), 4), lanes());
    a.mov(x86::rcx, in_state(offsetof(native_state, running)));
    a.mov(x86::dword_ptr(x86::rcx), lanes());
  };
  const auto count_lanes = [this] {  // sets the members that depend on the active lanes
    a.tzcnt(x86::ecx, lanes());
    a.mov(in_active(offsetof(running_lanes, first), 4), x86::ecx);
    a.shrx(x86::edx, lanes(), x86::ecx);
    a.lzcnt(x86::esi, x86::edx);
    a.neg(x86::esi);
    a.add(x86::esi, 32);
    a.mov(in_active(offsetof(running_lanes, span), 4), x86::esi);
    a.lea(x86::esi, x86::ptr(x86::rdx, 1));
    a.test(x86::esi, x86::edx);
    a.sete(in_active(offsetof(running_lanes, gapless), 1));
    a.popcnt(x86::ecx, lanes());
    a.mov(in_state(offsetof(native_state, lanes)), x86::rcx);
  };
  const auto add_lanes = [this](std::uint32_t at, bool more) {  // adds or subtracts the number of lanes in eax
    a.popcnt(x86::ecx, x86::eax);
    more ? a.add(lanes_at(at), x86::rcx) : a.sub(lanes_at(at), x86::rcx);
  };
  if (watched_) {
    a.mov(x86::rcx, in_state(offsetof(native_state, divergences)));
    a.inc(x86::qword_ptr(x86::rcx, static_cast<std::int32_t>(pc * native_state::divergence_bytes)));
    add_lanes(pc + 1, false);
  }
  a.mov(in_state(offsetof(native_state, outer), 4), lanes());
  a.not_(x86::eax);
  a.and_(lanes(), x86::eax);
  set_lanes();
  count_lanes();
  // Cached values are valid for all lanes and have been written back; from here on, only the active lanes change.
  full_ = false;
  masks_ready_ = false;
  narrowed_from_ = pc;
  live_of_block_.swap(live_);
  const std::uint32_t begin_before = std::exchange(block_begin_, pc + 1);
  live_before(flow_.block_of[pc + 1]);
  if (follows_) {
    forget();
    tell_from(pc + 1, count_to_tell(pc + 1, o.target));
  }
  write_operations(pc + 1, o.target);
  save(live_[o.target - block_begin_]);
  settle_count();
  live_of_block_.swap(live_);
  block_begin_ = begin_before;
  narrowed_from_ = no_pc;
  full_ = full;
  a.mov(x86::eax, lanes());
  a.mov(lanes(), in_state(offsetof(native_state, outer), 4));
  set_lanes();
  if (watched_) {
    a.not_(x86::eax);
    a.and_(x86::eax, lanes());
    add_lanes(o.target, true);
  }
  if (full_) {
    a.mov(in_active(offsetof(running_lanes, first), 4), 0);
    a.mov(in_active(offsetof(running_lanes, span), 4), 32);
    a.mov(in_active(offsetof(running_lanes, gapless), 1), 1);
    a.mov(in_state(offsetof(native_state, lanes)), 32);
  } else {
    count_lanes();
  }
  a.jmp(label_[o.target]);
}

}  // namespace emulator::simt::native
