#pragma once
/// \file
/// An access that is carried out in line, while its code is written: for accesses.cpp and moved_data.cpp.

#include <bit>
#include <cstdint>

#include "emulator/simt/native/emitter.hpp"

namespace emulator::simt::native {

struct emitter::access {
  const op* o = nullptr;
  std::uint32_t pc = 0;
  unsigned bytes = 4;          ///< A lane's.
  unsigned address_bytes = 4;  ///< Of an address register.
  bool loads = false;
  bool in_row = false;                        ///< A row is told of by `tell_row`.
  std::uint32_t told = 0;                     ///< What `tell` is to know beside how the lanes lie.
  asmjit::Operand address[8];                 ///< By part: in a register, or where it lies in memory.
  x86::Vec data[8];                           ///< By element and part.
  bool wanted[4] = {true, true, true, true};  ///< By element.
  unsigned elements = 1;
  asmjit::Label slow, back, one;
  asmjit::Label slow_when_saved;  ///< From where nothing is left in the registers.
  bool keeps = false;             ///< Values stay in registers over the observer's call.

  [[nodiscard]] unsigned shift() const { return static_cast<unsigned>(std::countr_zero(bytes)); }
  [[nodiscard]] bool wide() const { return address_bytes == 8; }
};

}  // namespace emulator::simt::native
