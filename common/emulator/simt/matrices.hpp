#pragma once
/// \file
/// Handlers of the operations on matrices that need no memory; those that do are `memory_unit::matrix`.

#include "emulator/simt/matrix_form.hpp"
#include "emulator/simt/warp.hpp"

namespace emulator::simt {

/// `mma`, for all 32 lanes: D = A * B + C. `op::target` says where the registers of A, B and C stand, and, as many
/// behind, those of D.
void run_multiply(warp& w, const op& o);

/// `movmatrix`: rows of 8 elements become columns.
void run_transpose(warp& w, const op& o);

}  // namespace emulator::simt
