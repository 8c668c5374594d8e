// Ordinary loads and stores whose lanes lie in a row or, of loads, at one place: what memory_unit::simple does, in
// line. Where it is not sure, the operation goes to the loop.
//
// rax: the lowest active address; rdx: how many bytes from there; rcx: from lane 0's place to the lowest active lane's;
// r15: where lane 0's word is in the host's memory, active or not. rsi and rdi are used on the way, and no register
// that holds a predicate, unless all these are written back.

#include <bit>
#include <cstddef>

#include "emulator/simt/memory_access.hpp"
#include "emulator/simt/native/emitter.hpp"

namespace emulator::simt::native {

using asmjit::Label;
using ptx::state_space;

struct emitter::access {
  const op* o = nullptr;
  std::uint32_t pc = 0;
  unsigned bytes = 4;          ///< A lane's.
  unsigned address_bytes = 4;  ///< Of an address register.
  bool loads = false;
  bool in_row = false;     ///< A row is told of by `tell_row`.
  std::uint32_t told = 0;  ///< What `tell` is to know beside how the lanes lie.
  x86::Zmm address[4];
  x86::Zmm data[8];                           ///< By element and part.
  bool wanted[4] = {true, true, true, true};  ///< By element.
  unsigned elements = 1;
  Label slow, back, one;
  Label slow_when_saved;  ///< From where nothing is left in the registers.

  [[nodiscard]] unsigned shift() const { return static_cast<unsigned>(std::countr_zero(bytes)); }
  [[nodiscard]] bool wide() const { return address_bytes == 8; }
};

bool emitter::knows_access(const op& o) const {
  if (o.element_bytes < 4) return false;
  if (o.element_count == 1) return o.kind == op_kind::load || !is_constant(o.a);
  // Vectors of a whole warp are taken apart; others are the loop's.
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
  x.slow_when_saved = a.newLabel();
  if (follows_) x.told = tell_followed | count_to_tell_behind(pc) * tell_behind;
  x.in_row = watched_ && !follows_ && x.bytes == 4 && o.space == state_space::shared;
  // An observer's call takes all vector registers, or some: before it, what is in those is written back.
  if (x.in_row) {
    keep_lasting(live_[pc - block_begin_]);
    lasting_only_ = true;
  } else if (watched_) {
    save(live_[pc - block_begin_]);
  }
  for (unsigned part = 0; part < parts(x.address_bytes); ++part) x.address[part] = read(o.a, x.address_bytes, part);
  const bool forgets = watched_ && !x.in_row;
  if (!forgets) take_data(x);
  lasting_only_ = false;
  if (!full_) static_cast<void>(lanes_of(2, 0));
  const values before = values_now();
  find_row(x);
  carry_access(x, false);
  if (forgets) {
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
      if (x.in_row) {
        take(behind);
        reload();
      }
      move_data(x, true);
    };
    add_detour(x.one, x.back, o, before, behind, write_one);
    if (x.in_row) add_detour(x.slow_when_saved, x.back, o, values{}, behind, {});
  }
  // With an observer nothing is left to write back, and after its call nothing is left in the registers.
  add_detour(x.slow, x.back, o, forgets ? values{} : before, behind, {});
}

/// The registers that are loaded or stored.
void emitter::take_data(access& x) {
  const op& o = *x.o;
  x.elements = o.element_count;
  const unsigned count = parts(o.element_bytes);
  for (unsigned e = 0; e < x.elements; ++e) {
    const slot s = x.elements != 1 ? program_.vector_registers[o.target + e] : x.loads ? o.dst : o.b;
    x.wanted[e] = s != no_slot;
    for (unsigned part = 0; part < count && x.wanted[e]; ++part)
      x.data[e * count + part] = x.loads ? write(s, o.element_bytes, part) : read(s, o.element_bytes, part);
  }
}

