// Long because there is a line for each instruction.
// What operations become.
//
// A recipe is found by the handler that does the same in the interpreter, and that by the name of the instruction:
// there is one list of what an instruction means, the finders' own (operations.hpp). What comes out must be what the
// handler makes of it, bit for bit: tests/emulator/simt/native_code.cpp compares.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "emulator/simt/native/emitter.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt::native {
namespace {

using asmjit::Label;
using asmjit::Operand;
using id = std::uint32_t;
namespace Inst = x86::Inst;

// ------------------------------------------------------------------------------------------------ arguments
// A recipe's argument: the processor's instruction in the low bits, then what else it has to know.
constexpr std::uint32_t id_bits = 0xffffu;
constexpr unsigned bytes_at = 16, more_at = 20;
constexpr std::uint32_t argument(std::uint32_t instruction, unsigned bytes, std::uint32_t more = 0) {
  return instruction | bytes << bytes_at | more << more_at;
}
unsigned bytes_in(std::uint32_t argument) {
  return argument >> bytes_at & 15u;
}
std::uint32_t more_in(std::uint32_t argument) {
  return argument >> more_at;
}
id instruction_in(std::uint32_t argument) {
  return argument & id_bits;
}

// ------------------------------------------------------------------------------------------------ integers
bool binary(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    const Operand b = e.read_or_constant(o.b, bytes, part);
    e.a.emit(instruction_in(arg), e.write(o.dst, bytes, part), a, b);
  }
  return true;
}

bool multiply_add(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    const Operand b = e.read_or_constant(o.b, bytes, part);
    const Operand c = e.read_or_constant(o.c, bytes, part);
    e.a.emit(instruction_in(arg), emitter::scratch(0), a, b);
    e.a.emit(bytes == 4 ? Inst::kIdVpaddd : Inst::kIdVpaddq, e.write(o.dst, bytes, part), emitter::scratch(0), c);
  }
  return true;
}

/// Puts lanes 8 * half and up of a 32-bit register's part, as 64 bits each, into `to`. \param extend  the instruction
void widen(emitter& e, slot s, unsigned part, id extend, const x86::Zmm& to) {
  const x86::Zmm from = e.read(s, 4, part / 2);
  if (part % 2 == 0) {
    e.a.emit(extend, to, from.ymm());
    return;
  }
  e.a.vextracti64x4(to.ymm(), from, 1);
  e.a.emit(extend, to, to.ymm());
}

/// mul.wide, mad.wide of 32 bits. more: 1 signed, 2 with a sum.
bool wide_product(emitter& e, const op& o, std::uint32_t arg) {
  const bool is_signed = (more_in(arg) & 1u) != 0, adds = (more_in(arg) & 2u) != 0;
  const id extend = is_signed ? Inst::kIdVpmovsxdq : Inst::kIdVpmovzxdq;
  const id multiply = is_signed ? Inst::kIdVpmuldq : Inst::kIdVpmuludq;
  for (unsigned part = 0; part < 4; ++part) {
    widen(e, o.a, part, extend, emitter::scratch(0));
    widen(e, o.b, part, extend, emitter::scratch(1));
    if (!adds) {
      e.a.emit(multiply, e.write(o.dst, 8, part), emitter::scratch(0), emitter::scratch(1));
      continue;
    }
    const Operand c = e.read_or_constant(o.c, 8, part);
    e.a.emit(multiply, emitter::scratch(0), emitter::scratch(0), emitter::scratch(1));
    e.a.emit(Inst::kIdVpaddq, e.write(o.dst, 8, part), emitter::scratch(0), c);
  }
  return true;
}

/// A shift: the instructions for an amount in a register and for one that is known.
struct shift_form {
  id by_register, by_number;
  unsigned bytes;
  bool keeps_sign;
};
constexpr shift_form shifts[] = {
    {Inst::kIdVpsllvd, Inst::kIdVpslld, 4, false}, {Inst::kIdVpsllvq, Inst::kIdVpsllq, 8, false},
    {Inst::kIdVpsrlvd, Inst::kIdVpsrld, 4, false}, {Inst::kIdVpsrlvq, Inst::kIdVpsrlq, 8, false},
    {Inst::kIdVpsravd, Inst::kIdVpsrad, 4, true},  {Inst::kIdVpsravq, Inst::kIdVpsraq, 8, true},
};

/// The argument: which of `shifts`.
bool shift(emitter& e, const op& o, std::uint32_t which) {
  const shift_form& form = shifts[which];
  const auto known = e.constant(o.b, 4);
  for (unsigned part = 0; part < emitter::parts(form.bytes); ++part) {
    const x86::Zmm a = e.read(o.a, form.bytes, part);
    if (known) {
      // Beyond the width nothing is left, or the sign.
      const std::uint64_t by = std::min<std::uint64_t>(*known, 8 * form.bytes - (form.keeps_sign ? 1 : 0));
      e.a.emit(form.by_number, e.write(o.dst, form.bytes, part), a, asmjit::imm(by));
    } else if (form.bytes == 4) {
      const x86::Zmm by = e.read(o.b, 4, part);
      e.a.emit(form.by_register, e.write(o.dst, 4, part), a, by);
    } else {
      widen(e, o.b, part, Inst::kIdVpmovzxdq, emitter::scratch(0));
      e.a.emit(form.by_register, e.write(o.dst, 8, part), a, emitter::scratch(0));
    }
  }
  return true;
}

