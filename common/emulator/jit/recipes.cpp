// The machine code of each operation.
// Long because there is a line for each instruction.
//
// A recipe is found by the interpreter's handler for the same operation, and the handler by the name of the
// instruction. So the meaning of the instructions is defined in only one place, the finders (operations.hpp). The
// result must be the same as the handler's, bit for bit: tests/emulator/simt/native_code.cpp compares them.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "emulator/jit/emitter.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt::native {
namespace {

using asmjit::Label;
using asmjit::Operand;
using id = std::uint32_t;
namespace Inst = x86::Inst;

// ------------------------------------------------------------------------------------------------ arguments
// A recipe's argument: the processor's instruction in the low bits, then the width, then other data (`more`).
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
/// The processor's numbers for comparisons.
constexpr unsigned where_equal = 0, where_unordered = 3;
id instruction_in(std::uint32_t argument) {
  return argument & id_bits;
}

/// Replaces every single-precision NaN by the same one.
void make_canonical(emitter& e, const x86::Vec& r) {
  e.replace_where(r, e.four_bytes(0x7fffffffu), r, r, where_unordered);
}

// ----------------------------------------------------------------------- integers, and operations that floats share
/// more: 1 in single precision, where NaNs have to be made canonical.
bool binary(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  e.each_part(bytes, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, bytes, part);
    const Operand b = e.read_or_constant(o.b, bytes, part);
    const x86::Vec d = e.write(o.dst, bytes, part);
    e.emit(instruction_in(arg), d, a, b);
    if (more_in(arg) != 0) make_canonical(e, d);
  });
  return true;
}

/// An operation with one operand: calls `f(d, a)` for each part's result and operand.
template <typename F>
bool of_one(emitter& e, const op& o, unsigned bytes, F f) {
  e.each_part(bytes, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, bytes, part);
    f(e.write(o.dst, bytes, part), a);
  });
  return true;
}

bool multiply_add(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  e.each_part(bytes, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, bytes, part);
    const Operand b = e.read_or_constant(o.b, bytes, part);
    const Operand c = e.read_or_constant(o.c, bytes, part);
    e.emit(instruction_in(arg), e.scratch(0), a, b);
    e.a.emit(bytes == 4 ? Inst::kIdVpaddd : Inst::kIdVpaddq, e.write(o.dst, bytes, part), e.scratch(0), c);
  });
  return true;
}

/// Copies to `to` the lanes that part `part` has after a 32-bit register has been widened to 64 bits.
/// \param extend  the instruction
void widen(emitter& e, slot s, unsigned part, id extend, const x86::Vec& to) {
  e.extend(extend, to, e.read(s, 4, part / 2), part % 2 != 0);
}

/// mul.wide, mad.wide of 32 bits. more: 1 signed, 2 with a sum.
bool wide_product(emitter& e, const op& o, std::uint32_t arg) {
  const bool is_signed = (more_in(arg) & 1u) != 0, adds = (more_in(arg) & 2u) != 0;
  const id extend = is_signed ? Inst::kIdVpmovsxdq : Inst::kIdVpmovzxdq;
  const id multiply = is_signed ? Inst::kIdVpmuldq : Inst::kIdVpmuludq;
  e.each_part(8, [&](unsigned part) {
    widen(e, o.a, part, extend, e.scratch(0));
    widen(e, o.b, part, extend, e.scratch(1));
    if (!adds) {
      e.a.emit(multiply, e.write(o.dst, 8, part), e.scratch(0), e.scratch(1));
      return;
    }
    const Operand c = e.read_or_constant(o.c, 8, part);
    e.a.emit(multiply, e.scratch(0), e.scratch(0), e.scratch(1));
    e.a.emit(Inst::kIdVpaddq, e.write(o.dst, 8, part), e.scratch(0), c);
  });
  return true;
}

/// A shift: the instructions for a variable and for a constant amount.
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

