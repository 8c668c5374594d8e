#pragma once
/// \file
/// CUDA arrays: memory for textures and surfaces, which a program reaches by its handle alone.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "emulator/memory/textures.hpp"

namespace emulator::runtime {

struct array_record {
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};  ///< In elements, as the program gave it: 0 where there is no such dimension.
  unsigned flags = 0;
  memory::texel_grid texels = {};

  [[nodiscard]] std::size_t element_bytes() const { return texels.format.bytes(); }
  [[nodiscard]] std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  [[nodiscard]] std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  /// Where a row of a slice begins.
  [[nodiscard]] std::byte* row(std::size_t slice, std::size_t y) const {
    return reinterpret_cast<std::byte*>(texels.begin + slice * texels.slice_bytes + y * texels.row_bytes);
  }
};

/// Returns the array, or null where the handle is none; says so in words.
[[nodiscard]] const array_record* find_array(cudaArray_const_t handle);

/// Returns what a texel is made of; nothing where textures have no such elements.
[[nodiscard]] std::optional<memory::texel_format> texel_format_of(const cudaChannelFormatDesc& description);

/// Says whether an object's memory is that of a live allocation, all of it; says why not.
[[nodiscard]] bool place_texels(const char* call, const void* pointer, std::size_t size_bytes,
                                memory::texel_grid& grid);

}  // namespace emulator::runtime
