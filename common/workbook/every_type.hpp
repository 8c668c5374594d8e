#pragma once
/// \file
/// Helpers that visit every element type. They are in a separate header so that files with kernels compile faster.

#include <array>

namespace workbook {

/// Returns the results of `f` for a null pointer of each element type, in the order of `element_type`.
template <typename F>
[[nodiscard]] auto for_every_type(F f) {
  return std::array{f(static_cast<int*>(nullptr)), f(static_cast<unsigned*>(nullptr)),
                    f(static_cast<long long*>(nullptr)), f(static_cast<float*>(nullptr)),
                    f(static_cast<double*>(nullptr))};
}

/// As above, for functions that return kernels: returns the kernels' addresses, which the runtime needs.
template <typename F>
[[nodiscard]] std::array<const void*, 5> kernels_of_every_type(F f) {
  return for_every_type([f](auto* tag) { return reinterpret_cast<const void*>(f(tag)); });
}

}  // namespace workbook