bool unary(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    e.a.emit(instruction_in(arg), e.write(o.dst, bytes, part), a);
  }
  return true;
}

bool negate(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  e.a.vpxord(emitter::scratch(0), emitter::scratch(0), emitter::scratch(0));
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    e.a.emit(instruction_in(arg), e.write(o.dst, bytes, part), emitter::scratch(0), a);
  }
  return true;
}

bool bit_not(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    e.a.vpternlogd(e.write(o.dst, bytes, part), a, a, 0x55);
  }
  return true;
}

bool lop3(emitter& e, const op& o, std::uint32_t) {
  for (unsigned part = 0; part < 2; ++part) {
    const x86::Zmm a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    const Operand c = e.read_or_constant(o.c, 4, part);
    e.a.vmovdqa64(emitter::scratch(0), a);
    e.a.emit(Inst::kIdVpternlogd, emitter::scratch(0), b, c, asmjit::imm(o.imm & 0xff));
    e.a.vmovdqa64(e.write(o.dst, 4, part), emitter::scratch(0));
  }
  return true;
}

/// prmt with a known selector, in its index form, as far as no byte is to be a sign.
bool permute_bytes(emitter& e, const op& o, std::uint32_t) {
  const auto selector = e.known(o, o.c);
  if (o.imm != 0 || !selector || (*selector & 0x8888u) != 0) return false;
  // For each byte which one of the first operand, or of the second; 0x80: none.
  const auto bytes_from = [&](unsigned operand) {
    std::vector<std::uint64_t> words;
    for (unsigned k = 0; k < 8; ++k) {
      std::uint64_t word = 0;
      for (unsigned b = 0; b < 8; ++b) {
        const unsigned wanted = *selector >> 4 * (b % 4) & 7u, lane = (2 * k + b / 4) % 4;
        word |= std::uint64_t{wanted / 4 == operand ? 4 * lane + wanted % 4 : 0x80u} << 8 * b;
      }
      words.push_back(word);
    }
    return e.pooled(words);
  };
  for (unsigned part = 0; part < 2; ++part) {
    const x86::Zmm a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    e.a.vpshufb(emitter::scratch(0), a, bytes_from(0));
    e.a.vpshufb(emitter::scratch(1), b, bytes_from(1));
    e.a.vpord(e.write(o.dst, 4, part), emitter::scratch(0), emitter::scratch(1));
  }
  return true;
}

/// shf: 32 of the 64 bits of two registers. more: 1 to the left, 2 where the amount wraps.
bool funnel(emitter& e, const op& o, std::uint32_t arg) {
  const bool left = (more_in(arg) & 1u) != 0, wraps = (more_in(arg) & 2u) != 0;
  const x86::Zmm by = emitter::scratch(0), rest = emitter::scratch(1), one = emitter::scratch(2);
  for (unsigned part = 0; part < 2; ++part) {
    const x86::Zmm low = e.read(o.a, 4, part), high = e.read(o.b, 4, part), amount = e.read(o.c, 4, part);
    if (wraps)
      e.a.vpandd(by, amount, e.four_bytes(31));
    else
      e.a.vpminud(by, amount, e.four_bytes(32));
    e.a.vmovdqa64(rest, e.four_bytes(32));
    e.a.vpsubd(rest, rest, by);
    // A shift by 32 leaves nothing.
    if (left) {
      e.a.vpsllvd(one, high, by);
      e.a.vpsrlvd(rest, low, rest);
    } else {
      e.a.vpsrlvd(one, low, by);
      e.a.vpsllvd(rest, high, rest);
    }
    e.a.vpord(e.write(o.dst, 4, part), one, rest);
  }
  return true;
}

bool move(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  if (e.is_constant(o.a) && bytes >= 4) {
    const x86::Zmm first = e.write(o.dst, bytes, 0);
    e.broadcast(first, o.a, bytes);
    for (unsigned part = 1; part < emitter::parts(bytes); ++part) e.a.vmovdqa64(e.write(o.dst, bytes, part), first);
    return true;
  }
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    e.a.vmovdqa64(e.write(o.dst, bytes, part), a);
  }
  return true;
}

bool move_predicate(emitter& e, const op& o, std::uint32_t) {
  const x86::Gp a = e.read_predicate(o.a);
  e.a.mov(e.write_predicate(o.dst), a);
  return true;
}

/// and, or, xor (more: 0, 1, 2) and not (3) of predicates.
bool predicates(emitter& e, const op& o, std::uint32_t what) {
  e.a.mov(x86::eax, e.read_predicate(o.a));
  if (what == 3)
    e.a.not_(x86::eax);
  else
    e.a.emit(what == 0 ? Inst::kIdAnd : what == 1 ? Inst::kIdOr : Inst::kIdXor, x86::eax, e.read_predicate(o.b));
  e.a.mov(e.write_predicate(o.dst), x86::eax);
  return true;
}

