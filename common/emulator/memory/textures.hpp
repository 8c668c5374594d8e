#pragma once
/// \file
/// Texture and surface objects: their view of memory, and the table of live objects.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

#include "emulator/singleton.hpp"

namespace emulator::memory {

enum class channel_kind : std::uint8_t { signed_integer, unsigned_integer, real };

/// The format of a texel: 1, 2 or 4 channels of 8, 16 or 32 bits.
struct texel_format {
  unsigned channels = 1;
  unsigned bits = 32;
  channel_kind kind = channel_kind::real;

  [[nodiscard]] unsigned bytes() const { return channels * bits / 8; }
};

/// The layout of texels in memory. A layered one-dimensional grid has `height` 0 and `depth` layers.
struct texel_grid {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;         ///< From `begin` to the end of the last texel.
  std::uint64_t row_bytes = 0;          ///< From one row to the next …
  std::uint64_t slice_bytes = 0;        ///< … and from one slice or layer to the next.
  std::uint64_t width = 0;              ///< In texels.
  std::uint64_t height = 0, depth = 0;  ///< 0: it does not have this dimension.
  std::uint64_t serial = 0;             ///< Serial of the allocation; unlike addresses, serials are not reused.
  bool layered = false;                 ///< `depth` counts layers.
  bool linear = false;                  ///< Plain memory with integer coordinates, not an array.
  texel_format format;
  int device = 0;

  [[nodiscard]] unsigned dimensions() const { return height == 0 ? 1 : depth == 0 || layered ? 2 : 3; }
};

enum class address_mode : std::uint8_t { wrap, clamp, mirror, border };

/// A texture object, or a surface object, which only uses the grid.
struct texture_object {
  texel_grid texels;
  bool is_surface = false;
  std::array<address_mode, 3> modes{};
  bool filters = false;        ///< Linear filtering; otherwise the nearest texel.
  bool normalized = false;     ///< Coordinates range from 0 to 1.
  bool reads_as_real = false;  ///< Integers are converted to numbers from 0 or -1 to 1.
  std::array<float, 4> border{};

  /// Returns true if a fetch returns floating-point numbers.
  [[nodiscard]] bool gives_reals() const { return reads_as_real || texels.format.kind == channel_kind::real; }
};

/// The live objects by handle. Handles are never reused. All members are safe to call from several host threads.
class texture_objects {
 public:
  [[nodiscard]] std::uint64_t add(const texture_object& made);
  /// Returns false if there is no such object.
  [[nodiscard]] bool destroy(std::uint64_t handle, bool is_surface);
  /// Returns the object, or null.
  [[nodiscard]] std::shared_ptr<const texture_object> find(std::uint64_t handle) const;
  /// Returns true if `handle` has been an object at any time.
  [[nodiscard]] bool was_one(std::uint64_t handle) const;

 private:
  mutable std::shared_mutex mutex_;
  std::uint64_t made_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const texture_object>> objects_;
};

}  // namespace emulator::memory