/// The argument is the index in `shifts`.
bool shift(emitter& e, const op& o, std::uint32_t which) {
  const shift_form& form = shifts[which];
  const auto known = e.constant(o.b, 4);
  e.each_part(form.bytes, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, form.bytes, part);
    Operand by;
    if (known) {
      // A larger amount leaves no bits, or only the sign.
      by = asmjit::imm(std::min<std::uint64_t>(*known, 8 * form.bytes - (form.keeps_sign ? 1 : 0)));
    } else if (form.bytes == 4) {
      by = e.read(o.b, 4, part);
    } else {
      widen(e, o.b, part, Inst::kIdVpmovzxdq, e.scratch(0));
      by = e.scratch(0);
    }
    const x86::Vec d = e.write(o.dst, form.bytes, part);
    if (form.bytes == 8 && form.keeps_sign)
      e.shift_keeping_sign(d, a, by);
    else
      e.a.emit(known ? form.by_number : form.by_register, d, a, by);
  });
  return true;
}

/// more: 1 in single precision.
bool unary(emitter& e, const op& o, std::uint32_t arg) {
  return of_one(e, o, bytes_in(arg), [&](const x86::Vec& d, const x86::Vec& a) {
    e.emit(instruction_in(arg), d, a);
    if (more_in(arg) != 0) make_canonical(e, d);
  });
}

bool negate(emitter& e, const op& o, std::uint32_t arg) {
  e.zero(e.scratch(0));
  return of_one(e, o, bytes_in(arg),
                [&](const x86::Vec& d, const x86::Vec& a) { e.a.emit(instruction_in(arg), d, e.scratch(0), a); });
}

bool bit_not(emitter& e, const op& o, std::uint32_t arg) {
  return of_one(e, o, bytes_in(arg), [&](const x86::Vec& d, const x86::Vec& a) { e.bit_not(d, a); });
}

bool lop3(emitter& e, const op& o, std::uint32_t) {
  e.each_part(4, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    const Operand c = e.read_or_constant(o.c, 4, part);
    e.bit_function(e.scratch(0), a, b, c, o.imm & 0xff);
    e.copy(e.write(o.dst, 4, part), e.scratch(0));
  });
  return true;
}

/// prmt with a constant selector, in its index form, if no byte replicates a sign.
bool permute_bytes(emitter& e, const op& o, std::uint32_t) {
  const auto selector = e.known(o, o.c);
  if (o.imm != 0 || !selector || (*selector & 0x8888u) != 0) return false;
  // The index of each byte in the operand; 0x80: the byte comes from the other operand.
  const auto bytes_from = [&](unsigned operand) {
    std::vector<std::uint64_t> words;
    for (unsigned k = 0; k < e.vector_bytes() / 8; ++k) {
      std::uint64_t word = 0;
      for (unsigned b = 0; b < 8; ++b) {
        const unsigned wanted = *selector >> 4 * (b % 4) & 7u, lane = (2 * k + b / 4) % 4;
        word |= std::uint64_t{wanted / 4 == operand ? 4 * lane + wanted % 4 : 0x80u} << 8 * b;
      }
      words.push_back(word);
    }
    return e.pooled(words);
  };
  e.each_part(4, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    e.a.vpshufb(e.scratch(0), a, bytes_from(0));
    e.a.vpshufb(e.scratch(1), b, bytes_from(1));
    e.emit(Inst::kIdVpord, e.write(o.dst, 4, part), e.scratch(0), e.scratch(1));
  });
  return true;
}

/// shf: 32 of the 64 bits of two registers. more: 1 to the left, 2 if the amount wraps.
bool funnel(emitter& e, const op& o, std::uint32_t arg) {
  const bool left = (more_in(arg) & 1u) != 0, wraps = (more_in(arg) & 2u) != 0;
  const x86::Vec by = e.scratch(0), rest = e.scratch(1), one = e.scratch(2);
  e.each_part(4, [&](unsigned part) {
    const x86::Vec low = e.read(o.a, 4, part), high = e.read(o.b, 4, part), amount = e.read(o.c, 4, part);
    e.emit(wraps ? Inst::kIdVpandd : Inst::kIdVpminud, by, amount, e.four_bytes(wraps ? 31 : 32));
    e.copy(rest, e.four_bytes(32));
    e.a.vpsubd(rest, rest, by);
    // A shift by 32 leaves no bits.
    if (left) {
      e.a.vpsllvd(one, high, by);
      e.a.vpsrlvd(rest, low, rest);
    } else {
      e.a.vpsrlvd(one, low, by);
      e.a.vpsllvd(rest, high, rest);
    }
    e.emit(Inst::kIdVpord, e.write(o.dst, 4, part), one, rest);
  });
  return true;
}