/// Division and remainder by what is a power of two, the same for all lanes. more: 1 for the remainder.
bool divide(emitter& e, const op& o, std::uint32_t arg) {
  const bool remainder = more_in(arg) != 0;
  const unsigned bytes = bytes_in(arg), count = emitter::parts(bytes);
  const bool wide = bytes == 8;
  const auto known = e.constant(o.b, bytes);
  // Which lane to ask for a divisor that is not known is clear where all run.
  if (known ? !std::has_single_bit(*known) : !e.full()) return false;
  x86::Zmm a[4];
  for (unsigned part = 0; part < count; ++part) a[part] = e.read(o.a, bytes, part);
  const x86::Zmm same = emitter::scratch(0);
  const auto broadcast = [&](const x86::Gp& from) {
    wide ? e.a.vpbroadcastq(same, from.r64()) : e.a.vpbroadcastd(same, from.r32());
  };
  const Label slow = e.a.newLabel(), back = e.a.newLabel();
  if (known) {
    e.a.mov(x86::rax, *known);
  } else {
    x86::Zmm b[4];
    for (unsigned part = 0; part < count; ++part) b[part] = e.read(o.b, bytes, part);
    // Before the ways part, so that both know where the result stands.
    for (unsigned part = 0; part < count; ++part) static_cast<void>(e.write(o.dst, bytes, part));
    wide ? e.a.vmovq(x86::rax, b[0].xmm()) : e.a.vmovd(x86::eax, b[0].xmm());
    broadcast(x86::rax);
    for (unsigned part = 0; part < count; ++part) {
      const x86::KReg k = part == 0 ? x86::k6 : x86::k7;
      wide ? e.a.vpcmpq(k, b[part], same, 4) : e.a.vpcmpd(k, b[part], same, 4);
      if (part != 0) e.a.korw(x86::k6, x86::k6, x86::k7);
    }
    e.a.lea(x86::rcx, x86::ptr(x86::rax, -1));
    e.a.test(x86::rax, x86::rcx);
    e.a.jnz(slow);
    e.a.test(x86::rax, x86::rax);
    e.a.jz(slow);
    e.a.kortestw(x86::k6, x86::k6);
    e.a.jnz(slow);
    e.slow_way(o, slow, back);
  }
  // The divisor less one, or by how much to shift.
  if (remainder) {
    e.a.dec(x86::rax);
    broadcast(x86::rax);
  } else {
    e.a.tzcnt(x86::rax, x86::rax);
    e.a.vmovq(same.xmm(), x86::rax);
  }
  for (unsigned part = 0; part < count; ++part) {
    const x86::Zmm to = e.write(o.dst, bytes, part);
    if (remainder)
      e.a.vpandq(to, a[part], same);
    else
      wide ? e.a.vpsrlq(to, a[part], same.xmm()) : e.a.vpsrld(to, a[part], same.xmm());
  }
  if (!known) e.a.bind(back);
  return true;
}

// ------------------------------------------------------------------------------------------------ comparisons
/// setp. The argument: the instruction that compares, the operands' width, and the processor's number of the
/// comparison.
bool set_predicate(emitter& e, const op& o, std::uint32_t arg) {
  if ((o.imm & (8 | 16)) != 0) return false;
  const unsigned bytes = bytes_in(arg);
  const id compare = instruction_in(arg);
  const auto how = asmjit::imm(more_in(arg));
  const auto part_to = [&](const x86::KReg& k, unsigned part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    e.a.emit(compare, k, a, e.read_or_constant(o.b, bytes, part), how);
  };
  part_to(x86::k6, 0);
  if (bytes == 4) {
    part_to(x86::k7, 1);
    e.a.kunpckwd(x86::k6, x86::k7, x86::k6);
    e.a.kmovd(x86::eax, x86::k6);
  } else if (bytes == 2) {
    e.a.kmovd(x86::eax, x86::k6);
  } else {
    part_to(x86::k7, 1);
    e.a.kunpckbw(x86::k6, x86::k7, x86::k6);
    e.a.kmovd(x86::eax, x86::k6);
    part_to(x86::k6, 2);
    part_to(x86::k7, 3);
    e.a.kunpckbw(x86::k6, x86::k7, x86::k6);
    e.a.kmovd(x86::ecx, x86::k6);
    e.a.shl(x86::ecx, 16);
    e.a.or_(x86::eax, x86::ecx);
  }
  const bool two = o.target != no_pc;
  const int join = o.imm & 3;
  if (two) {
    e.a.mov(x86::esi, x86::eax);
    e.a.not_(x86::esi);
  }
  if (join != 0) {
    e.a.mov(x86::edi, e.read_predicate(o.c));
    if ((o.imm & 4) != 0) e.a.not_(x86::edi);
    const id with = join == 1 ? Inst::kIdAnd : join == 2 ? Inst::kIdOr : Inst::kIdXor;
    e.a.emit(with, x86::eax, x86::edi);
    if (two) e.a.emit(with, x86::esi, x86::edi);
  }
  if (o.dst != no_slot) e.a.mov(e.write_predicate(o.dst), x86::eax);
  if (two) e.a.mov(e.write_predicate(o.target), x86::esi);
  return true;
}

