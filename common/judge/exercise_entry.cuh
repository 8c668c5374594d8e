#pragma once
/// \file
/// The functions by which the host process calls an exercise: C names in the library that the grader makes of it.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "workbook/element.hpp"

namespace judge {

/// Calls `reduce(in, partials, n, block_size)` for the element type with that number (workbook::element_type).
template <typename Reduce>
std::uint64_t call_reduce(unsigned type, std::uint64_t in, std::uint64_t partials, std::uint64_t n, unsigned block_size,
                          Reduce reduce) {
  return workbook::with_type(static_cast<workbook::element_type>(type), [&](auto* tag) -> std::uint64_t {
    using T = std::remove_pointer_t<decltype(tag)>;
    return reduce(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(partials), static_cast<std::size_t>(n),
                  block_size);
  });
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