/// Takes a row of vectors apart: element after element, from as many times 64 bytes as a vector has elements.
void emitter::take_vectors_apart(const access& x) {
  const op& o = *x.o;
  const bool wide = o.element_bytes == 8;
  const unsigned count = parts(o.element_bytes), lanes_each = 64 / o.element_bytes;
  for (unsigned part = 0; part < count; ++part) {
    const auto at = [&](unsigned k) {
      return x86::ptr(x86::r15, static_cast<std::int32_t>(64 * (x.elements * part + k)), 64);
    };
    for (unsigned e = 0; e < x.elements; ++e) {
      if (!x.wanted[e]) continue;
      // Which of two times 64 bytes' numbers, for as many lanes as they have vectors.
      std::vector<std::uint64_t> from;
      for (unsigned k = 0; k < 8; ++k) {
        const auto number = [&](unsigned lane) { return std::uint64_t{(lane * x.elements + e) % (2 * lanes_each)}; };
        from.push_back(wide ? number(k) : number(2 * k + 1) << 32 | number(2 * k));
      }
      const auto two = [&](const x86::Zmm& to, unsigned k) {
        a.vmovdqa64(to, pooled(from));
        a.vmovdqu64(scratch(2), at(k));
        wide ? a.vpermi2q(to, scratch(2), at(k + 1)) : a.vpermi2d(to, scratch(2), at(k + 1));
      };
      const x86::Zmm to = x.data[e * count + part];
      two(to, 0);
      if (x.elements == 2) continue;
      two(scratch(1), 2);
      a.vinserti64x4(to, to, scratch(1).ymm(), 1);
    }
  }
}

/// Jumps away where the active lanes' addresses are not in a row; else sets eax or rax to lane 0's, or what it would
/// be.
void emitter::find_row(access& x) {
  const x86::Zmm same = scratch(0), offset = scratch(1), base = scratch(2), off = scratch(3);
  const unsigned count = parts(x.address_bytes);
  const bool uniform = is_constant(x.o->a);
  if (full_ || uniform) {
    x.wide() ? a.vpbroadcastq(same, x.address[0].xmm()) : a.vpbroadcastd(same, x.address[0].xmm());
  } else if (x.wide()) {
    a.vpbroadcastd(offset, in_row(offsetof(observers::words_in_row, first), 4));
    a.vpmovzxdq(offset, offset.ymm());
    a.vmovdqa64(same, offset);
    a.vpermi2q(same, x.address[0], x.address[1]);
    a.vmovdqa64(base, offset);
    a.vpermi2q(base, x.address[2], x.address[3]);
    a.vptestmq(x86::k6, offset, pooled(std::vector<std::uint64_t>(8, 16)));
    a.k(x86::k6).vmovdqa64(same, base);
  } else {
    a.vpbroadcastd(same, in_row(offsetof(observers::words_in_row, first), 4));
    a.vmovdqa64(offset, same);
    a.vpermi2d(same, x.address[0], x.address[1]);
  }
  if (full_) {
    a.vmovdqa64(base, same);
  } else {
    if (uniform) {
      a.vpbroadcastd(offset, in_row(offsetof(observers::words_in_row, first), 4));
      if (x.wide()) a.vpmovzxdq(offset, offset.ymm());
    }
    x.wide() ? a.vpsllq(offset, offset, x.shift()) : a.vpslld(offset, offset, x.shift());
    x.wide() ? a.vpsubq(base, same, offset) : a.vpsubd(base, same, offset);
  }
  a.vpxord(off, off, off);
  for (unsigned part = 0; part < count; ++part) {
    const x86::Mem by = lane_offsets(part * 64 / x.address_bytes, x.bytes, x.wide());
    x.wide() ? a.vpaddq(offset, base, by) : a.vpaddd(offset, base, by);
    if (!full_) a.k(lanes_of(x.address_bytes, part));
    // off |= address ^ what it has to be
    x.wide() ? a.vpternlogq(off, x.address[part], offset, 0xf6) : a.vpternlogd(off, x.address[part], offset, 0xf6);
  }
  a.vptestmd(x86::k6, off, off);
  a.kortestw(x86::k6, x86::k6);
  a.jnz(x.loads ? x.one : x.slow);
  x.wide() ? a.vmovq(x86::rax, base.xmm()) : a.vmovd(x86::eax, base.xmm());
}