bool move(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  if (e.is_constant(o.a) && bytes >= 4) {
    const x86::Vec first = e.write(o.dst, bytes, 0);
    e.broadcast(first, o.a, bytes);
    for (unsigned part = 1; part < e.parts(bytes); ++part) e.copy(e.write(o.dst, bytes, part), first);
    return true;
  }
  return of_one(e, o, bytes, [&](const x86::Vec& d, const x86::Vec& a) { e.copy(d, a); });
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

/// Division and remainder by a power of two that is the same for all lanes. more: 1 for the remainder.
bool divide(emitter& e, const op& o, std::uint32_t arg) {
  const bool remainder = more_in(arg) != 0;
  const unsigned bytes = bytes_in(arg), count = e.parts(bytes);
  const bool wide = bytes == 8;
  const auto known = e.constant(o.b, bytes);
  // An unknown divisor is only supported if all lanes run, so that lane 0 is active, and if all parts fit in registers.
  if (known ? !std::has_single_bit(*known) : !e.full() || count > 4) return false;
  const x86::Vec same = e.scratch(0);
  const Label slow = e.a.newLabel(), back = e.a.newLabel();
  x86::Vec a[4];
  if (known) {
    e.a.mov(x86::rax, *known);
  } else {
    for (unsigned part = 0; part < count; ++part) a[part] = e.read(o.a, bytes, part);
    // If the result overwrites the divisor, its parts must be in registers, in case the operation is executed by a
    // call.
    const x86::Vec first = e.read(o.b, bytes, 0);
    if (o.b == o.dst)
      for (unsigned part = 1; part < count; ++part) static_cast<void>(e.read(o.b, bytes, part));
    Operand b[4];
    for (unsigned part = 0; part < count; ++part) b[part] = e.wherever_it_is(o.b, bytes, part);
    // Before the branch, so that the result is in the same registers on both paths.
    for (unsigned part = 0; part < count; ++part) static_cast<void>(e.write(o.dst, bytes, part));
    wide ? e.a.vmovq(x86::rax, first.xmm()) : e.a.vmovd(x86::eax, first.xmm());
    e.spread(same, x86::rax, wide);
    e.zero(e.scratch(2));
    for (unsigned part = 0; part < count; ++part) e.add_difference(e.scratch(2), same, b[part], bytes, part);
    e.a.lea(x86::rcx, x86::ptr(x86::rax, -1));
    e.a.test(x86::rax, x86::rcx);
    e.a.jnz(slow);
    e.a.test(x86::rax, x86::rax);
    e.a.jz(slow);
    e.jump_unless_zero(e.scratch(2), slow);
    e.slow_way(o, slow, e.values_now(), back);
  }
  // The divisor minus one, or the shift amount.
  if (remainder) {
    e.a.dec(x86::rax);
    e.spread(same, x86::rax, wide);
  } else {
    e.a.tzcnt(x86::rax, x86::rax);
    e.a.vmovq(same.xmm(), x86::rax);
  }
  const auto write_part = [&](unsigned part) {
    const x86::Vec from = known ? e.read(o.a, bytes, part) : a[part];
    const x86::Vec to = e.write(o.dst, bytes, part);
    if (remainder)
      e.emit(Inst::kIdVpandq, to, from, same);
    else
      wide ? e.a.vpsrlq(to, from, same.xmm()) : e.a.vpsrld(to, from, same.xmm());
  };
  if (known) {
    e.each_part(bytes, write_part);
  } else {
    for (unsigned part = 0; part < count; ++part) write_part(part);
    e.a.bind(back);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ comparisons
/// setp. The argument: the instruction that compares, the operands' width, and the processor's number of the
/// comparison.
bool set_predicate(emitter& e, const op& o, std::uint32_t arg) {
  if ((o.imm & (8 | 16)) != 0) return false;
  const unsigned bytes = bytes_in(arg);
  e.compare(instruction_in(arg), more_in(arg), o.a, o.b, bytes);
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
  x86::Gp chosen = p;
  if (o.imm != 0) {
    chosen = x86::eax;
    e.a.mov(x86::eax, p);
    e.a.not_(x86::eax);
  }
  if (e.has_masks()) e.a.kmovd(x86::k6, chosen);
  e.each_part(bytes, [&](unsigned part) {
    const x86::Vec b = e.read(o.b, bytes, part);
    const Operand a = e.read_or_constant(o.a, bytes, part);
    const x86::Vec d = e.write(o.dst, bytes, part);  // may generate code itself
    if (!e.has_masks()) {
      e.lanes_by_bits(e.scratch(0), chosen, bytes, part);
      e.a.emit(Inst::kIdVpblendvb, d, b, a, e.scratch(0));
      return;
    }
    const unsigned by = part * (64 / bytes);
    if (by != 0) e.a.kshiftrd(x86::k7, x86::k6, by);
    const id blend = bytes == 2 ? Inst::kIdVpblendmw : bytes == 4 ? Inst::kIdVpblendmd : Inst::kIdVpblendmq;
    e.a.k(by != 0 ? x86::k7 : x86::k6).emit(blend, d, b, a);
  });
  return true;
}

// ------------------------------------------------------------------------------------------------ conversions
/// Conversions between integers of the same widths as their registers. The argument: the instruction, and in `more` 4 *
/// log2 of the source's bytes + log2 of the result's.
bool extend(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned from = 1u << (more_in(arg) >> 2), to = 1u << (more_in(arg) & 3u);
  if (o.element_bytes != from || o.register_bytes != to) return false;
  if (from == to) return move(e, o, argument(0, from));
  if (from == 2 * to) {
    e.each_part(to, [&](unsigned part) {
      const x86::Vec low = e.read(o.a, from, 2 * part), high = e.read(o.a, from, 2 * part + 1);
      e.shorten(e.write(o.dst, to, part), low, high, to);
    });
    return true;
  }
  if (to != 2 * from) return false;
  e.each_part(to, [&](unsigned part) {
    e.extend(instruction_in(arg), e.scratch(0), e.read(o.a, from, part / 2), part % 2 != 0);
    e.copy(e.write(o.dst, to, part), e.scratch(0));
  });
  return true;
}

/// Converts 32-bit integers to single precision.
bool to_single(emitter& e, const op& o, std::uint32_t arg) {
  if (o.element_bytes != 4 || o.register_bytes != 4) return false;
  return unary(e, o, argument(instruction_in(arg), 4));
}

// ------------------------------------------------------------------------------------------------ floating point
bool fused(emitter& e, const op& o, std::uint32_t arg) {
  e.each_part(4, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    const Operand c = e.read_or_constant(o.c, 4, part);
    e.copy(e.scratch(0), a);
    e.a.emit(instruction_in(arg), e.scratch(0), b, c);
    make_canonical(e, e.scratch(0));
    e.copy(e.write(o.dst, 4, part), e.scratch(0));
  });
  return true;
}

/// Minimum and maximum in single precision: a NaN loses, and -0 is smaller than +0. more: 1 for the maximum.
bool extreme(emitter& e, const op& o, std::uint32_t arg) {
  const bool larger = more_in(arg) != 0;
  e.each_part(4, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, 4, part), b = e.read(o.b, 4, part);
    const x86::Vec r = e.scratch(0), of_zeros = e.scratch(1);
    e.a.emit(larger ? Inst::kIdVmaxps : Inst::kIdVminps, r, a, b);
    e.emit(larger ? Inst::kIdVpandd : Inst::kIdVpord, of_zeros, a, b);
    e.replace_where(r, of_zeros, a, b, where_equal);
    e.replace_where(r, a, b, b, where_unordered);
    e.replace_where(r, b, a, a, where_unordered);
    make_canonical(e, r);
    e.copy(e.write(o.dst, 4, part), r);
  });
  return true;
}

