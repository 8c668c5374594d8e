#pragma once
/// \file
/// Kernels of one block that measure with the multiprocessor's own clock.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace workbook::machine {

/// A kernel (long long* cycles, unsigned* values, unsigned repetitions) that reads the clock, does `repetitions` times
/// `steps` steps, and reads the clock again.
struct clocked_kernel {
  std::string name;              ///< "SHFL", as cost tables name it, or what a step is.
  const void* kernel;            ///< One block; a word of `values` for each thread, also the result.
  unsigned steps;                ///< In one repetition.
  std::string subtract = {};     ///< A kernel whose step is part of this one's: its cycles are subtracted. Empty: none.
  bool needs_80 = false;         ///< Compute capability 8.0.
  unsigned threads = 32;         ///< Threads per block.
  std::size_t shared_bytes = 0;  ///< Dynamic.
  std::vector<unsigned> values = {};  ///< Initial values of the threads; empty: 1, 2, 3 …
  /// Returns the value that thread `thread` stores in `values`; null: not known on the host.
  unsigned (*expected)(unsigned thread, unsigned repetitions) = nullptr;
};

/// Dependent chains in one warp: SHFL, IADD3, LOP3, IMNMX, REDUX, LDS.
[[nodiscard]] std::vector<clocked_kernel> single_instructions();

/// The ends of a reduction that chapter 14 compares; a step is the whole of it, and the next begins with its result.
[[nodiscard]] std::vector<clocked_kernel> whole_sequences();

/// __syncthreads in a block of `warps` warps; a step is a barrier.
[[nodiscard]] clocked_kernel barriers(unsigned warps);

/// Dependent loads from shared memory: one warp, in which `degree` lanes use each bank.
[[nodiscard]] clocked_kernel dependent_shared_loads(unsigned degree);
/// As above, with `warps` warps and independent loads; a step is a load of one warp.
[[nodiscard]] clocked_kernel shared_loads(unsigned degree, unsigned warps);
/// The same with stores.
[[nodiscard]] clocked_kernel shared_stores(unsigned degree, unsigned warps);

/// Streams of instructions of 32 warps, with four or more independent instructions in each: IADD3, FADD, FFMA, IMAD,
/// LOP3, SHFL, the remainder by a value that changes, and a loop around one LOP3. A step is the part of one warp.
[[nodiscard]] std::vector<clocked_kernel> instruction_streams();

/// One warp: a step is one to four shuffles of the same value, and the XOR of their results; the name is their number.
[[nodiscard]] std::vector<clocked_kernel> shuffles_together();
/// A step is a sum of 16 lanes in each of `warps` warps: four shuffles one after the other, or two times three.
[[nodiscard]] clocked_kernel sums_by_chains(unsigned warps);
[[nodiscard]] clocked_kernel sums_by_trees(unsigned warps);

}  // namespace workbook::machine
