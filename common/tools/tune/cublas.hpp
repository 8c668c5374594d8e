#pragma once
/// \file
/// What cuBLAS makes of a sum. BLAS has none, but the product with a vector of ones is one, of a matrix a sum of every
/// row or column, and the sum of magnitudes reads as much and adds as often.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/buffer.hpp"

namespace workbook {

/// The few functions of cuBLAS that are called here, found while the program runs: no library of half a gigabyte is
/// wanted at build time for one row of one program.
class cublas {
 public:
  /// Returns cuBLAS with a handle on the current device (a GPU), or nothing where this machine has none.
  [[nodiscard]] static std::shared_ptr<cublas> load();

  /// Leaves the sum of the `n` elements at `in` in `*out` (both device): their product with ones. A step of 0 makes a
  /// vector of a single one, so nothing but `in` is read. Does not synchronise. \throws std::runtime_error
  void sum(const float* in, float* out, std::size_t n);
  void sum(const double* in, double* out, std::size_t n);

  /// Leaves the sum of the magnitudes of the `n` elements at `in` in `*out`, as above.
  void magnitudes(const float* in, float* out, std::size_t n);
  void magnitudes(const double* in, double* out, std::size_t n);

  /// Leaves the sums of the `count` rows (or columns) of the matrix at `in`, whose rows stand without gaps, in `out`:
  /// its product with `ones`, of which there are `length`, as many as a row (or a column) has elements. All device. As
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

  void* handle_ = nullptr;  ///< Kept until the program ends, as the library is.
  dot<float> sdot_ = nullptr;
  dot<double> ddot_ = nullptr;
  asum<float> sasum_ = nullptr;
  asum<double> dasum_ = nullptr;
  gemv sgemv_ = nullptr;
  device_bytes ones_;
};

}  // namespace workbook