/// neg and abs. more: 1 for abs.
bool change_sign(emitter& e, const op& o, std::uint32_t arg) {
  const unsigned bytes = bytes_in(arg);
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  const bool clears = more_in(arg) != 0;
  const std::uint64_t with = clears ? sign - 1 : sign;
  return of_one(e, o, bytes, [&](const x86::Vec& d, const x86::Vec& a) {
    e.emit(clears ? Inst::kIdVpandd : Inst::kIdVpxord, d, a,
           bytes == 4 ? e.four_bytes(static_cast<std::uint32_t>(with)) : e.eight_bytes(with));
  });
}

/// Double-precision arithmetic with one, two or three operands (more). If there are NaNs, the handler is called,
/// because the order in which a compiler has put the operands determines which of several NaNs is the result.
bool double_arithmetic(emitter& e, const op& o, std::uint32_t arg) {
  const std::uint32_t count = more_in(arg);
  const slot all[] = {o.a, o.b, o.c};
  std::vector<slot> to_look_at;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (!e.is_constant(all[k]) && std::find(&all[0], &all[k], all[k]) == &all[k]) to_look_at.push_back(all[k]);
    if (const auto known = e.constant(all[k], 8); known && (*known & ~(std::uint64_t{1} << 63)) > 0x7ff0000000000000u)
      return false;
  }
  const Label slow = e.a.newLabel(), back = e.a.newLabel();
  e.jump_if_nan(to_look_at, slow);
  const auto at_slow = e.values_now();
  e.each_part(8, [&](unsigned part) {
    const x86::Vec a = e.read(o.a, 8, part);
    if (count == 1) {
      e.a.emit(instruction_in(arg), e.write(o.dst, 8, part), a);
      return;
    }
    if (count == 2) {
      const Operand b = e.read_or_constant(o.b, 8, part);
      e.a.emit(instruction_in(arg), e.write(o.dst, 8, part), a, b);
      return;
    }
    const x86::Vec b = e.read(o.b, 8, part);
    const Operand c = e.read_or_constant(o.c, 8, part);
    e.copy(e.scratch(0), a);
    e.a.emit(instruction_in(arg), e.scratch(0), b, c);
    e.copy(e.write(o.dst, 8, part), e.scratch(0));
  });
  e.slow_way(o, slow, at_slow, back);
  e.a.bind(back);
  return true;
}