bool select(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  const x86::Gp p = e.read_predicate(o.c);
  if (o.imm != 0) {
    e.a.mov(x86::eax, p);
    e.a.not_(x86::eax);
    e.a.kmovd(x86::k6, x86::eax);
  } else {
    e.a.kmovd(x86::k6, p);
  }
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const unsigned by = part * (64 / bytes);
    x86::KReg k = x86::k6;
    if (by != 0) {
      e.a.kshiftrd(x86::k7, x86::k6, by);
      k = x86::k7;
    }
    const x86::Zmm b = e.read(o.b, bytes, part);
    const Operand a = e.read_or_constant(o.a, bytes, part);
    const id blend = bytes == 2 ? Inst::kIdVpblendmw : bytes == 4 ? Inst::kIdVpblendmd : Inst::kIdVpblendmq;
    const x86::Zmm d = e.write(o.dst, bytes, part);  // which may write code of its own
    e.a.k(k).emit(blend, d, b, a);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ conversions
/// Between integers, of registers just as wide. The argument: the instruction, and in `more` 4 * log2 of the bytes from
/// + log2 of the bytes to.
bool extend(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned from = 1u << (more_in(arg) >> 2), to = 1u << (more_in(arg) & 3u);
  if (o.element_bytes != from || o.register_bytes != to) return false;
  const id how = instruction_in(arg);
  if (from == to) return move(e, o, argument(0, from));
  if (from == 4 && to == 8) {
    for (unsigned part = 0; part < 4; ++part) {
      widen(e, o.a, part, how, emitter::scratch(0));
      e.a.vmovdqa64(e.write(o.dst, 8, part), emitter::scratch(0));
    }
    return true;
  }
  if (from == 8 && to == 4) {
    for (unsigned part = 0; part < 2; ++part) {
      const x86::Zmm low = e.read(o.a, 8, 2 * part), high = e.read(o.a, 8, 2 * part + 1);
      e.a.vpmovqd(emitter::scratch(0).ymm(), low);
      e.a.vpmovqd(emitter::scratch(1).ymm(), high);
      e.a.vinserti64x4(e.write(o.dst, 4, part), emitter::scratch(0), emitter::scratch(1).ymm(), 1);
    }
    return true;
  }
  if (from == 2 && to == 4) {
    const x86::Zmm a = e.read(o.a, 2, 0);
    e.a.vextracti64x4(emitter::scratch(0).ymm(), a, 1);
    e.a.emit(how, e.write(o.dst, 4, 0), a.ymm());
    e.a.emit(how, e.write(o.dst, 4, 1), emitter::scratch(0).ymm());
    return true;
  }
  if (from == 4 && to == 2) {
    const x86::Zmm low = e.read(o.a, 4, 0), high = e.read(o.a, 4, 1);
    e.a.vpmovdw(emitter::scratch(0).ymm(), low);
    e.a.vpmovdw(emitter::scratch(1).ymm(), high);
    e.a.vinserti64x4(e.write(o.dst, 2, 0), emitter::scratch(0), emitter::scratch(1).ymm(), 1);
    return true;
  }
  return false;
}

/// From 32-bit integers to single precision.
bool to_single(emitter& e, const op& o, std::uint32_t arg) {
  if (o.element_bytes != 4 || o.register_bytes != 4) return false;
  return unary(e, o, argument(instruction_in(arg), 4));
}

// ------------------------------------------------------------------------------------------------ floating point
/// In single precision there is one NaN.
void make_canonical(emitter& e, const x86::Zmm& r) {
  e.a.vcmpps(x86::k6, r, r, 3);
  e.a.k(x86::k6).vmovdqa32(r, e.four_bytes(0x7fffffffu));
}

bool float_binary(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    const Operand b = e.read_or_constant(o.b, bytes, part);
    const x86::Zmm d = e.write(o.dst, bytes, part);
    e.a.emit(instruction_in(arg), d, a, b);
    if (bytes == 4) make_canonical(e, d);
  }
  return true;
}

bool fused(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part), b = e.read(o.b, bytes, part);
    const Operand c = e.read_or_constant(o.c, bytes, part);
    e.a.vmovdqa64(emitter::scratch(0), a);
    e.a.emit(instruction_in(arg), emitter::scratch(0), b, c);
    if (bytes == 4) make_canonical(e, emitter::scratch(0));
    e.a.vmovdqa64(e.write(o.dst, bytes, part), emitter::scratch(0));
  }
  return true;
}

/// The smaller or larger of two numbers of single precision: a NaN loses, and -0 is smaller than +0.
/// more: 1 for the larger.
bool extreme(emitter& e, const op& o, std::uint32_t arg) {
  const bool larger = more_in(arg) != 0;
  for (unsigned part = 0; part < 2; ++part) {
    const x86::Zmm a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    const x86::Zmm r = emitter::scratch(0);
    e.a.emit(larger ? Inst::kIdVmaxps : Inst::kIdVminps, r, a, b);
    e.a.vcmpps(x86::k6, a, b, 0);
    e.a.k(x86::k6).emit(larger ? Inst::kIdVpandd : Inst::kIdVpord, r, a, b);
    e.a.vcmpps(x86::k6, b, b, 3);
    e.a.k(x86::k6).vmovdqa32(r, a);
    e.a.vcmpps(x86::k6, a, a, 3);
    e.a.k(x86::k6).vmovdqa32(r, b);
    make_canonical(e, r);
    e.a.vmovdqa64(e.write(o.dst, 4, part), r);
  }
  return true;
}

bool root(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  for (unsigned part = 0; part < emitter::parts(bytes); ++part) {
    const x86::Zmm a = e.read(o.a, bytes, part);
    const x86::Zmm d = e.write(o.dst, bytes, part);
    e.a.emit(instruction_in(arg), d, a);
    if (bytes == 4) make_canonical(e, d);
  }
  return true;
}

