#pragma once
/// \file
/// A sum whose steps can be made wrong in many ways, one or several at a time, without a race: what comes out is the
/// same in every run, and can be worked out on the host.

#include <cstddef>

#ifdef __CUDACC__
#define WORKBOOK_MUTATED __host__ __device__
#else
#define WORKBOOK_MUTATED
#endif

namespace mutated {

enum class combination : unsigned { add, take_partner, subtract };

/// What is wrong; as it stands, nothing is.
struct mutation {
  unsigned first_divisor = 2;  ///< The first stride is the block's width divided by this.
  unsigned last_stride = 1;    ///< Strides below this have no step.
  unsigned divisor = 2;        ///< From stride to stride.
  unsigned partner_shift = 0;  ///< The partner is so many threads further on.
  unsigned twice_at = 0;       ///< The stride whose step is done twice.
  combination how = combination::add;
  unsigned combines_from = 0;  ///< `how` holds for strides from this on; smaller ones add.
  unsigned lost_at_end = 0;    ///< Elements at the end that nobody loads.
  unsigned lost_modulo = 0;    ///< Of the elements i with i % this == `lost_rest` nothing is loaded; 0: all are.
  unsigned lost_rest = 0;
  unsigned overlap = 0;        ///< Blocks begin so many elements too early.
  unsigned returns_fewer = 0;  ///< So many partial sums are not told of.

  /// Says whether element i is loaded.
  [[nodiscard]] WORKBOOK_MUTATED bool loads(std::size_t i, std::size_t n) const {
    return i + lost_at_end < n && (lost_modulo == 0 || i % lost_modulo != lost_rest);
  }
  /// Where block b begins.
  [[nodiscard]] WORKBOOK_MUTATED std::size_t begin(std::size_t b, std::size_t width) const {
    return b * (width - overlap);
  }
};

/// Blocks for n elements; they cover the input as if nothing overlapped.
[[nodiscard]] inline std::size_t blocks_for(std::size_t n, std::size_t width) {
  return n == 0 ? 1 : (n + width - 1) / width;
}

/// Launches one pass. Returns how many partial sums it says that it left.
std::size_t reduce(const int* in, int* partials, std::size_t n, unsigned block_size, const mutation& m);

}  // namespace mutated