// ------------------------------------------------------------------------------------------------ other lanes
/// shfl of all lanes with a known amount and segment. The argument: the mode.
bool shuffle(emitter& e, const op& o, std::uint32_t mode) {
  const auto amount = e.known(o, o.b), c = e.known(o, o.c);
  if (!amount || !c) return false;
  std::array<std::uint32_t, warp_size> from{};
  std::uint32_t in_range = 0;
  for (int lane = 0; lane < static_cast<int>(warp_size); ++lane) {
    const shuffle_source source = source_of_shuffle(static_cast<shuffle_mode>(mode), lane, *amount, *c);
    from[lane] = static_cast<std::uint32_t>(source.from);
    in_range |= (source.good ? 1u : 0u) << lane;
  }
  if (o.dst != no_slot) {
    e.permute(o.a, from);
    e.each_part(4, [&](unsigned part) { e.copy(e.write(o.dst, 4, part), e.scratch(part)); });
  }
  if (o.target != no_pc) e.a.mov(e.write_predicate(o.target), in_range);
  return true;
}

// ------------------------------------------------------------------------------------------------ special registers
/// A value that is the same for a whole block. `more` contains the offset of the pointer to it in the state, in units
/// of 8 bytes, and the index.
bool of_block(emitter& e, const op& o, std::uint32_t arg) {
  const std::uint32_t at = more_in(arg) >> 2, index = more_in(arg) & 3u;
  e.a.mov(x86::rax, emitter::in_state(std::size_t{at} * 8));
  const x86::Vec first = e.write(o.dst, 4, 0);
  e.a.vpbroadcastd(first, x86::dword_ptr(x86::rax, static_cast<std::int32_t>(index * 4)));
  for (unsigned part = 1; part < e.parts(4); ++part) e.copy(e.write(o.dst, 4, part), first);
  return true;
}

