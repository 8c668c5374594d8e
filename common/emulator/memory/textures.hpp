#pragma once
/// \file
/// Texture and surface objects: how an object sees memory, and which objects there are.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

#include "emulator/only_one.hpp"

namespace emulator::memory {

enum class channel_kind : std::uint8_t { signed_integer, unsigned_integer, real };

/// What a texel is made of: 1, 2 or 4 channels of 8, 16 or 32 bits.
struct texel_format {
  unsigned channels = 1;
  unsigned bits = 32;
  channel_kind kind = channel_kind::real;

  [[nodiscard]] unsigned bytes() const { return channels * bits / 8; }
};

/// How texels lie in memory. A layered one of one dimension has `height` 0 and `depth` layers.
struct texel_grid {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;         ///< From `begin` to behind the last texel.
  std::uint64_t row_bytes = 0;          ///< From a row to the next …
  std::uint64_t slice_bytes = 0;        ///< … and from a slice or layer.
  std::uint64_t width = 0;              ///< In texels.
  std::uint64_t height = 0, depth = 0;  ///< 0: there is no such dimension.
  std::uint64_t serial = 0;             ///< Of the allocation: addresses may come back, serials do not.
  bool layered = false;                 ///< `depth` counts layers.
  bool linear = false;                  ///< Plain memory, which integers address, and no array.
  texel_format format;
  int device = 0;

  [[nodiscard]] unsigned dimensions() const { return height == 0 ? 1 : depth == 0 || layered ? 2 : 3; }
};

enum class address_mode : std::uint8_t { wrap, clamp, mirror, border };

/// A texture object, or a surface object, for which only the grid counts.
struct texture_object {
  texel_grid texels;
  bool is_surface = false;
  std::array<address_mode, 3> modes{};
  bool filters = false;        ///< Linear, else the nearest texel.
  bool normalized = false;     ///< Coordinates reach from 0 to 1.
  bool reads_as_real = false;  ///< Integers become numbers from 0 or -1 to 1.
  std::array<float, 4> border{};

  /// Says whether a fetch gives floating-point numbers.
  [[nodiscard]] bool gives_reals() const { return reads_as_real || texels.format.kind == channel_kind::real; }
};

/// The live objects by their handles. A handle is never used again. All members are safe to call from several host
/// threads.
class texture_objects {
 public:
  [[nodiscard]] std::uint64_t add(const texture_object& made);
  /// Returns false where there is no such object.
  [[nodiscard]] bool destroy(std::uint64_t handle, bool is_surface);
  /// Returns the object, or null.
  [[nodiscard]] std::shared_ptr<const texture_object> find(std::uint64_t handle) const;
  /// Says whether `handle` was an object once.
  [[nodiscard]] bool was_one(std::uint64_t handle) const;

 private:
  mutable std::shared_mutex mutex_;
  std::uint64_t made_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const texture_object>> objects_;
};

}  // namespace emulator::memory
