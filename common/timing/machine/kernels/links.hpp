#pragma once
/// \file
/// Kernels that use another GPU's memory.

namespace workbook::machine {

/// Kernels (P* to, const P* from, unsigned count) that copy `count` words or vectors, with neighbouring threads side by
/// side, in as many iterations as necessary.
extern const void* const word_moving_kernel;    ///< Moves words of 4 bytes.
extern const void* const vector_moving_kernel;  ///< Moves vectors of 16 bytes.

/// A kernel (uint4* own, uint4* other, unsigned count): adds the other GPU's vectors to its own, and writes the sums to
/// both.
extern const void* const sharing_kernel;

/// A kernel (unsigned* own, unsigned* other, unsigned first, unsigned last), of one thread: for every second number
/// from `first` up to `last`, it waits until the number is in `*own`, and then writes the next one to `*other`. Both
/// must be zeroed.
extern const void* const answering_kernel;

}  // namespace workbook::machine
