#pragma once
/// \file
/// The functions that the host process uses to call an exercise: C names in the library that the grader builds from it.

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace judge {

/// Calls `reduce(in, partials, n, block_size)` for the element type with this number (workbook::element_type).
template <typename Reduce>
std::uint64_t call_reduce(unsigned type, std::uint64_t in, std::uint64_t partials, std::uint64_t n, unsigned block_size,
                          Reduce reduce) {
  const auto with = [&](auto zero) -> std::uint64_t {
    using T = decltype(zero);
    return reduce(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(partials), static_cast<std::size_t>(n),
                  block_size);
  };
  // Doesn't use workbook::with_type: its header includes <string>, with which nvcc takes 1.1 s instead of 0.8 s.
  switch (type) {
    case 0:
      return with(int{});
    case 1:
      return with(unsigned{});
    case 2:
      return with(0ll);
    case 3:
      return with(float{});
    default:
      return with(double{});
  }
}

/// Returns the shared memory in bytes that a kernel table requests; 0 if the table has no column for it.
template <typename Table>
std::uint64_t call_shared_bytes(const Table& table, unsigned type, dim3 block) {
  if constexpr (requires { table.shared_bytes[0](block); }) {
    return table.shared_bytes[type] != nullptr ? table.shared_bytes[type](block) : 0;
  } else {
    return 0;
  }
}

}  // namespace judge
