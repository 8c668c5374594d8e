#pragma once
/// \file
/// Sums by cuBLAS. BLAS has no sum, but the product with a vector of ones is one, or, for a matrix, the sum of every
/// row or column. The sum of magnitudes reads as much and adds as often.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "reductions/buffer.hpp"

namespace workbook {

/// The few functions of cuBLAS that are called here, loaded at run time, because one row of one program should not
/// require a library of half a gigabyte at build time.
class cublas {
 public:
  /// Returns cuBLAS with a handle on the current device (a GPU), or null if this machine has none.
  [[nodiscard]] static std::shared_ptr<cublas> load();

  /// Stores the sum of the `n` elements at `in` in `*out` (both device): their product with ones. A step of 0 makes a
  /// vector of a single one, so only `in` is read. Does not synchronise. \throws std::runtime_error
  void sum(const float* in, float* out, std::size_t n);
  void sum(const double* in, double* out, std::size_t n);

  /// Stores the sum of the magnitudes of the `n` elements at `in` in `*out`, as above.
  void magnitudes(const float* in, float* out, std::size_t n);
  void magnitudes(const double* in, double* out, std::size_t n);

  /// Stores the sums of the `count` rows (or columns) of the matrix at `in`, whose rows have no gaps, in `out`: its
  /// product with `ones`, of which there are `length`, one for each element of a row (or a column). All device. As
  /// above.
  void sums_of(const float* in, float* out, bool rows, std::size_t count, std::size_t length, const float* ones);

 private:
  // As in NVIDIA's documentation of the library's interface with 64-bit sizes: handle, n, x and its step, …
  template <typename T>
  using dot = int (*)(void*, std::int64_t, const T*, std::int64_t, const T*, std::int64_t, T*);
  template <typename T>
  using asum = int (*)(void*, std::int64_t, const T*, std::int64_t, T*);

  using gemv = int (*)(void*, int, std::int64_t, std::int64_t, const float*, const float*, std::int64_t, const float*,
                       std::int64_t, const float*, float*, std::int64_t);

  void* handle_ = nullptr;  ///< Exists until the program ends, like the library.
  dot<float> sdot_ = nullptr;
  dot<double> ddot_ = nullptr;
  asum<float> sasum_ = nullptr;
  asum<double> dasum_ = nullptr;
  gemv sgemv_ = nullptr;
  device_bytes ones_;
};

}  // namespace workbook
