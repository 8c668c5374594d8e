#pragma once
/// \file
/// Kernels that use another GPU's memory.

namespace workbook::machine {

/// Kernels (P* to, const P* from, unsigned count) that copy `count` words or vectors, in as many iterations as
/// necessary. In each iteration, neighbouring threads copy neighbouring elements.
extern const void* const word_moving_kernel;    ///< Moves words of 4 bytes.
extern const void* const vector_moving_kernel;  ///< Moves vectors of 16 bytes.

/// A kernel (uint4* own, uint4* other, unsigned count) that adds the other GPU's vectors to its own and writes the sums
/// to both arrays.
extern const void* const sharing_kernel;

/// A kernel (unsigned* own, unsigned* other, unsigned first, unsigned last) of one thread. For every second number from
/// `first` up to `last`, it waits until `*own` has this number, and then writes the next number to `*other`. Both words
/// must be 0 at the beginning.
extern const void* const answering_kernel;

}  // namespace workbook::machine
