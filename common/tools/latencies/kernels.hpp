#pragma once
/// \file
/// Kernels of one warp that measure with the multiprocessor's own clock.

#include <string>
#include <vector>

namespace workbook {

/// A chain of dependent steps of one instruction, or of one after another.
struct chain_kernel {
  std::string name;       ///< "SHFL", as cost tables name it, or what the steps are.
  const void* kernel;     ///< (long long* cycles, unsigned* values, unsigned repetitions), one warp.
  unsigned steps;         ///< Dependent steps in one repetition.
  std::string subtract;   ///< A chain whose step is part of this one's: its cycles are taken off. Empty: none.
  bool needs_80 = false;  ///< Compute capability 8.0.
};

/// SHFL, IADD3, LOP3, IMNMX, REDUX, LDS.
[[nodiscard]] std::vector<chain_kernel> single_instructions();

/// The ends of a reduction that chapter 14 compares; a step is the whole of it, and the next begins with its result.
[[nodiscard]] std::vector<chain_kernel> whole_sequences();

}  // namespace workbook
