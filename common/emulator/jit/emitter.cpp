// Basic blocks: entries, exits, branches, and calls to the interpreter.

#include "emulator/jit/emitter.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "emulator/simt/block.hpp"
#include "emulator/simt/decoder.hpp"

namespace emulator::simt::native {

using asmjit::Label;

emitter::emitter(const program& p, asmjit::CodeHolder& code, const native_kernel::form& wanted)
    : a(&code, wanted.width == vector_width::bytes_32),
      program_(p),
      watched_(wanted.who != watching::nobody),
      follows_(wanted.who == watching::path),
      full_(wanted.full),
      compares_(wanted.compares),
      vector_bytes_(wanted.width == vector_width::bytes_64 ? 64 : 32) {
  shape_.code = p.code;
  shape_.vector_registers = p.vector_registers;
  shape_.tables = p.tables;
  flow_ = flow_of(shape_);
  meets_.assign(p.code.size() + 1, false);
  for (const op& o : p.code) {
    if (o.reconvergence < p.code.size() && (o.kind == op_kind::branch || o.kind == op_kind::branch_table))
      meets_[o.reconvergence] = true;
  }
  entry_.resize(p.code.size() + 1);
  label_.resize(p.code.size() + 1);
  liveness_ = find_liveness(shape_, flow_, p.file_bytes / 64 + 1, [this](slot s) { return place_number(s); });
}

/// Sets `live_` for the operations of a basic block.
void emitter::live_before(std::uint32_t block) {
  const std::uint32_t begin = flow_.begin[block], end = flow_.begin[block + 1];
  live_.assign(end - begin + 1, liveness_[block].live_out);
  for (std::uint32_t pc = end; pc-- > begin;) {
    register_set& live = live_[pc - begin];
    live = live_[pc - begin + 1];
    step_back(shape_, shape_.code[pc], live, [this](slot s) { return place_number(s); });
  }
}

void emitter::write() {
  epilogue_ = a.newLabel();
  left_ = a.newLabel();
  resume_ = a.newLabel();
  for (std::uint32_t b = 0; b < flow_.exit; ++b) label_[flow_.begin[b]] = a.newLabel();
  label_[program_.code.size()] = a.newLabel();
  write_prologue();
  for (std::uint32_t b = 0; b < flow_.exit; ++b) {
    live_before(b);
    write_block(flow_.begin[b], flow_.begin[b + 1]);
  }
  a.bind(label_[program_.code.size()]);
  a.mov(x86::eax, static_cast<std::uint32_t>(program_.code.size()));
  a.jmp(epilogue_);
  const bool full = full_;
  for (std::size_t k = 0; k < detours_.size(); ++k) write_detour(detours_[k]);
  full_ = full;
  for (const call_out& c : calls_) {
    a.bind(c.label);
    a.mov(in_state(offsetof(native_state, executed)), count());
    a.mov(x86::rdi, state());
    if (c.meets) {
      a.mov(in_state(offsetof(native_state, pc), 4), c.pc);
      a.call(in_state(offsetof(native_state, meet)));
    } else {
      a.mov(x86::esi, c.pc);
      a.mov(x86::edx, x86::eax);
      a.call(in_state(offsetof(native_state, part)));
    }
    a.jmp(resume_);
  }
  a.bind(resume_);
  a.test(x86::rax, x86::rax);
  a.jz(left_);
  a.mov(x86::rbx, in_state(offsetof(native_state, file)));
  a.mov(lanes(), in_active(offsetof(running_lanes, mask), 4));
  a.jmp(x86::rax);
  for (const way_out& w : ways_out_) {
    a.bind(w.label);
    if (w.uncounted != 0) a.sub(count(), w.uncounted);
    if (follows_) a.mov(in_state(offsetof(native_state, attended), 1), 1);
    a.mov(x86::eax, w.pc);
    a.jmp(epilogue_);
  }
  a.bind(left_);
  a.mov(x86::eax, in_state(offsetof(native_state, pc), 4));
  a.bind(epilogue_);
  a.mov(in_state(offsetof(native_state, executed)), count());
  a.vzeroupper();
  a.add(x86::rsp, 8);
  for (const x86::Gp& r : {x86::r15, x86::r14, x86::r13, x86::r12, x86::rbp, x86::rbx}) a.pop(r);
  a.ret();
  for (const auto& [words, label] : pool_) {
    a.align(asmjit::AlignMode::kData, vector_bytes_);
    a.bind(label);
    for (const std::uint64_t word : words) a.embedUInt64(word);
  }
  for (auto at = numbers_.rbegin(); at != numbers_.rend(); ++at) {  // the widest first
    a.align(asmjit::AlignMode::kData, at->first.first);
    a.bind(at->second);
    at->first.first == 4 ? a.embedUInt32(static_cast<std::uint32_t>(at->first.second))
                         : a.embedUInt64(at->first.second);
  }
}

void emitter::write_prologue() {
  prologue_ = a.newLabel();
  a.bind(prologue_);
  for (const x86::Gp& r : {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15}) a.push(r);
  a.sub(x86::rsp, 8);
  a.mov(state(), x86::rdi);
  a.mov(x86::rbx, in_state(offsetof(native_state, file)));
  a.mov(lanes(), in_active(offsetof(running_lanes, mask), 4));
  a.mov(count(), in_state(offsetof(native_state, executed)));
  if (watched_) a.mov(edges(), in_state(offsetof(native_state, edges)));
  a.jmp(x86::rsi);
}

void emitter::write_block(std::uint32_t begin, std::uint32_t end) {
  block_begin_ = begin;
  forget();
  a.bind(label_[begin]);
  entry_[begin] = label_[begin];
  if (meets_[begin]) {
    a.cmp(in_state(offsetof(native_state, reconvergence), 4), begin);
    calls_.push_back({a.newLabel(), begin, true});
    a.je(calls_.back().label);
  }
  tell_from(begin, count_to_tell(begin, end));
  write_operations(begin, end);
  if (program_.code[end - 1].kind == op_kind::branch) return;
  save(live_[end - begin]);
  settle_count();
}

emitter::way emitter::way_of(std::uint32_t pc) {
  const op& o = program_.code[pc];
  if (o.kind == op_kind::branch) return way::branch;
  if (o.guard != no_slot) return way::by_loop;
  if (o.kind == op_kind::parameter_load) return parameter_at(o) ? way::in_line : way::by_loop;
  if (o.simple && knows_access(o)) return way::access;
  return o.plain_run != 0 || stays_together(o) ? way::in_line : way::by_loop;
}

/// Returns true if all lanes of the warp execute the operation together and all of them are active.
bool emitter::stays_together(const op& o) {
  if (!full_ || narrowed_from_ != no_pc) return false;
  if (o.kind != op_kind::warp_barrier && o.kind != op_kind::collective) return false;
  const slot members = member_slot(o);
  return members != no_slot && known(o, members) == 0xffffffffu;
}

void emitter::write_operations(std::uint32_t begin, std::uint32_t end) {
  std::uint32_t compared_from = no_pc;
  for (std::uint32_t pc = begin; pc != end; ++pc) {
    const bool plain = compares_ && program_.code[pc].plain_run != 0 && way_of(pc) == way::in_line;
    if (plain && compared_from == no_pc) {
      begin_compared(pc);
      compared_from = pc;
    } else if (!plain && compared_from != no_pc) {
      end_compared(std::exchange(compared_from, no_pc), pc);
    }
    ++number_;
    write_operation(pc);
  }
  if (compared_from != no_pc) end_compared(compared_from, end);
}

void emitter::begin_compared(std::uint32_t pc) {
  save(live_[pc - block_begin_]);
  forget();
  call_with_state(offsetof(native_state, compare_begin));
}

void emitter::end_compared(std::uint32_t begin, std::uint32_t end) {
  const register_set& live = live_[end - block_begin_];
  save(live);
  forget();
  const auto for_each_register = [this](op& o, const auto& f) {
    for_each_slot(shape_, o, [&](const slot& s, bool is_written) {
      if (!is_constant(s) && s != no_slot) f(s, is_written);
    });
  };
  if (named_.empty()) {
    named_.insert(program_.file_bytes);
    for (op& o : shape_.code) for_each_register(o, [this](slot s, bool) { named_.insert(s); });
  }
  std::set<slot> written;
  for (std::uint32_t pc = begin; pc != end; ++pc)
    for_each_register(shape_.code[pc], [&](slot s, bool is_written) {
      if (is_written && is_live(live, s)) written.insert(s);
    });
  compared_stretch& made = compared_.emplace_back();
  made.begin = begin;
  made.end = end;
  // A register ends at the beginning of the next one that the program uses.
  for (const slot s : written) made.written.push_back({s, *named_.upper_bound(s) - s});
  a.mov(x86::rsi, reinterpret_cast<std::uintptr_t>(&made));
  call_with_state(offsetof(native_state, compare_end));
}

void emitter::write_operation(std::uint32_t pc) {
  const op& o = program_.code[pc];
  switch (way_of(pc)) {
    case way::branch:
      return write_branch(pc);
    case way::by_loop:
      return call_loop(pc);
    case way::access:
      write_access(pc);
      break;
    case way::in_line:
      if (o.kind == op_kind::parameter_load)
        write_parameter(o, *parameter_at(o));
      else if (o.kind == op_kind::warp_barrier)
        write_warp_barrier(pc);
      else
        write_plain(pc);
      break;
  }
  ++pending_;
}

void emitter::write_plain(std::uint32_t pc) {
  const op& o = program_.code[pc];
  const recipe* const how = find_recipe(o.run);
  if (how != nullptr && how->write(*this, o, how->argument)) return;
  save(live_[pc - block_begin_]);
  call_handler(o);
  forget();
}

void emitter::write_warp_barrier(std::uint32_t pc) {
  if (!watched_) return;
  save(live_[pc - block_begin_]);
  forget();
  a.mov(x86::esi, pc);
  call_with_state(offsetof(native_state, meet_in_warp));
}

/// Returns the number of operations, starting at `pc`, that are reported together before they are executed: those that
/// are executed inline, and a branch after them. `end` is the end of the basic block.
std::uint32_t emitter::count_to_tell(std::uint32_t pc, std::uint32_t end) {
  std::uint32_t count = 0;
  while (follows_ && pc + count < end && way_of(pc + count) == way::in_line) ++count;
  return follows_ && pc + count < end && way_of(pc + count) == way::branch ? count + 1 : count;
}

/// Returns the same number for the operations after the one at `pc`.
std::uint32_t emitter::count_to_tell_behind(std::uint32_t pc) {
  return count_to_tell(pc + 1, flow_.begin[flow_.block_of[pc] + 1]);
}

/// Reports `count` operations, starting at `pc`. No values may be cached in registers.
void emitter::tell_from(std::uint32_t pc, std::uint32_t count) {
  if (count == 0) return;
  a.mov(x86::esi, pc);
  a.mov(x86::edx, count);
  call_with_state(offsetof(native_state, attend));
}

/// Returns the offset of the parameter that `o` reads, if it is known and the access is aligned and in bounds.
std::optional<std::uint32_t> emitter::parameter_at(const op& o) const {
  const bool wide = (o.flags & flag_address_64) != 0;
  const std::optional<std::uint64_t> base = constant(o.a, wide ? 8 : 4);
  if (!base || o.register_bytes != o.element_bytes || o.element_bytes < 4 || o.element_count != 1) return {};
  std::uint64_t at = *base + static_cast<std::uint64_t>(static_cast<std::int64_t>(o.imm));
  if (!wide) at = static_cast<std::uint32_t>(at);
  const std::uint64_t limit = program_.parameter_bytes;
  if ((at & (o.element_bytes - 1u)) != 0 || at >= limit || o.element_bytes > limit - at) return {};
  return static_cast<std::uint32_t>(at);
}

void emitter::write_parameter(const op& o, std::uint32_t at) {
  if (o.dst == no_slot) return;
  a.mov(x86::rax, in_state(offsetof(native_state, parameters)));
  const unsigned bytes = o.element_bytes;
  const x86::Vec first = write(o.dst, bytes, 0);
  const x86::Mem from = x86::ptr(x86::rax, static_cast<std::int32_t>(at), bytes);
  bytes == 4 ? a.vpbroadcastd(first, from) : a.vpbroadcastq(first, from);
  for (unsigned part = 1; part < parts(bytes); ++part) copy(write(o.dst, bytes, part), first);
}

/// The lanes that jump are only known at run time: none, all, or some. In the last case the interpreter makes the path
/// diverge.
void emitter::write_branch(std::uint32_t pc) {
  const op& o = program_.code[pc];
  const std::uint32_t target = o.target;
  if (o.guard != no_slot) {
    a.mov(x86::eax, read_predicate(o.guard));
    if (o.guard_negated) a.not_(x86::eax);
    a.and_(x86::eax, lanes());
  }
  save(live_[pc - block_begin_]);
  settle_count(1);
  if (o.guard != no_slot) {
    a.test(x86::eax, x86::eax);
    a.jz(label_[pc + 1]);
    a.cmp(x86::eax, lanes());
    calls_.push_back({a.newLabel(), pc, false});
    if (skips_few(pc)) {
      const Label all = a.newLabel();
      a.je(all);
      write_narrowed(pc);
      a.bind(all);
    } else {
      a.jne(calls_.back().label);
    }
  }
  if (target <= pc) {
    a.cmp(count(), in_state(offsetof(native_state, limit)));
    a.jae(leave_at(pc, 1));
  }
  if (watched_ && target != pc + 1) {
    a.mov(x86::rax, in_state(offsetof(native_state, lanes)));
    a.sub(times_at(pc + 1), 1);
    a.sub(lanes_at(pc + 1), x86::rax);
    a.add(times_at(target), 1);
    a.add(lanes_at(target), x86::rax);
  }
  a.jmp(label_[target]);
}

Label emitter::leave_at(std::uint32_t pc, std::uint32_t uncounted) {
  ways_out_.push_back({a.newLabel(), pc, uncounted});
  return ways_out_.back().label;
}

void emitter::settle_count(std::uint32_t more) {
  if (pending_ + more != 0) a.add(count(), pending_ + more);
  pending_ = 0;
}

/// Calls the interpreter to execute an operation; the code can be entered after it.
void emitter::call_loop(std::uint32_t pc) {
  save(live_[pc - block_begin_]);
  settle_count();
  forget();
  a.mov(in_state(offsetof(native_state, executed)), count());
  a.mov(x86::esi, pc);
  const op& o = program_.code[pc];
  const std::uint64_t barrier = o.kind == op_kind::barrier ? constant(o.a, 4).value_or(barrier_count) : barrier_count;
  const bool waits = barrier < barrier_count && o.guard == no_slot && o.b == no_slot && o.c == no_slot &&
                     o.dst == no_slot && static_cast<barrier_operation>(o.sub) == barrier_operation::sync;
  if (waits) a.mov(x86::edx, barrier);
  call_with_state(waits ? offsetof(native_state, wait) : offsetof(native_state, carry_out));
  a.mov(count(), in_state(offsetof(native_state, executed)));
  if (waits) {
    a.jmp(resume_);  // it never continues at once
  } else {
    a.cmp(x86::rax, 1);
    a.jne(resume_);
  }
  entry_[pc + 1] = a.newLabel();
  a.bind(entry_[pc + 1]);
  tell_from(pc + 1, count_to_tell_behind(pc));
}

/// Calls the function pointer at that offset of the state, with the state as first argument. The other arguments have
/// been set.
void emitter::call_with_state(std::size_t member) {
  a.vzeroupper();
  a.mov(x86::rdi, state());
  a.call(in_state(member));
}

void emitter::call_handler(const op& o) {
  a.vzeroupper();
  a.mov(x86::rdi, in_state(offsetof(native_state, of)));
  a.mov(x86::rsi, reinterpret_cast<std::uintptr_t>(&o));
  a.mov(x86::rax, reinterpret_cast<std::uintptr_t>(o.run));
  a.call(x86::rax);
}

}  // namespace emulator::simt::native
