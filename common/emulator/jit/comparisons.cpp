// Comparisons of all lanes; the results are the bits of a general register.

#include <cstdint>
#include <span>

#include "emulator/jit/emitter.hpp"

namespace emulator::simt::native {

using asmjit::Operand;
namespace Inst = x86::Inst;

namespace {

/// The processor's numbers for the comparisons that are distinguished here.
constexpr unsigned equal = 0, less = 1, less_equal = 2, not_equal = 4, greater_equal = 5, greater = 6;

/// A comparison of two vectors with AVX2: the instructions, and the kind of numbers.
struct comparison {
  std::uint32_t equals = 0, exceeds = 0, smaller = 0, larger = 0;
  bool is_float = false, is_signed = false;
};

comparison comparison_of(std::uint32_t instruction) {
  switch (instruction) {
    case Inst::kIdVpcmpw:
      return {.equals = Inst::kIdVpcmpeqw, .exceeds = Inst::kIdVpcmpgtw, .is_signed = true};
    case Inst::kIdVpcmpd:
      return {.equals = Inst::kIdVpcmpeqd, .exceeds = Inst::kIdVpcmpgtd, .is_signed = true};
    case Inst::kIdVpcmpq:
      return {.equals = Inst::kIdVpcmpeqq, .exceeds = Inst::kIdVpcmpgtq, .is_signed = true};
    case Inst::kIdVpcmpuw:
      return {.equals = Inst::kIdVpcmpeqw, .smaller = Inst::kIdVpminuw, .larger = Inst::kIdVpmaxuw};
    case Inst::kIdVpcmpud:
      return {.equals = Inst::kIdVpcmpeqd, .smaller = Inst::kIdVpminud, .larger = Inst::kIdVpmaxud};
    case Inst::kIdVpcmpuq:
      return {.equals = Inst::kIdVpcmpeqq, .exceeds = Inst::kIdVpcmpgtq};
    default:
      return {.is_float = true};
  }
}

}  // namespace

void emitter::jump_if_nan(std::span<const slot> registers, asmjit::Label to) {
  const x86::Vec found = scratch(2), no_number = scratch(1);
  constexpr unsigned unordered = 3;
  if (registers.empty()) return;
  if (has_masks())
    a.kxorw(x86::k6, x86::k6, x86::k6);
  else
    zero(found);
  for (const slot s : registers) {
    for (unsigned part = 0; part < parts(8); ++part) {
      const Operand at = wherever_it_is(s, 8, part);
      if (at.isMem()) copy(scratch(0), at);
      const x86::Vec x = at.isMem() ? scratch(0) : at.as<x86::Vec>();
      if (has_masks()) {
        a.vcmppd(x86::k7, x, x, unordered);
        if (!full_) a.kandw(x86::k7, x86::k7, lanes_of(8, part));
        a.korw(x86::k6, x86::k6, x86::k7);
      } else {
        a.vcmppd(no_number, x, x, unordered);
        a.vorpd(found, found, no_number);
      }
    }
  }
  if (has_masks()) {
    a.kortestw(x86::k6, x86::k6);
    a.jnz(to);
  } else {
    jump_unless_zero(found, to);
  }
}

void emitter::compare(std::uint32_t instruction, unsigned how, slot x, slot y, unsigned bytes) {
  const auto number = asmjit::imm(how);
  if (has_masks()) {
    const auto part_to = [&](const x86::KReg& k, unsigned part) {
      const x86::Vec one = read(x, bytes, part);
      a.emit(instruction, k, one, read_or_constant(y, bytes, part), number);
    };
    part_to(x86::k6, 0);
    if (bytes == 4) {
      part_to(x86::k7, 1);
      a.kunpckwd(x86::k6, x86::k7, x86::k6);
      a.kmovd(x86::eax, x86::k6);
    } else if (bytes == 2) {
      a.kmovd(x86::eax, x86::k6);
    } else {
      part_to(x86::k7, 1);
      a.kunpckbw(x86::k6, x86::k7, x86::k6);
      a.kmovd(x86::eax, x86::k6);
      part_to(x86::k6, 2);
      part_to(x86::k7, 3);
      a.kunpckbw(x86::k6, x86::k7, x86::k6);
      a.kmovd(x86::ecx, x86::k6);
      a.shl(x86::ecx, 16);
      a.or_(x86::eax, x86::ecx);
    }
    return;
  }
  const comparison by = comparison_of(instruction);
  // AVX2 has only equality and "greater"; the others are the negation of one of these, or have their operands swapped.
  bool contrary = !by.is_float && how == not_equal;
  const auto part_to = [&](const x86::Vec& to, unsigned part) {
    ++number_;
    const x86::Vec one = read(x, bytes, part);
    const Operand other = read_or_constant(y, bytes, part);
    if (by.is_float) {
      a.emit(instruction, to, one, other, number);
    } else if (how == equal || how == not_equal) {
      a.emit(by.equals, to, one, other);
    } else if (by.smaller != 0) {
      // x <= y if x is the smaller of the two.
      const bool against_smaller = how == less_equal || how == greater;
      contrary = how == greater || how == less;
      a.emit(against_smaller ? by.smaller : by.larger, to, one, other);
      a.emit(by.equals, to, to, one);
    } else {
      const bool exceeds = how == greater || how == less_equal;
      contrary = how == less_equal || how == greater_equal;
      x86::Vec left = one;
      Operand right = other;
      if (!by.is_signed) {
        const x86::Mem sign = eight_bytes(std::uint64_t{1} << 63);
        copy(scratch(2), sign);
        a.vpxor(to, one, scratch(2));
        a.emit(Inst::kIdVpxor, scratch(2), scratch(2), other);
        left = to;
        right = scratch(2);
      } else if (!exceeds && other.isMem()) {
        copy(scratch(2), other);
        right = scratch(2);
      }
      exceeds ? a.emit(by.exceeds, to, left, right) : a.emit(by.exceeds, to, right, left);
    }
  };
  if (bytes == 2) {
    part_to(scratch(0), 0);
    part_to(scratch(1), 1);
    a.vpacksswb(scratch(0), scratch(0), scratch(1));
    a.vpermq(scratch(0), scratch(0), middle_quarters);
    a.vpmovmskb(x86::eax, scratch(0));
  } else {
    // Eight lanes at a time.
    for (unsigned part = 0; part < parts(bytes); part += bytes / 4) {
      part_to(scratch(0), part);
      if (bytes == 8) {
        part_to(scratch(1), part + 1);
        a.vshufps(scratch(0), scratch(0), scratch(1), every_other);
        a.vpermq(scratch(0), scratch(0), middle_quarters);
      }
      const x86::Gp bits = part == 0 ? x86::eax : x86::ecx;
      a.vmovmskps(bits, scratch(0));
      if (part == 0) continue;
      a.shl(x86::ecx, part * vector_bytes_ / bytes);
      a.or_(x86::eax, x86::ecx);
    }
  }
  if (contrary) a.not_(x86::eax);
}

}  // namespace emulator::simt::native
