#pragma once
/// \file
/// What one lane's fetch from a texture gives.

#include <cstdint>

#include "emulator/memory/textures.hpp"

namespace emulator::simt {

/// Four 32-bit channels, as a fetch leaves them in registers; those that the texels lack are zero.
struct texel {
  std::uint32_t channel[4] = {};
};

/// Where a fetch looks: coordinates as the program gives them, in the order x, y, z, and the layer.
struct texture_place {
  double at[3] = {};
  std::int64_t layer = 0;
};

/// Fetches by the CUDA programming guide, "Texture Fetching". Weights of a linear filter are multiples of 1/256.
[[nodiscard]] texel fetch(const memory::texture_object& from, const texture_place& place);

/// Fetches the texel of that number from plain memory; beyond it, zeroes.
[[nodiscard]] texel fetch_linear(const memory::texture_object& from, std::int64_t index);

}  // namespace emulator::simt