/// The same for loads of one place: all addresses are the one that `find_row` has put into all lanes.
void emitter::find_place(const access& x) {
  const x86::Zmm same = scratch(0), off = scratch(3);
  if (!is_constant(x.o->a)) {
    a.vpxord(off, off, off);
    for (unsigned part = 0; part < parts(x.address_bytes); ++part) {
      if (!full_) a.k(lanes_of(x.address_bytes, part));
      x.wide() ? a.vpternlogq(off, x.address[part], same, 0xf6) : a.vpternlogd(off, x.address[part], same, 0xf6);
    }
    a.vptestmd(x86::k6, off, off);
    a.kortestw(x86::k6, x86::k6);
    a.jnz(x.slow);
  }
  x.wide() ? a.vmovq(x86::rax, same.xmm()) : a.vmovd(x86::eax, same.xmm());
}

/// From the address in rax: bounds, alignment, and the observer. Sets r15.
void emitter::carry_access(access& x, bool one) {
  const op& o = *x.o;
  const bool moves_on = !full_ && !one;  // the lowest active lane need not be lane 0
  if (o.imm != 0) x.wide() ? a.add(x86::rax, o.imm) : a.add(x86::eax, o.imm);
  if (moves_on) {
    a.mov(x86::ecx, in_row(offsetof(observers::words_in_row, first), 4));
    a.shl(x86::ecx, x.shift());
    x.wide() ? a.add(x86::rax, x86::rcx) : a.add(x86::eax, x86::ecx);
    a.mov(x86::edx, in_row(offsetof(observers::words_in_row, span), 4));
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
      a.jmp(in_global);  // 32 bits hold no window
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
  if (x.in_row && !one) {
    using observers::words_in_row;
    a.mov(in_row(offsetof(words_in_row, begin), 8), x86::rax);
    a.mov(in_row(offsetof(words_in_row, pc), 4), x.pc);
    a.lea(x86::rdi, in_state(offsetof(native_state, watch)));
    a.lea(x86::rsi, in_row(0, 8));
    a.call(in_state(offsetof(native_state, tell_row) + (x.loads ? 8 : 0)));
  } else {
    if (x.in_row) save_all();  // here everything goes
    a.vzeroupper();
    a.mov(x86::rdi, state());
    a.mov(x86::rsi, reinterpret_cast<std::uintptr_t>(&o));
    a.mov(x86::rdx, x86::rax);
    a.mov(x86::ecx, x.pc);
    a.call(in_state(offsetof(native_state, tell)));
  }
  a.test(x86::al, x86::al);
  a.jz(x.in_row && one ? x.slow_when_saved : x.slow);
}

void emitter::move_data(access& x, bool one) {
  const op& o = *x.o;
  if (x.elements != 1 && !one) return take_vectors_apart(x);
  const unsigned count = parts(o.element_bytes);
  for (unsigned e = 0; one && e < x.elements; ++e) {
    if (!x.wanted[e]) continue;
    const x86::Zmm first = x.data[e * count];
    const auto at = static_cast<std::int32_t>(e * o.element_bytes);
    o.element_bytes == 4 ? a.vpbroadcastd(first, x86::dword_ptr(x86::r15, at))
                         : a.vpbroadcastq(first, x86::qword_ptr(x86::r15, at));
    for (unsigned part = 1; part < count; ++part) a.vmovdqa64(x.data[e * count + part], first);
  }
  if (one) return;
  for (unsigned part = 0; part < parts(x.bytes); ++part) {
    const x86::Zmm data = x.data[part];
    const x86::Mem at = x86::ptr(x86::r15, static_cast<std::int32_t>(64 * part), 64);
    if (full_) {
      x.loads ? a.vmovdqu64(data, at) : a.vmovdqu64(at, data);
      continue;
    }
    a.k(lanes_of(x.bytes, part));
    if (x.loads) {
      a.z();
      x.bytes == 4 ? a.vmovdqu32(data, at) : a.vmovdqu64(data, at);
    } else {
      x.bytes == 4 ? a.vmovdqu32(at, data) : a.vmovdqu64(at, data);
    }
  }
}

}  // namespace emulator::simt::native