/// %tid.x in a one-dimensional block.
bool thread_number(emitter& e, const op& o, std::uint32_t) {
  const Label slow = e.a.newLabel(), back = e.a.newLabel();
  x86::Vec d[4];
  for (unsigned part = 0; part < e.parts(4); ++part) d[part] = e.write(o.dst, 4, part);
  e.a.mov(x86::rax, emitter::in_state(offsetof(native_state, dimensions)));
  e.a.mov(x86::ecx, x86::dword_ptr(x86::rax, 4));
  e.a.imul(x86::ecx, x86::dword_ptr(x86::rax, 8));
  e.a.cmp(x86::ecx, 1);
  e.a.jne(slow);
  e.slow_way(o, slow, e.values_now(), back);
  e.a.mov(x86::eax, emitter::in_active(offsetof(running_lanes, warp), 4));
  e.a.shl(x86::eax, 5);
  e.spread(e.scratch(0), x86::eax, false);
  for (unsigned part = 0; part < e.parts(4); ++part) e.a.vpaddd(d[part], e.scratch(0), e.lane_numbers(part));
  e.a.bind(back);
  return true;
}

bool lane_number(emitter& e, const op& o, std::uint32_t) {
  e.each_part(4, [&](unsigned part) { e.copy(e.write(o.dst, 4, part), e.lane_numbers(part)); });
  return true;
}

// ------------------------------------------------------------------------------------------------ the tables
/// An instruction with two operands: `name` with each of `signs` ('u', 's' or 'b') and each width.
struct of_widths {
  std::string_view name, signs;
  id by_16, by_32, by_64;
};
constexpr of_widths of_two_operands[] = {
    {"add", "us", Inst::kIdVpaddw, Inst::kIdVpaddd, Inst::kIdVpaddq},
    {"sub", "us", Inst::kIdVpsubw, Inst::kIdVpsubd, Inst::kIdVpsubq},
    {"mul.lo", "us", Inst::kIdVpmullw, Inst::kIdVpmulld, Inst::kIdVpmullq},
    {"min", "u", Inst::kIdVpminuw, Inst::kIdVpminud, Inst::kIdVpminuq},
    {"min", "s", Inst::kIdVpminsw, Inst::kIdVpminsd, Inst::kIdVpminsq},
    {"max", "u", Inst::kIdVpmaxuw, Inst::kIdVpmaxud, Inst::kIdVpmaxuq},
    {"max", "s", Inst::kIdVpmaxsw, Inst::kIdVpmaxsd, Inst::kIdVpmaxsq},
    {"and", "b", Inst::kIdVpandd, Inst::kIdVpandd, Inst::kIdVpandq},
    {"or", "b", Inst::kIdVpord, Inst::kIdVpord, Inst::kIdVporq},
    {"xor", "b", Inst::kIdVpxord, Inst::kIdVpxord, Inst::kIdVpxorq},
};

/// A type that `setp` compares, and the processor's instruction for it.
struct compared_type {
  std::string_view name;
  unsigned bytes;
  id instruction;
};
constexpr compared_type compared_integers[] = {
    {"u16", 2, Inst::kIdVpcmpuw}, {"s16", 2, Inst::kIdVpcmpw},  {"u32", 4, Inst::kIdVpcmpud},
    {"s32", 4, Inst::kIdVpcmpd},  {"u64", 8, Inst::kIdVpcmpuq}, {"s64", 8, Inst::kIdVpcmpq},
};
constexpr compared_type compared_floats[] = {{"f32", 4, Inst::kIdVcmpps}, {"f64", 8, Inst::kIdVcmppd}};

