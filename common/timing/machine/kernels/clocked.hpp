#pragma once
/// \file
/// Kernels of one block that measure with the clock of their SM.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace workbook::machine {

/// A kernel (long long* cycles, unsigned* values, unsigned repetitions). It reads the clock, does `steps` steps
/// `repetitions` times, and reads the clock again.
struct clocked_kernel {
  std::string name;                   ///< The name in a cost table, such as "SHFL", or what a step does.
  const void* kernel;                 ///< Each thread of its block reads and writes one word of `values`.
  unsigned steps;                     ///< Steps per repetition.
  std::string subtract = {};          ///< Name of the kernel whose cycles are subtracted; may be empty.
  bool needs_80 = false;              ///< True if it needs compute capability 8.0.
  unsigned threads = 32;              ///< Threads per block.
  std::size_t shared_bytes = 0;       ///< Dynamic shared memory.
  std::vector<unsigned> values = {};  ///< The threads' initial values; if empty: 1, 2, 3 …
  /// Returns the value that thread `thread` stores in `values`; null if the host cannot compute it.
  unsigned (*expected)(unsigned thread, unsigned repetitions) = nullptr;
};

/// Returns chains of dependent instructions in one warp: SHFL, IADD3, LOP3, IMNMX, REDUX, LDS.
[[nodiscard]] std::vector<clocked_kernel> single_instructions();

/// Returns the last parts of a reduction that chapter 14 compares. A step is one such part, and the next step begins
/// with its result.
[[nodiscard]] std::vector<clocked_kernel> whole_sequences();

/// Returns a kernel that calls __syncthreads in a block of `warps` warps; a step is one barrier.
[[nodiscard]] clocked_kernel barriers(unsigned warps);

/// Returns a kernel of one warp with dependent loads from shared memory, in which `degree` lanes use each bank.
[[nodiscard]] clocked_kernel dependent_shared_loads(unsigned degree);
/// As above, but with `warps` warps and independent loads. A step is one load by each of the warps.
[[nodiscard]] clocked_kernel shared_loads(unsigned degree, unsigned warps);
/// As `shared_loads`, with stores instead of loads.
[[nodiscard]] clocked_kernel shared_stores(unsigned degree, unsigned warps);

/// Returns streams of instructions of 32 warps, in each of which at least four instructions are independent: IADD3,
/// FADD, FFMA, IMAD, LOP3, SHFL, the remainder by a value that changes, and a loop around one LOP3. A step is one
/// instruction in each of the warps.
[[nodiscard]] std::vector<clocked_kernel> instruction_streams();

/// Returns kernels of one warp. A step is one to four shuffles of the same value and the XOR of their results; the
/// kernel's name is the number of shuffles.
[[nodiscard]] std::vector<clocked_kernel> shuffles_together();
/// Returns a kernel in which a step is a sum of 16 lanes in each of `warps` warps, by four dependent shuffles
/// (`sums_by_chains`) or by two steps of three independent shuffles (`sums_by_trees`).
[[nodiscard]] clocked_kernel sums_by_chains(unsigned warps);
[[nodiscard]] clocked_kernel sums_by_trees(unsigned warps);

}  // namespace workbook::machine
