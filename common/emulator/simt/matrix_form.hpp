#pragma once
/// \file
/// The decoder's record of an instruction on matrices (`wmma`, `mma`, `ldmatrix`): which fragments a warp holds,
/// and where each lane's elements are in their matrix. Also declares the computation of `mma`.

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/rounding.hpp"

namespace emulator::simt {

enum class matrix_operation : std::uint8_t {
  multiply,    ///< `mma`, `wmma.mma`.
  load,        ///< `wmma.load`.
  store,       ///< `wmma.store`.
  load_rows,   ///< `ldmatrix`.
  store_rows,  ///< `stmatrix`.
  transpose    ///< `movmatrix`.
};

/// The matrix that a fragment belongs to: D = A * B + C.
enum class matrix_role : std::uint8_t { a, b, accumulator };

struct matrix_shape {
  unsigned m = 0, n = 0, k = 0;
  bool operator==(const matrix_shape&) const = default;
};

struct matrix_place {
  std::uint8_t row = 0, column = 0;
};

/// A matrix in the registers of a warp.
struct fragment {
  ptx::scalar_type type = ptx::scalar_type::none;
  unsigned rows = 0, columns = 0;
  unsigned element_bytes = 0;
  unsigned register_bytes = 4;
  unsigned registers = 0;  ///< Per lane.
  unsigned distinct = 0;   ///< Elements per lane before they repeat: `wmma` holds some matrices twice or more.
  std::vector<matrix_place> places;  ///< Indexed by lane and element.

  [[nodiscard]] unsigned per_register() const { return register_bytes / element_bytes; }
  [[nodiscard]] unsigned elements() const { return registers * per_register(); }
  [[nodiscard]] unsigned bytes() const { return registers * register_bytes; }
  [[nodiscard]] matrix_place place(unsigned lane, unsigned element) const {
    return places[lane * elements() + element];
  }
};

/// An entry of `program::matrix_forms`; `op::reconvergence` is the index.
struct matrix_form {
  matrix_operation operation = matrix_operation::multiply;
  fragment a, b, c, d;  ///< A load or store uses only `d`.
  bool saturates = false;
  rounding mode = rounding::nearest;
  unsigned step = 0;           ///< Number of products that are added in one step; the next step starts with that sum.
  bool by_columns = false;     ///< Loads and stores: the matrix is in memory column by column.
  bool is_factor = false;      ///< Loads: the matrix is A or B.
  unsigned matrices = 1;       ///< `ldmatrix`, `stmatrix`: number of matrices of 8 rows.
  bool is_transposed = false;  ///< `ldmatrix`, `stmatrix`: rows in memory are columns in registers.
};

/// Returns the fragment of `wmma` for the matrix `role`. \throws unsupported  if there is none of that type and shape
[[nodiscard]] fragment wmma_fragment(matrix_role role, const matrix_shape& shape, ptx::scalar_type type);

/// Returns the fragment of `mma`. \throws unsupported  if there is none of that type and shape
[[nodiscard]] fragment mma_fragment(matrix_role role, const matrix_shape& shape, ptx::scalar_type type);

inline constexpr unsigned max_rows = 32, max_products = 32;

/// A matrix as the bits of its elements: A row by row, B column by column, C and D row by row.
struct matrix_bits {
  std::uint64_t of[max_rows * max_products];
};

/// Computes `d` = `a` * `b` + `c`, bit for bit as an H100 does. \param a  row r's element k at [r * form.a.columns + k]
/// \param b  column n's element k at [n * form.b.rows + k]
/// \param c  and `d`: row r's element n at [r * form.c.columns + n]
void multiply_matrices(const matrix_form& form, const matrix_bits& a, const matrix_bits& b, const matrix_bits& c,
                       matrix_bits& d);

}  // namespace emulator::simt
