#pragma once
/// \file
/// The vectors of several GPUs, as a parameter for a kernel.

namespace workbook {

inline constexpr unsigned max_members = 8;

/// One vector on each of `devices` GPUs, all of the same length. Passed to a kernel by value.
template <typename T>
struct members {
  T* vector[max_members];  ///< Device: vector[d] is in the memory of GPU d; null if d >= `devices`.
  unsigned devices;        ///< 1 to 8.
};

}  // namespace workbook