/// A comparison, and the processor's number for it.
struct named_comparison {
  std::string_view name;
  std::uint32_t number;
};
constexpr named_comparison integer_comparisons[] = {{"eq", 0}, {"ne", 4}, {"lt", 1}, {"le", 2}, {"gt", 6}, {"ge", 5}};
constexpr named_comparison float_comparisons[] = {
    {"eq", 0},  {"ne", 12}, {"lt", 1},   {"le", 2},  {"gt", 14}, {"ge", 13}, {"equ", 8},
    {"neu", 4}, {"ltu", 9}, {"leu", 10}, {"gtu", 6}, {"geu", 5}, {"num", 7}, {"nan", 3},
};

/// An instruction with its own entry.
struct named_recipe {
  std::string_view name;  ///< The instruction, without operands.
  bool (*write)(emitter&, const op&, std::uint32_t);
  std::uint32_t argument;
};

constexpr named_recipe table[] = {
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

    {"add.f32", binary, argument(Inst::kIdVaddps, 4, 1)},
    {"sub.f32", binary, argument(Inst::kIdVsubps, 4, 1)},
    {"mul.f32", binary, argument(Inst::kIdVmulps, 4, 1)},
    {"div.rn.f32", binary, argument(Inst::kIdVdivps, 4, 1)},
    {"fma.rn.f32", fused, argument(Inst::kIdVfmadd213ps, 4)},
    {"min.f32", extreme, argument(0, 4, 0)},
    {"max.f32", extreme, argument(0, 4, 1)},
    {"sqrt.rn.f32", unary, argument(Inst::kIdVsqrtps, 4, 1)},
    {"neg.f32", change_sign, argument(0, 4, 0)},
    {"abs.f32", change_sign, argument(0, 4, 1)},
    {"add.f64", double_arithmetic, argument(Inst::kIdVaddpd, 8, 2)},
    {"sub.f64", double_arithmetic, argument(Inst::kIdVsubpd, 8, 2)},
    {"mul.f64", double_arithmetic, argument(Inst::kIdVmulpd, 8, 2)},
    {"div.rn.f64", double_arithmetic, argument(Inst::kIdVdivpd, 8, 2)},
    {"fma.rn.f64", double_arithmetic, argument(Inst::kIdVfmadd213pd, 8, 3)},
    {"sqrt.rn.f64", double_arithmetic, argument(Inst::kIdVsqrtpd, 8, 1)},
    {"neg.f64", change_sign, argument(0, 8, 0)},
    {"abs.f64", change_sign, argument(0, 8, 1)},
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

/// Returns an instruction with that name. Only the parts that the finders look at are set.
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
  const auto add = [&made](handler run, const recipe& r) {
    if (run != nullptr) made.emplace(run, r);
  };
  for (const named_recipe& r : table) add(handler_of(r.name), {r.write, r.argument});
  for (const of_widths& i : of_two_operands) {
    for (const char sign : i.signs) {
      const std::string name = std::string(i.name) + '.' + sign;
      add(handler_of(name + "16"), {binary, argument(i.by_16, 2)});
      add(handler_of(name + "32"), {binary, argument(i.by_32, 4)});
      add(handler_of(name + "64"), {binary, argument(i.by_64, 8)});
    }
  }
  const auto add_comparisons = [&add](const auto& types, const auto& comparisons) {
    for (const compared_type& t : types)
      for (const named_comparison& c : comparisons)
        add(handler_of("setp." + std::string(c.name) + '.' + std::string(t.name)),
            {set_predicate, argument(t.instruction, t.bytes, c.number)});
  };
  add_comparisons(compared_integers, integer_comparisons);
  add_comparisons(compared_floats, float_comparisons);
  // Operations that the decoder emits itself.
  add(add_u64, {binary, argument(Inst::kIdVpaddq, 8)});
  add(shift_right_u64, {shift, 3});
  add(equal_u64, {set_predicate, argument(Inst::kIdVpcmpuq, 8, 0)});
  for (const named_recipe& r : special) add(find_special(std::string(r.name), nullptr), {r.write, r.argument});
  return made;
}

}  // namespace

const recipe* find_recipe(handler run) {
  static const std::unordered_map<handler, recipe> recipes = make_recipes();
  const auto found = recipes.find(run);
  return found == recipes.end() ? nullptr : &found->second;
}

}  // namespace emulator::simt::native