/// neg and abs of single precision. more: 1 for abs.
bool change_sign(emitter& e, const op& o, std::uint32_t arg) {
  const bool clears = more_in(arg) != 0;
  for (unsigned part = 0; part < 2; ++part) {
    const x86::Zmm a = e.read(o.a, 4, part);
    e.a.emit(clears ? Inst::kIdVpandd : Inst::kIdVpxord, e.write(o.dst, 4, part), a,
             e.four_bytes(clears ? 0x7fffffffu : 0x80000000u));
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ other lanes
enum shuffle_mode : std::uint32_t { shuffle_up, shuffle_down, shuffle_butterfly, shuffle_index };

/// shfl of all lanes, whose amount and segment are known. The argument: the mode.
bool shuffle(emitter& e, const op& o, std::uint32_t mode) {
  const auto amount_known = e.known(o, o.b), c = e.known(o, o.c);
  if (!amount_known || !c) return false;
  const int amount = static_cast<int>(*amount_known & 31u), clamp = static_cast<int>(*c & 31u);
  const int segment = static_cast<int>(*c >> 8 & 31u);
  std::uint32_t from[warp_size], in_range = 0;
  for (int lane = 0; lane < static_cast<int>(warp_size); ++lane) {
    const int first = lane & segment, last = first | (clamp & ~segment);
    const int there = mode == shuffle_up          ? lane - amount
                      : mode == shuffle_down      ? lane + amount
                      : mode == shuffle_butterfly ? lane ^ amount
                                                  : first | (amount & ~segment);
    const bool good = mode == shuffle_up ? there >= last : there <= last;
    from[lane] = static_cast<std::uint32_t>(good ? there : lane);
    in_range |= (good ? 1u : 0u) << lane;
  }
  if (o.dst != no_slot) {
    const x86::Zmm low = e.read(o.a, 4, 0), high = e.read(o.a, 4, 1);
    for (unsigned part = 0; part < 2; ++part) {
      std::vector<std::uint64_t> words;
      for (unsigned k = 0; k < 8; ++k)
        words.push_back(std::uint64_t{from[16 * part + 2 * k + 1]} << 32 | from[16 * part + 2 * k]);
      e.a.vmovdqa64(emitter::scratch(part), e.pooled(words));
      e.a.vpermi2d(emitter::scratch(part), low, high);
    }
    for (unsigned part = 0; part < 2; ++part) e.a.vmovdqa64(e.write(o.dst, 4, part), emitter::scratch(part));
  }
  if (o.target != no_pc) e.a.mov(e.write_predicate(o.target), in_range);
  return true;
}

// ------------------------------------------------------------------------------------------------ special registers
/// What is the same for a whole block: `more` is the offset of the pointer to it in the state, in 8 bytes, and the
/// index.
bool of_block(emitter& e, const op& o, std::uint32_t arg) {
  const std::uint32_t at = more_in(arg) >> 2, index = more_in(arg) & 3u;
  e.a.mov(x86::rax, emitter::in_state(std::size_t{at} * 8));
  const x86::Zmm first = e.write(o.dst, 4, 0);
  e.a.vpbroadcastd(first, x86::dword_ptr(x86::rax, static_cast<std::int32_t>(index * 4)));
  e.a.vmovdqa64(e.write(o.dst, 4, 1), first);
  return true;
}

/// %tid.x of a block of one dimension.
bool thread_number(emitter& e, const op& o, std::uint32_t) {
  const Label slow = e.a.newLabel(), back = e.a.newLabel();
  const x86::Zmm d[2] = {e.write(o.dst, 4, 0), e.write(o.dst, 4, 1)};
  e.a.mov(x86::rax, emitter::in_state(offsetof(native_state, dimensions)));
  e.a.mov(x86::ecx, x86::dword_ptr(x86::rax, 4));
  e.a.imul(x86::ecx, x86::dword_ptr(x86::rax, 8));
  e.a.cmp(x86::ecx, 1);
  e.a.jne(slow);
  e.slow_way(o, slow, back);
  e.a.mov(x86::eax, emitter::in_row(offsetof(observers::words_in_row, warp), 4));
  e.a.shl(x86::eax, 5);
  e.a.vpbroadcastd(emitter::scratch(0), x86::eax);
  for (unsigned part = 0; part < 2; ++part) e.a.vpaddd(d[part], emitter::scratch(0), e.lane_numbers(16 * part));
  e.a.bind(back);
  return true;
}

bool lane_number(emitter& e, const op& o, std::uint32_t) {
  for (unsigned part = 0; part < 2; ++part) e.a.vmovdqa64(e.write(o.dst, 4, part), e.lane_numbers(16 * part));
  return true;
}

// ------------------------------------------------------------------------------------------------ the table
struct named_recipe {
  std::string_view name;  ///< The instruction, without operands.
  bool (*write)(emitter&, const op&, std::uint32_t);
  std::uint32_t argument;
};

constexpr named_recipe table[] = {
    {"add.u16", binary, argument(Inst::kIdVpaddw, 2)},
    {"add.s16", binary, argument(Inst::kIdVpaddw, 2)},
    {"add.u32", binary, argument(Inst::kIdVpaddd, 4)},
    {"add.s32", binary, argument(Inst::kIdVpaddd, 4)},
    {"add.u64", binary, argument(Inst::kIdVpaddq, 8)},
    {"add.s64", binary, argument(Inst::kIdVpaddq, 8)},
    {"sub.u16", binary, argument(Inst::kIdVpsubw, 2)},
    {"sub.s16", binary, argument(Inst::kIdVpsubw, 2)},
    {"sub.u32", binary, argument(Inst::kIdVpsubd, 4)},
    {"sub.s32", binary, argument(Inst::kIdVpsubd, 4)},
    {"sub.u64", binary, argument(Inst::kIdVpsubq, 8)},
    {"sub.s64", binary, argument(Inst::kIdVpsubq, 8)},
    {"mul.lo.u16", binary, argument(Inst::kIdVpmullw, 2)},
    {"mul.lo.s16", binary, argument(Inst::kIdVpmullw, 2)},
    {"mul.lo.u32", binary, argument(Inst::kIdVpmulld, 4)},
    {"mul.lo.s32", binary, argument(Inst::kIdVpmulld, 4)},
    {"mul.lo.u64", binary, argument(Inst::kIdVpmullq, 8)},
    {"mul.lo.s64", binary, argument(Inst::kIdVpmullq, 8)},
    {"min.u16", binary, argument(Inst::kIdVpminuw, 2)},
    {"min.s16", binary, argument(Inst::kIdVpminsw, 2)},
    {"min.u32", binary, argument(Inst::kIdVpminud, 4)},
    {"min.s32", binary, argument(Inst::kIdVpminsd, 4)},
    {"min.u64", binary, argument(Inst::kIdVpminuq, 8)},
    {"min.s64", binary, argument(Inst::kIdVpminsq, 8)},
    {"max.u16", binary, argument(Inst::kIdVpmaxuw, 2)},
    {"max.s16", binary, argument(Inst::kIdVpmaxsw, 2)},
    {"max.u32", binary, argument(Inst::kIdVpmaxud, 4)},
    {"max.s32", binary, argument(Inst::kIdVpmaxsd, 4)},
    {"max.u64", binary, argument(Inst::kIdVpmaxuq, 8)},
    {"max.s64", binary, argument(Inst::kIdVpmaxsq, 8)},
    {"and.b16", binary, argument(Inst::kIdVpandd, 2)},
    {"and.b32", binary, argument(Inst::kIdVpandd, 4)},
    {"and.b64", binary, argument(Inst::kIdVpandq, 8)},
    {"or.b16", binary, argument(Inst::kIdVpord, 2)},
    {"or.b32", binary, argument(Inst::kIdVpord, 4)},
    {"or.b64", binary, argument(Inst::kIdVporq, 8)},
    {"xor.b16", binary, argument(Inst::kIdVpxord, 2)},
    {"xor.b32", binary, argument(Inst::kIdVpxord, 4)},
    {"xor.b64", binary, argument(Inst::kIdVpxorq, 8)},
    {"not.b16", bit_not, argument(0, 2)},
    {"not.b32", bit_not, argument(0, 4)},
    {"not.b64", bit_not, argument(0, 8)},
    {"neg.s32", negate, argument(Inst::kIdVpsubd, 4)},
    {"neg.s64", negate, argument(Inst::kIdVpsubq, 8)},
    {"abs.s32", unary, argument(Inst::kIdVpabsd, 4)},
    {"abs.s64", unary, argument(Inst::kIdVpabsq, 8)},
    {"mad.lo.u32", multiply_add, argument(Inst::kIdVpmulld, 4)},
    {"mad.lo.s32", multiply_add, argument(Inst::kIdVpmulld, 4)},
    {"mad.lo.u64", multiply_add, argument(Inst::kIdVpmullq, 8)},
    {"mad.lo.s64", multiply_add, argument(Inst::kIdVpmullq, 8)},
    {"mul.wide.u32", wide_product, argument(0, 8, 0)},
    {"mul.wide.s32", wide_product, argument(0, 8, 1)},
    {"mad.wide.u32", wide_product, argument(0, 8, 2)},
    {"mad.wide.s32", wide_product, argument(0, 8, 3)},
    {"shl.b32", shift, 0},
    {"shl.b64", shift, 1},
    {"shr.u32", shift, 2},
    {"shr.b32", shift, 2},
    {"shr.u64", shift, 3},
    {"shr.b64", shift, 3},
    {"shr.s32", shift, 4},
    {"shr.s64", shift, 5},
    {"lop3.b32", lop3, 0},
    {"prmt.b32", permute_bytes, 0},
    {"shf.l.wrap.b32", funnel, argument(0, 4, 3)},
    {"shf.l.clamp.b32", funnel, argument(0, 4, 1)},
    {"shf.r.wrap.b32", funnel, argument(0, 4, 2)},
    {"shf.r.clamp.b32", funnel, argument(0, 4, 0)},
    {"div.u32", divide, argument(0, 4, 0)},
    {"rem.u32", divide, argument(0, 4, 1)},
    {"div.u64", divide, argument(0, 8, 0)},
    {"rem.u64", divide, argument(0, 8, 1)},
    {"mov.b16", move, argument(0, 2)},
    {"mov.b32", move, argument(0, 4)},
    {"mov.b64", move, argument(0, 8)},
    {"mov.pred", move_predicate, 0},
    {"and.pred", predicates, 0},
    {"or.pred", predicates, 1},
    {"xor.pred", predicates, 2},
    {"not.pred", predicates, 3},
    {"selp.b16", select, argument(0, 2)},
    {"selp.b32", select, argument(0, 4)},
    {"selp.b64", select, argument(0, 8)},

    {"setp.eq.u16", set_predicate, argument(Inst::kIdVpcmpuw, 2, 0)},
    {"setp.ne.u16", set_predicate, argument(Inst::kIdVpcmpuw, 2, 4)},
    {"setp.lt.u16", set_predicate, argument(Inst::kIdVpcmpuw, 2, 1)},
    {"setp.le.u16", set_predicate, argument(Inst::kIdVpcmpuw, 2, 2)},
    {"setp.gt.u16", set_predicate, argument(Inst::kIdVpcmpuw, 2, 6)},
    {"setp.ge.u16", set_predicate, argument(Inst::kIdVpcmpuw, 2, 5)},
    {"setp.eq.s16", set_predicate, argument(Inst::kIdVpcmpw, 2, 0)},
    {"setp.ne.s16", set_predicate, argument(Inst::kIdVpcmpw, 2, 4)},
    {"setp.lt.s16", set_predicate, argument(Inst::kIdVpcmpw, 2, 1)},
    {"setp.le.s16", set_predicate, argument(Inst::kIdVpcmpw, 2, 2)},
    {"setp.gt.s16", set_predicate, argument(Inst::kIdVpcmpw, 2, 6)},
    {"setp.ge.s16", set_predicate, argument(Inst::kIdVpcmpw, 2, 5)},
    {"setp.eq.u32", set_predicate, argument(Inst::kIdVpcmpud, 4, 0)},
    {"setp.ne.u32", set_predicate, argument(Inst::kIdVpcmpud, 4, 4)},
    {"setp.lt.u32", set_predicate, argument(Inst::kIdVpcmpud, 4, 1)},
    {"setp.le.u32", set_predicate, argument(Inst::kIdVpcmpud, 4, 2)},
    {"setp.gt.u32", set_predicate, argument(Inst::kIdVpcmpud, 4, 6)},
    {"setp.ge.u32", set_predicate, argument(Inst::kIdVpcmpud, 4, 5)},
    {"setp.eq.s32", set_predicate, argument(Inst::kIdVpcmpd, 4, 0)},
    {"setp.ne.s32", set_predicate, argument(Inst::kIdVpcmpd, 4, 4)},
    {"setp.lt.s32", set_predicate, argument(Inst::kIdVpcmpd, 4, 1)},
    {"setp.le.s32", set_predicate, argument(Inst::kIdVpcmpd, 4, 2)},
    {"setp.gt.s32", set_predicate, argument(Inst::kIdVpcmpd, 4, 6)},
    {"setp.ge.s32", set_predicate, argument(Inst::kIdVpcmpd, 4, 5)},
    {"setp.eq.u64", set_predicate, argument(Inst::kIdVpcmpuq, 8, 0)},
    {"setp.ne.u64", set_predicate, argument(Inst::kIdVpcmpuq, 8, 4)},
    {"setp.lt.u64", set_predicate, argument(Inst::kIdVpcmpuq, 8, 1)},
    {"setp.le.u64", set_predicate, argument(Inst::kIdVpcmpuq, 8, 2)},
    {"setp.gt.u64", set_predicate, argument(Inst::kIdVpcmpuq, 8, 6)},
    {"setp.ge.u64", set_predicate, argument(Inst::kIdVpcmpuq, 8, 5)},
    {"setp.eq.s64", set_predicate, argument(Inst::kIdVpcmpq, 8, 0)},
    {"setp.ne.s64", set_predicate, argument(Inst::kIdVpcmpq, 8, 4)},
    {"setp.lt.s64", set_predicate, argument(Inst::kIdVpcmpq, 8, 1)},
    {"setp.le.s64", set_predicate, argument(Inst::kIdVpcmpq, 8, 2)},
    {"setp.gt.s64", set_predicate, argument(Inst::kIdVpcmpq, 8, 6)},
    {"setp.ge.s64", set_predicate, argument(Inst::kIdVpcmpq, 8, 5)},
    {"setp.eq.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 0)},
    {"setp.ne.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 12)},
    {"setp.lt.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 1)},
    {"setp.le.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 2)},
    {"setp.gt.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 14)},
    {"setp.ge.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 13)},
    {"setp.equ.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 8)},
    {"setp.neu.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 4)},
    {"setp.ltu.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 9)},
    {"setp.leu.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 10)},
    {"setp.gtu.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 6)},
    {"setp.geu.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 5)},
    {"setp.num.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 7)},
    {"setp.nan.f32", set_predicate, argument(Inst::kIdVcmpps, 4, 3)},
    {"setp.eq.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 0)},
    {"setp.ne.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 12)},
    {"setp.lt.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 1)},
    {"setp.le.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 2)},
    {"setp.gt.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 14)},
    {"setp.ge.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 13)},
    {"setp.equ.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 8)},
    {"setp.neu.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 4)},
    {"setp.ltu.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 9)},
    {"setp.leu.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 10)},
    {"setp.gtu.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 6)},
    {"setp.geu.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 5)},
    {"setp.num.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 7)},
    {"setp.nan.f64", set_predicate, argument(Inst::kIdVcmppd, 8, 3)},

    {"shfl.sync.up.b32", shuffle, shuffle_up},
    {"shfl.sync.down.b32", shuffle, shuffle_down},
    {"shfl.sync.bfly.b32", shuffle, shuffle_butterfly},
    {"shfl.sync.idx.b32", shuffle, shuffle_index},

    {"cvt.u64.u32", extend, argument(Inst::kIdVpmovzxdq, 0, 4 * 2 + 3)},
    {"cvt.s64.s32", extend, argument(Inst::kIdVpmovsxdq, 0, 4 * 2 + 3)},
    {"cvt.s64.u32", extend, argument(Inst::kIdVpmovzxdq, 0, 4 * 2 + 3)},
    {"cvt.u64.s32", extend, argument(Inst::kIdVpmovsxdq, 0, 4 * 2 + 3)},
    {"cvt.u32.u64", extend, argument(0, 0, 4 * 3 + 2)},
    {"cvt.s32.s64", extend, argument(0, 0, 4 * 3 + 2)},
    {"cvt.u32.s64", extend, argument(0, 0, 4 * 3 + 2)},
    {"cvt.s32.u64", extend, argument(0, 0, 4 * 3 + 2)},
    {"cvt.u32.u16", extend, argument(Inst::kIdVpmovzxwd, 0, 4 * 1 + 2)},
    {"cvt.s32.s16", extend, argument(Inst::kIdVpmovsxwd, 0, 4 * 1 + 2)},
    {"cvt.u16.u32", extend, argument(0, 0, 4 * 2 + 1)},
    {"cvt.s16.s32", extend, argument(0, 0, 4 * 2 + 1)},
    {"cvt.u32.s32", extend, argument(0, 0, 4 * 2 + 2)},
    {"cvt.s32.u32", extend, argument(0, 0, 4 * 2 + 2)},
    {"cvt.u32.u32", extend, argument(0, 0, 4 * 2 + 2)},
    {"cvt.s32.s32", extend, argument(0, 0, 4 * 2 + 2)},
    {"cvt.u64.u64", extend, argument(0, 0, 4 * 3 + 3)},
    {"cvt.s64.s64", extend, argument(0, 0, 4 * 3 + 3)},
    {"cvt.rn.f32.s32", to_single, Inst::kIdVcvtdq2ps},
    {"cvt.rn.f32.u32", to_single, Inst::kIdVcvtudq2ps},

    {"add.f32", float_binary, argument(Inst::kIdVaddps, 4)},
    {"sub.f32", float_binary, argument(Inst::kIdVsubps, 4)},
    {"mul.f32", float_binary, argument(Inst::kIdVmulps, 4)},
    {"div.rn.f32", float_binary, argument(Inst::kIdVdivps, 4)},
    {"fma.rn.f32", fused, argument(Inst::kIdVfmadd213ps, 4)},
    {"min.f32", extreme, argument(0, 4, 0)},
    {"max.f32", extreme, argument(0, 4, 1)},
    {"sqrt.rn.f32", root, argument(Inst::kIdVsqrtps, 4)},
    {"neg.f32", change_sign, argument(0, 4, 0)},
    {"abs.f32", change_sign, argument(0, 4, 1)},
};

constexpr std::uint32_t block_value(std::size_t offset, unsigned index) {
  return static_cast<std::uint32_t>(offset / 8) << (more_at + 2) | index << more_at;
}
constexpr named_recipe special[] = {
    {"%ntid.x", of_block, block_value(offsetof(native_state, dimensions), 0)},
    {"%ntid.y", of_block, block_value(offsetof(native_state, dimensions), 1)},
    {"%ntid.z", of_block, block_value(offsetof(native_state, dimensions), 2)},
    {"%nctaid.x", of_block, block_value(offsetof(native_state, grid), 0)},
    {"%nctaid.y", of_block, block_value(offsetof(native_state, grid), 1)},
    {"%nctaid.z", of_block, block_value(offsetof(native_state, grid), 2)},
    {"%ctaid.x", of_block, block_value(offsetof(native_state, block_index), 0)},
    {"%ctaid.y", of_block, block_value(offsetof(native_state, block_index), 1)},
    {"%ctaid.z", of_block, block_value(offsetof(native_state, block_index), 2)},
    {"%tid.x", thread_number, 0},
    {"%laneid", lane_number, 0},
};

/// The instruction of that name, as far as the finders look at it.
ptx::instruction instruction_named(std::string_view name) {
  ptx::instruction i;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string word(name.substr(at, end - at));
    if (at == 0)
      i.opcode = word;
    else
      i.modifiers.push_back(word);
    at = end + 1;
  }
  if (i.opcode == "lop3") i.operands.resize(5);
  return i;
}

handler handler_of(std::string_view name) {
  const ptx::instruction i = instruction_named(name);
  if (i.opcode == "mov") {
    const ptx::scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
    return find_move(type == ptx::scalar_type::pred ? 1 : ptx::size_bytes(type));
  }
  for (const auto find : {find_integer, find_bits, find_floating, find_compare, find_conversion, find_collective})
    if (const operation found = find(i)) return found.run;
  return nullptr;
}

std::unordered_map<handler, recipe> make_recipes() {
  std::unordered_map<handler, recipe> made;
  for (const named_recipe& r : table)
    if (const handler run = handler_of(r.name)) made.emplace(run, recipe{r.write, r.argument});
  // What the decoder makes itself.
  made.emplace(add_u64, recipe{binary, argument(Inst::kIdVpaddq, 8)});
  made.emplace(shift_right_u64, recipe{shift, 3});
  made.emplace(equal_u64, recipe{set_predicate, argument(Inst::kIdVpcmpuq, 8, 0)});
  for (const named_recipe& r : special)
    if (const handler run = find_special(std::string(r.name), nullptr)) made.emplace(run, recipe{r.write, r.argument});
  return made;
}

}  // namespace

const recipe* find_recipe(handler run) {
  static const std::unordered_map<handler, recipe> recipes = make_recipes();
  const auto found = recipes.find(run);
  return found == recipes.end() ? nullptr : &found->second;
}

}  // namespace emulator::simt::native
