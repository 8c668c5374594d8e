#pragma once
/// \file
/// CUDA arrays: memory for textures and surfaces that a program can only access by its handle.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "emulator/memory/textures.hpp"

namespace emulator::runtime {

struct array_record {
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};  ///< In elements, as the program gave it: 0 for dimensions that it doesn't have.
  unsigned flags = 0;
  memory::texel_grid texels = {};

  [[nodiscard]] std::size_t element_bytes() const { return texels.format.bytes(); }
  [[nodiscard]] std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  [[nodiscard]] std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  /// Returns the address of the first byte of a row in a slice.
  [[nodiscard]] std::byte* row(std::size_t slice, std::size_t y) const {
    return reinterpret_cast<std::byte*>(texels.begin + slice * texels.slice_bytes + y * texels.row_bytes);
  }
};

/// Returns the array. If the handle is invalid, returns null and explains the error.
[[nodiscard]] const array_record* find_array(cudaArray_const_t handle);

/// Returns the format of a texel, or nothing if textures cannot have such elements.
[[nodiscard]] std::optional<memory::texel_format> texel_format_of(const cudaChannelFormatDesc& description);

/// Fills `grid` if an object's memory is entirely in one live allocation. Otherwise returns false and explains the
/// error.
[[nodiscard]] bool place_texels(const char* call, const void* pointer, std::size_t size_bytes,
                                memory::texel_grid& grid);

}  // namespace emulator::runtime
