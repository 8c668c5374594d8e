#pragma once
/// \file
/// Sums by cuBLAS. BLAS has no sum, but the product with a vector of ones is a sum or, for a matrix, the sum of every
/// row or column. The sum of magnitudes reads as many elements and does as many additions.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "reductions/buffer.hpp"

namespace workbook {

/// The few functions of cuBLAS that are called here. They are loaded at run time, because one row of one program should
/// not require a library of half a gigabyte at build time.
class cublas {
 public:
  /// Returns cuBLAS with a handle for the current device (a GPU), or null if this machine has no cuBLAS.
  [[nodiscard]] static std::shared_ptr<cublas> load();

  /// Stores the sum of the `n` elements at `in` in `*out` (both device), as their product with a vector of ones. This
  /// vector has a step of 0, so it needs only one element in memory, and only `in` is read. Does not synchronise.
  /// \throws std::runtime_error
  void sum(const float* in, float* out, std::size_t n);
  void sum(const double* in, double* out, std::size_t n);

  /// Stores the sum of the magnitudes of the `n` elements at `in` in `*out`, as above.
  void magnitudes(const float* in, float* out, std::size_t n);
  void magnitudes(const double* in, double* out, std::size_t n);

  /// Stores the sums of the `count` rows (or columns) of the matrix at `in`, whose rows have no gaps, in `out`. They
  /// are its product with `ones`, which are `length` ones: one for each element of a row (or a column). All pointers
  /// are device. As above, does not synchronise and throws.
  void sums_of(const float* in, float* out, bool rows, std::size_t count, std::size_t length, const float* ones);

 private:
  // The parameters in NVIDIA's documentation of the library's interface with 64-bit sizes: handle, n, x, its step, …
  template <typename T>
  using dot = int (*)(void*, std::int64_t, const T*, std::int64_t, const T*, std::int64_t, T*);
  template <typename T>
  using asum = int (*)(void*, std::int64_t, const T*, std::int64_t, T*);

  using gemv = int (*)(void*, int, std::int64_t, std::int64_t, const float*, const float*, std::int64_t, const float*,
                       std::int64_t, const float*, float*, std::int64_t);

  void* handle_ = nullptr;  ///< Never destroyed; like the library, it stays until the program ends.
  dot<float> sdot_ = nullptr;
  dot<double> ddot_ = nullptr;
  asum<float> sasum_ = nullptr;
  asum<double> dasum_ = nullptr;
  gemv sgemv_ = nullptr;
  device_bytes ones_;
};

}  // namespace workbook
