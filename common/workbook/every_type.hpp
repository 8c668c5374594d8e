#pragma once
/// \file
/// One of each element type. A header by itself: files with kernels in them are compiled sooner.

#include <array>

namespace workbook {

/// Returns what `f` gives for a null pointer of each element type, in the order of `element_type`.
template <typename F>
[[nodiscard]] auto for_every_type(F f) {
  return std::array{f(static_cast<int*>(nullptr)), f(static_cast<unsigned*>(nullptr)),
                    f(static_cast<long long*>(nullptr)), f(static_cast<float*>(nullptr)),
                    f(static_cast<double*>(nullptr))};
}

/// As above, of kernels that `f` gives: their addresses, as the runtime takes them.
template <typename F>
[[nodiscard]] std::array<const void*, 5> kernels_of_every_type(F f) {
  return for_every_type([f](auto* tag) { return reinterpret_cast<const void*>(f(tag)); });
}

}  // namespace workbook
