// Ordinary loads and stores, executed inline if the lanes' addresses are contiguous or, for loads, uniform. If that
// isn't certain, the interpreter's loop executes the operation.
//
// rax: the lowest active address; rdx: number of bytes from there; rcx: distance from lane 0's address to the lowest
// active lane's; r15: address of lane 0's word in the host's memory, whether lane 0 is active or not. rsi and rdi are
// temporary. Registers that hold predicates are not used, unless all of them have been written back.

#include <cstddef>

#include "emulator/jit/emitter.hpp"
#include "emulator/simt/memory_access.hpp"

namespace emulator::simt::native {

using asmjit::Label;
using ptx::state_space;

bool emitter::knows_access(const op& o) const {
  if (o.element_bytes < 4) return false;
  if (o.element_count == 1) return o.kind == op_kind::load || !is_constant(o.a);
  // Only vector loads of a whole warp are handled here; the loop executes the others.
  return o.kind == op_kind::load && full_ && narrowed_from_ == no_pc;
}

void emitter::write_access(std::uint32_t pc) {
  const op& o = program_.code[pc];
  access x;
  x.o = &o;
  x.pc = pc;
  x.bytes = std::uint32_t{o.element_bytes} * o.element_count;
  x.address_bytes = (o.flags & flag_address_64) != 0 ? 8 : 4;
  x.loads = o.kind == op_kind::load;
  x.slow = a.newLabel();
  x.back = a.newLabel();
  x.one = a.newLabel();
  if (follows_) x.told = tell_followed | count_to_tell_behind(pc) * tell_behind;
  // The call to the observer overwrites all vector registers, so changed values are written back before it.
  if (watched_) save(live_[pc - block_begin_]);
  // With AVX2 there are enough registers for either the addresses or the data, so addresses are read from where they
  // are.
  const bool to_registers = has_masks() || (o.element_count == 1 && o.a == o.dst);
  for (unsigned part = 0; to_registers && part < parts(x.address_bytes); ++part)
    x.address[part] = read(o.a, x.address_bytes, part);
  if (!has_masks() && (!full_ || o.element_count != 1))
    save_register(o.a);  // its lanes are read from memory, or a load writes it in memory
  if (!watched_) take_data(x);
  for (unsigned part = 0; !to_registers && part < parts(x.address_bytes); ++part)
    x.address[part] = wherever_it_is(o.a, x.address_bytes, part);
  if (!full_ && has_masks()) static_cast<void>(lanes_of(2, 0));
  const values before = values_now();
  find_row(x);
  carry_access(x, false);
  if (watched_) {
    forget();
    take_data(x);
  }
  const values behind = values_now();
  move_data(x, false);
  a.bind(x.back);
  if (x.loads) {
    const auto write_one = [this, x, behind]() mutable {
      find_place(x);
      carry_access(x, true);
      masks_ready_ = false;
      move_data(x, true);
    };
    add_detour(x.one, x.back, o, before, behind, write_one);
  }
  // With an observer, everything has been written back before its call, and the registers are empty after it.
  add_detour(x.slow, x.back, o, watched_ ? values{} : before, behind, {});
}

/// Sets `same` to the lowest active lane's address, and `base` to lane 0's address, or to the one that it would have if
/// it isn't active. Uses mask registers.
void emitter::find_base_with_masks(const access& x, const x86::Vec& same, const x86::Vec& base) {
  const bool uniform = is_constant(x.o->a);
  const x86::Vec offset = scratch(1);
  const auto address = [&](unsigned part) { return x.address[part].as<x86::Vec>(); };
  if (full_ || uniform) {
    x.wide() ? a.vpbroadcastq(same, address(0).xmm()) : a.vpbroadcastd(same, address(0).xmm());
  } else if (x.wide()) {
    a.vpbroadcastd(offset, in_active(offsetof(running_lanes, first), 4));
    a.vpmovzxdq(offset, offset.ymm());
    a.vmovdqa64(same, offset);
    a.vpermi2q(same, address(0), address(1));
    a.vmovdqa64(base, offset);
    a.vpermi2q(base, address(2), address(3));
    a.vptestmq(x86::k6, offset, eight_bytes(16));
    a.k(x86::k6).vmovdqa64(same, base);
  } else {
    a.vpbroadcastd(same, in_active(offsetof(running_lanes, first), 4));
    a.vmovdqa64(offset, same);
    a.vpermi2d(same, address(0), address(1));
  }
  if (full_) {
    a.vmovdqa64(base, same);
    return;
  }
  if (uniform) {
    a.vpbroadcastd(offset, in_active(offsetof(running_lanes, first), 4));
    if (x.wide()) a.vpmovzxdq(offset, offset.ymm());
  }
  x.wide() ? a.vpsllq(offset, offset, x.shift()) : a.vpslld(offset, offset, x.shift());
  x.wide() ? a.vpsubq(base, same, offset) : a.vpsubd(base, same, offset);
}

/// Does the same with AVX2.
void emitter::find_base(const access& x, const x86::Vec& same, const x86::Vec& base) {
  const auto everywhere = [&](const x86::Mem& at) { x.wide() ? a.vpbroadcastq(same, at) : a.vpbroadcastd(same, at); };
  const bool uniform = is_constant(x.o->a);
  if (full_ || uniform) {
    if (x.address[0].isReg()) {
      const x86::Xmm first = x.address[0].as<x86::Vec>().xmm();
      x.wide() ? a.vpbroadcastq(same, first) : a.vpbroadcastd(same, first);
    } else {
      x86::Mem first = x.address[0].as<x86::Mem>();
      first.setSize(x.address_bytes);
      everywhere(first);
    }
  }
  if (full_) return copy(base, same);
  a.mov(x86::ecx, in_active(offsetof(running_lanes, first), 4));
  if (!uniform) {
    const auto of_lane = [&](const x86::Gp& lane, int more) {
      return x86::ptr(x86::rbx, lane, x.wide() ? 3 : 2,
                      static_cast<std::int32_t>(x.o->a) + more * static_cast<int>(x.address_bytes), x.address_bytes);
    };
    // Masks for all parts are expensive, so first check if the last lane's address is as expected.
    const auto of_width = [&](const x86::Gp& r) { return x.wide() ? x86::Gp(r.r64()) : x86::Gp(r.r32()); };
    const Label perhaps = a.newLabel();
    a.mov(x86::edx, in_active(offsetof(running_lanes, span), 4));
    a.lea(x86::esi, x86::ptr(x86::rcx, x86::rdx));
    a.mov(of_width(x86::rax), of_lane(x86::rcx, 0));
    a.mov(of_width(x86::rsi), of_lane(x86::rsi, -1));
    a.sub(of_width(x86::rsi), of_width(x86::rax));
    if (x.loads) a.jz(perhaps);
    a.dec(x86::edx);
    a.shl(x86::edx, x.shift());
    a.cmp(of_width(x86::rsi), of_width(x86::rdx));
    a.jne(x.slow);
    a.bind(perhaps);
    everywhere(of_lane(x86::rcx, 0));
  }
  a.shl(x86::ecx, x.shift());
  spread(base, x86::rcx, x.wide());
  x.wide() ? a.vpsubq(base, same, base) : a.vpsubd(base, same, base);
}

/// Jumps away if the active lanes' addresses are not contiguous; else sets eax or rax to lane 0's address, or to the
/// one that it would have if it isn't active.
void emitter::find_row(access& x) {
  const x86::Vec same = scratch(0), offset = scratch(1), base = scratch(2), off = scratch(3);
  has_masks() ? find_base_with_masks(x, same, base) : find_base(x, same, base);
  zero(off);
  for (unsigned part = 0; part < parts(x.address_bytes); ++part) {
    const x86::Mem by = lane_offsets(part, x.bytes, x.wide());
    x.wide() ? a.vpaddq(offset, base, by) : a.vpaddd(offset, base, by);
    add_difference(off, offset, x.address[part], x.address_bytes, part);
  }
  jump_unless_zero(off, x.loads ? x.one : x.slow);
  x.wide() ? a.vmovq(x86::rax, base.xmm()) : a.vmovd(x86::eax, base.xmm());
}

/// Does the same for uniform loads: all addresses must be equal to the one that `find_row` has copied to all lanes.
void emitter::find_place(const access& x) {
  const x86::Vec same = scratch(0), off = scratch(3);
  if (!is_constant(x.o->a)) {
    zero(off);
    for (unsigned part = 0; part < parts(x.address_bytes); ++part)
      add_difference(off, same, x.address[part], x.address_bytes, part);
    jump_unless_zero(off, x.slow);
  }
  x.wide() ? a.vmovq(x86::rax, same.xmm()) : a.vmovd(x86::eax, same.xmm());
}

/// Checks bounds and alignment of the address in rax, and calls the observer. Sets r15.
void emitter::carry_access(access& x, bool one) {
  const op& o = *x.o;
  const bool moves_on = !full_ && !one;  // the lowest active lane may not be lane 0
  if (o.imm != 0) x.wide() ? a.add(x86::rax, o.imm) : a.add(x86::eax, o.imm);
  if (moves_on) {
    a.mov(x86::ecx, in_active(offsetof(running_lanes, first), 4));
    a.shl(x86::ecx, x.shift());
    x.wide() ? a.add(x86::rax, x86::rcx) : a.add(x86::eax, x86::ecx);
    a.mov(x86::edx, in_active(offsetof(running_lanes, span), 4));
    a.shl(x86::edx, x.shift());
  } else {
    a.mov(x86::edx, one ? x.bytes : warp_size * x.bytes);
  }
  a.test(x86::al, static_cast<int>(x.bytes - 1));
  a.jnz(x.slow);
  const Label found = a.newLabel(), in_global = a.newLabel();
  const bool generic = o.space == state_space::generic;
  if (generic) {
    if (!x.wide()) {
      a.jmp(in_global);  // an address of 32 bits is in no window
    } else {
      a.mov(x86::rsi, x86::rax);
      a.shr(x86::rsi, 56);
      a.jz(in_global);
      a.cmp(x86::esi, static_cast<std::uint32_t>(shared_window >> 56));
      a.jne(x.slow);
      a.shl(x86::rax, 8);
      a.shr(x86::rax, 8);
    }
  }
  if (o.space != state_space::global) {
    a.mov(x86::rdi, in_state(offsetof(native_state, shared_limit) + (x.loads ? 8 : 0)));
    a.cmp(x86::rax, x86::rdi);
    a.jae(x.slow);
    a.lea(x86::rsi, x86::ptr(x86::rax, x86::rdx));
    a.cmp(x86::rsi, x86::rdi);
    a.ja(x.slow);
    a.mov(x86::r15, in_state(offsetof(native_state, shared)));
    a.add(x86::r15, x86::rax);
    if (watched_) a.mov(x86::r8d, (one ? tell_one : 0u) | tell_shared | x.told);
    if (generic) a.jmp(found);
  }
  if (o.space != state_space::shared) {
    a.bind(in_global);
    a.mov(x86::rsi, in_state(offsetof(native_state, recent) + (x.loads ? 8 : 0)));
    a.mov(x86::rdi, x86::rax);
    a.add(x86::rdi, x86::rdx);
    a.jc(x.slow);
    const Label second = a.newLabel(), within = a.newLabel();
    const auto member = [](std::size_t offset) { return x86::qword_ptr(x86::rsi, static_cast<std::int32_t>(offset)); };
    a.cmp(x86::rax, member(offsetof(recent_allocation, begin)));
    a.jb(second);
    a.cmp(x86::rdi, member(offsetof(recent_allocation, end)));
    a.jbe(within);
    a.bind(second);
    a.add(x86::rsi, sizeof(recent_allocation));
    a.cmp(x86::rax, member(offsetof(recent_allocation, begin)));
    a.jb(x.slow);
    a.cmp(x86::rdi, member(offsetof(recent_allocation, end)));
    a.ja(x.slow);
    a.bind(within);
    if (!x.loads) {
      a.cmp(member(offsetof(recent_allocation, stores)), 0);
      a.je(x.slow);
    }
    a.mov(x86::r15, x86::rax);
    if (watched_) {
      a.mov(x86::r9, member(offsetof(recent_allocation, allocation)));
      a.mov(x86::r8d, (one ? tell_one : 0u) | x.told);
    }
  }
  a.bind(found);
  if (moves_on) a.sub(x86::r15, x86::rcx);
  if (!watched_) return;
  a.mov(x86::rsi, reinterpret_cast<std::uintptr_t>(&o));
  a.mov(x86::rdx, x86::rax);
  a.mov(x86::ecx, x.pc);
  call_with_state(offsetof(native_state, tell));
}

}  // namespace emulator::simt::native
