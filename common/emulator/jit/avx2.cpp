// AVX-512 instructions, and their substitutes if there is only AVX2.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "emulator/jit/emitter.hpp"

namespace emulator::simt::native {

using asmjit::Label;
using asmjit::Operand;
namespace Inst = x86::Inst;

namespace {

/// Returns the AVX2 form of a bitwise instruction, which has no variants for different lane widths.
std::uint32_t without_lanes(std::uint32_t instruction) {
  switch (instruction) {
    case Inst::kIdVpandd:
    case Inst::kIdVpandq:
      return Inst::kIdVpand;
    case Inst::kIdVpord:
    case Inst::kIdVporq:
      return Inst::kIdVpor;
    case Inst::kIdVpxord:
    case Inst::kIdVpxorq:
      return Inst::kIdVpxor;
    default:
      return instruction;
  }
}

}  // namespace

asmjit::Error careful_assembler::_emit(asmjit::InstId instruction, const asmjit::Operand_& first,
                                       const asmjit::Operand_& second, const asmjit::Operand_& third,
                                       const asmjit::Operand_* others) {
  using features = asmjit::CpuFeatures::X86;
  if (only_avx2_) {
    const asmjit::Operand_ all[] = {first, second, third, others[0], others[1], others[2]};
    std::size_t count = 0;
    while (count < std::size(all) && !all[count].isNone()) ++count;
    asmjit::CpuFeatures needed;
    const auto error = asmjit::InstAPI::queryFeatures(arch(), asmjit::BaseInst(instruction, instOptions(), extraReg()),
                                                      all, count, &needed);
    if (error != asmjit::kErrorOk) return reportError(error);
    for (const auto feature : {features::kSSE, features::kSSE2, features::kAVX, features::kAVX2, features::kFMA,
                               features::kBMI, features::kBMI2, features::kLZCNT, features::kPOPCNT})
      needed.remove(feature);
    if (!needed.empty()) return reportError(asmjit::kErrorFeatureNotEnabled);
  }
  return x86::Assembler::_emit(instruction, first, second, third, others);
}

void emitter::copy(const Operand& to, const Operand& from) {
  a.emit(has_masks() ? Inst::kIdVmovdqa64 : Inst::kIdVmovdqa, to, from);
}

void emitter::emit(std::uint32_t instruction, const x86::Vec& to, const x86::Vec& x, const Operand& y) {
  if (has_masks()) {
    a.emit(instruction, to, x, y);
    return;
  }
  const x86::Vec s3 = scratch(3), s4 = scratch(4);
  const auto in_register = [&] {
    if (y.isReg()) return y.as<x86::Vec>();
    copy(scratch(2), y);
    return scratch(2);
  };
  switch (instruction) {
    case Inst::kIdVpmullq: {  // the product of the low halves, plus the low parts of the mixed products
      const x86::Vec by = in_register();
      a.vpsrlq(s3, x, 32);
      a.vpmuludq(s3, s3, by);
      a.vpsrlq(s4, by, 32);
      a.vpmuludq(s4, s4, x);
      a.vpaddq(s3, s3, s4);
      a.vpsllq(s3, s3, 32);
      a.vpmuludq(s4, x, by);
      a.vpaddq(to, s3, s4);
      return;
    }
    case Inst::kIdVpminsq:
    case Inst::kIdVpmaxsq:
    case Inst::kIdVpminuq:
    case Inst::kIdVpmaxuq: {
      const x86::Vec other = in_register();
      const bool smaller = instruction == Inst::kIdVpminsq || instruction == Inst::kIdVpminuq;
      if (instruction == Inst::kIdVpminsq || instruction == Inst::kIdVpmaxsq) {
        a.vpcmpgtq(s3, x, other);
      } else {
        const x86::Mem sign = eight_bytes(std::uint64_t{1} << 63);
        a.vpxor(s3, x, sign);
        a.vpxor(s4, other, sign);
        a.vpcmpgtq(s3, s3, s4);
      }
      smaller ? a.vpblendvb(to, x, other, s3) : a.vpblendvb(to, other, x, s3);
      return;
    }
    default:
      a.emit(without_lanes(instruction), to, x, y);
  }
}

void emitter::emit(std::uint32_t instruction, const x86::Vec& to, const x86::Vec& x) {
  const x86::Vec s3 = scratch(3), s4 = scratch(4);
  if (!has_masks() && instruction == Inst::kIdVpabsq) {
    a.vpxor(s3, s3, s3);
    a.vpcmpgtq(s3, s3, x);
    a.vpxor(s4, x, s3);
    a.vpsubq(to, s4, s3);
  } else if (!has_masks() && instruction == Inst::kIdVcvtudq2ps) {
    // Both halves are exact, so only their sum is rounded.
    a.vpsrld(s3, x, 16);
    a.vcvtdq2ps(s3, s3);
    a.vmulps(s3, s3, four_bytes(0x47800000u));  // 65536
    a.vpand(s4, x, four_bytes(0xffffu));
    a.vcvtdq2ps(s4, s4);
    a.vaddps(to, s3, s4);
  } else {
    a.emit(instruction, to, x);
  }
}

void emitter::bit_not(const x86::Vec& to, const x86::Vec& x) {
  if (has_masks()) {
    a.vpternlogd(to, x, x, 0x55);
    return;
  }
  a.vpcmpeqd(scratch(3), scratch(3), scratch(3));
  a.vpxor(to, x, scratch(3));
}

void emitter::shift_keeping_sign(const x86::Vec& to, const x86::Vec& x, const Operand& by) {
  if (has_masks()) {
    a.emit(by.isImm() ? Inst::kIdVpsraq : Inst::kIdVpsravq, to, x, by);
    return;
  }
  // Flipping all bits of negative numbers before and after makes a shift that inserts zeros keep the sign.
  const x86::Vec sign = scratch(3), rest = scratch(4);
  a.vpxor(sign, sign, sign);
  a.vpcmpgtq(sign, sign, x);
  a.vpxor(rest, x, sign);
  a.emit(by.isImm() ? Inst::kIdVpsrlq : Inst::kIdVpsrlvq, rest, rest, by);
  a.vpxor(to, rest, sign);
}

void emitter::bit_function(const x86::Vec& to, const x86::Vec& x, const x86::Vec& y, const Operand& z,
                           std::uint32_t function) {
  if (has_masks()) {
    copy(to, x);
    a.emit(Inst::kIdVpternlogd, to, y, z, asmjit::imm(function));
    return;
  }
  // The function is written as an exclusive or of products. In a product's number, the bit of value 4 stands for x, 2
  // for y, and 1 for z.
  std::uint32_t sums = function;
  for (const auto& [by, keep] : {std::pair{1u, 0x55u}, {2u, 0x33u}, {4u, 0x0fu}}) sums ^= (sums & keep) << by;
  const x86::Vec product = scratch(3);
  bool first = true;
  const auto add = [&](const Operand& what) {
    if (first)
      copy(to, what);
    else
      a.emit(Inst::kIdVpxor, to, to, what);
    first = false;
  };
  for (unsigned k = 0; k < 8; ++k) {
    if ((sums >> k & 1u) == 0) continue;
    if (k == 0) {
      a.vpcmpeqd(product, product, product);
      add(product);
    } else if (k == 4) {
      add(x);
    } else if (k == 2) {
      add(y);
    } else if (k == 1) {
      add(z);
    } else {
      if ((k & 1u) != 0)
        a.emit(Inst::kIdVpand, product, (k & 4u) != 0 ? x : y, z);
      else
        a.vpand(product, x, y);
      if (k == 7) a.vpand(product, product, y);
      add(product);
    }
  }
  if (first) zero(to);
}

void emitter::extend(std::uint32_t how, const x86::Vec& to, const x86::Vec& from, bool upper) {
  if (!upper) {
    a.emit(how, to, from.half());
    return;
  }
  a.emit(has_masks() ? Inst::kIdVextracti64x4 : Inst::kIdVextracti128, to.half(), from, asmjit::imm(1));
  a.emit(how, to, to.half());
}

void emitter::shorten(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high, unsigned to_bytes) {
  const x86::Vec one = scratch(0), other = scratch(1);
  if (has_masks()) {
    const std::uint32_t how = to_bytes == 4 ? Inst::kIdVpmovqd : Inst::kIdVpmovdw;
    a.emit(how, one.half(), low);
    a.emit(how, other.half(), high);
    a.vinserti64x4(to, one, other.ymm(), 1);
    return;
  }
  if (to_bytes == 4) {
    a.vshufps(one, low, high, every_other);
  } else {
    a.vpand(one, low, four_bytes(0xffffu));
    a.vpand(other, high, four_bytes(0xffffu));
    a.vpackusdw(one, one, other);
  }
  a.vpermq(to, one, middle_quarters);
}

void emitter::spread(const x86::Vec& to, const x86::Gp& from, bool eight_bytes_each) {
  if (has_masks()) {
    eight_bytes_each ? a.vpbroadcastq(to, from.r64()) : a.vpbroadcastd(to, from.r32());
  } else if (eight_bytes_each) {
    a.vmovq(to.xmm(), from.r64());
    a.vpbroadcastq(to, to.xmm());
  } else {
    a.vmovd(to.xmm(), from.r32());
    a.vpbroadcastd(to, to.xmm());
  }
}

void emitter::replace_where(const x86::Vec& to, const Operand& instead, const x86::Vec& x, const x86::Vec& y,
                            unsigned how) {
  if (has_masks()) {
    a.vcmpps(x86::k6, x, y, how);
    a.k(x86::k6).emit(Inst::kIdVmovdqa32, to, instead);
    return;
  }
  a.vcmpps(scratch(3), x, y, how);
  a.emit(Inst::kIdVblendvps, to, to, instead, scratch(3));
}

/// Uses registers 1 and 4.
void emitter::add_difference(const x86::Vec& off, const x86::Vec& x, const Operand& y, unsigned lane_bytes,
                             unsigned part) {
  if (has_masks()) {
    if (!full_) a.k(lanes_of(lane_bytes, part));
    a.emit(lane_bytes == 8 ? Inst::kIdVpternlogq : Inst::kIdVpternlogd, off, x, y, asmjit::imm(0xf6));
    return;
  }
  a.emit(Inst::kIdVpxor, scratch(4), x, y);
  if (!full_) {
    lanes_by_bits(scratch(1), lanes(), lane_bytes, part);
    a.vpand(scratch(4), scratch(4), scratch(1));
  }
  a.vpor(off, off, scratch(4));
}

void emitter::jump_unless_zero(const x86::Vec& off, Label to) {
  if (has_masks()) {
    a.vptestmd(x86::k6, off, off);
    a.kortestw(x86::k6, x86::k6);
  } else {
    a.vptest(off, off);
  }
  a.jnz(to);
}

void emitter::lanes_by_bits(const x86::Vec& to, const x86::Gp& bits, unsigned lane_bytes, unsigned part) {
  const unsigned lanes_each = vector_bytes_ / lane_bytes, per_word = 8 / lane_bytes;
  // For lanes of two bytes, a part has 16 bits.
  const unsigned first = lane_bytes == 2 ? 0 : part * lanes_each;
  std::vector<std::uint64_t> own;
  for (unsigned k = 0; k < vector_bytes_ / 8; ++k) {
    std::uint64_t word = 0;
    for (unsigned lane = 0; lane < per_word; ++lane)
      word |= std::uint64_t{1} << (first + k * per_word + lane) << 8 * lane_bytes * lane;
    own.push_back(word);
  }
  a.vmovd(to.xmm(), bits.r32());
  if (lane_bytes == 8) {
    a.vpbroadcastq(to, to.xmm());
  } else {
    a.vpbroadcastd(to, to.xmm());
    if (lane_bytes == 2)
      a.vpshufb(to, to, eight_bytes((2 * part + 1) * 0x0100010001000100u | 2 * part * 0x0001000100010001u));
  }
  const x86::Mem at = pooled(own);
  a.vpand(to, to, at);
  a.emit(lane_bytes == 2 ? Inst::kIdVpcmpeqw : lane_bytes == 4 ? Inst::kIdVpcmpeqd : Inst::kIdVpcmpeqq, to, to, at);
}

void emitter::permute(slot s, const std::array<std::uint32_t, warp_size>& from) {
  const unsigned count = parts(4), lanes_each = warp_size / count;
  x86::Vec source[4];
  for (unsigned part = 0; part < count; ++part) source[part] = read(s, 4, part);
  for (unsigned part = 0; part < count; ++part) {
    const std::uint32_t* const wanted = &from[part * lanes_each];
    std::vector<std::uint64_t> numbers;
    for (unsigned k = 0; k < lanes_each; k += 2) {
      const auto number = [&](unsigned lane) { return std::uint64_t{has_masks() ? wanted[lane] : wanted[lane] % 8}; };
      numbers.push_back(number(k + 1) << 32 | number(k));
    }
    const x86::Mem at = pooled(numbers);
    copy(scratch(part), at);
    if (has_masks()) {
      a.vpermi2d(scratch(part), source[0], source[1]);
      continue;
    }
    bool first = true;
    for (unsigned k = 0; k < count; ++k) {
      unsigned here = 0;
      for (unsigned lane = 0; lane < lanes_each; ++lane) here |= (wanted[lane] / lanes_each == k ? 1u : 0u) << lane;
      if (here == 0) continue;
      const x86::Vec to = first ? scratch(part) : scratch(4);
      if (!first) copy(to, at);
      a.vpermd(to, to, source[k]);
      if (!first) a.vpblendd(scratch(part), scratch(part), to, here);
      first = false;
    }
  }
}

}  // namespace emulator::simt::native
