#pragma once
/// \file
/// A sum whose steps can be made wrong in many ways, one or several at a time, without a race. Its result is therefore
/// the same in every run, and the host can calculate it.

#include <cstddef>

#ifdef __CUDACC__
#define WORKBOOK_MUTATED __host__ __device__
#else
#define WORKBOOK_MUTATED
#endif

namespace mutated {

enum class combination : unsigned { add, take_partner, subtract };

/// The mistakes of a sum. By default there is none.
struct mutation {
  unsigned first_divisor = 2;  ///< The first stride is the block's width divided by this.
  unsigned last_stride = 1;    ///< There is no step for strides below this.
  unsigned divisor = 2;        ///< Each stride is the previous one divided by this.
  unsigned partner_shift = 0;  ///< The partner's index is too large by this number.
  unsigned twice_at = 0;       ///< The step for this stride is done twice.
  combination how = combination::add;
  unsigned combines_from = 0;  ///< `how` applies to this stride and larger ones; smaller strides add.
  unsigned lost_at_end = 0;    ///< The number of elements at the end that are not loaded.
  unsigned lost_modulo = 0;    ///< Elements i with i % this == `lost_rest` are not loaded; 0: all are.
  unsigned lost_rest = 0;
  unsigned overlap = 0;        ///< Blocks begin too early by this number of elements.
  unsigned returns_fewer = 0;  ///< The number of partial sums that are left out of the returned count.

  /// Returns true if element i is loaded.
  [[nodiscard]] WORKBOOK_MUTATED bool loads(std::size_t i, std::size_t n) const {
    return i + lost_at_end < n && (lost_modulo == 0 || i % lost_modulo != lost_rest);
  }
  /// Returns the index of the first element of block b.
  [[nodiscard]] WORKBOOK_MUTATED std::size_t begin(std::size_t b, std::size_t width) const {
    return b * (width - overlap);
  }
};

/// Returns the number of blocks for n elements, enough to cover the input if nothing overlaps.
[[nodiscard]] inline std::size_t blocks_for(std::size_t n, std::size_t width) {
  return n == 0 ? 1 : (n + width - 1) / width;
}

/// Launches one pass. Returns the number of partial sums that it claims to have written.
std::size_t reduce(const int* in, int* partials, std::size_t n, unsigned block_size, const mutation& m);

}  // namespace mutated
