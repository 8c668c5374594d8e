#pragma once
/// \file
/// What `mma` computes, as an H100 does: bit for bit.

#include <cstdint>

#include "emulator/simt/matrix_form.hpp"

namespace emulator::simt {

inline constexpr unsigned most_rows = 32, most_products = 32;

/// A matrix as the bits of its elements: rows of A, columns of B, row after row of C and D.
struct matrix_bits {
  std::uint64_t of[most_rows * most_products];
};

/// Computes `d` = `a` * `b` + `c`. \param a  row r's element k at [r * form.a.columns + k]
/// \param b  column n's element k at [n * form.b.rows + k]
/// \param c  and `d`: row r's element n at [r * form.c.columns + n]
void multiply_matrices(const matrix_form& form, const matrix_bits& a, const matrix_bits& b, const matrix_bits& c,
                       matrix_bits& d);

}  // namespace emulator::simt
