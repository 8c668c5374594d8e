#pragma once
/// \file
/// The functions by which the host process calls an exercise: C names in the library that the grader makes of it.

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace judge {

/// Calls `reduce(in, partials, n, block_size)` for the element type with that number (workbook::element_type).
template <typename Reduce>
std::uint64_t call_reduce(unsigned type, std::uint64_t in, std::uint64_t partials, std::uint64_t n, unsigned block_size,
                          Reduce reduce) {
  const auto with = [&](auto zero) -> std::uint64_t {
    using T = decltype(zero);
    return reduce(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(partials), static_cast<std::size_t>(n),
                  block_size);
  };
  // Not by workbook::with_type: its header has <string>, for which nvcc took 1.1 s in place of 0.8.
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

/// The bytes of shared memory that a kernel table of a study asks for; 0 where it has no such column.
template <typename Table>
std::uint64_t call_shared_bytes(const Table& table, unsigned type, dim3 block) {
  if constexpr (requires { table.shared_bytes[0](block); }) {
    return table.shared_bytes[type] != nullptr ? table.shared_bytes[type](block) : 0;
  } else {
    return 0;
  }
}

}  // namespace judge
