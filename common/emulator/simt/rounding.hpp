#pragma once
/// \file
/// Rounds, clamps and flushes a result according to an instruction's modifiers.

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "emulator/ptx/module.hpp"

namespace emulator::simt {

/// `.rn`, `.rz`, `.rm`, `.rp`.
enum class rounding : std::uint8_t { nearest, zero, down, up };

/// Rounding to an integer: none, `.rni`, `.rzi`, `.rmi`, `.rpi`.
enum class to_integer : std::uint8_t { none, nearest, zero, down, up };

struct modifiers {
  rounding mode = rounding::nearest;
  to_integer whole = to_integer::none;
  bool flush = false;     ///< `.ftz`.
  bool saturate = false;  ///< `.sat`.
  bool relu = false;
  bool finite = false;   ///< `.satfinite`: the largest finite number replaces everything beyond it.
  bool unknown = false;  ///< There are modifiers other than these and the types at the end.

  /// Returns the modifiers packed into 12 bits, for `op::imm`.
  [[nodiscard]] std::int32_t packed() const {
    return static_cast<std::int32_t>(mode) | static_cast<std::int32_t>(whole) << 2 | (flush ? 1 << 5 : 0) |
           (saturate ? 1 << 6 : 0) | (relu ? 1 << 7 : 0) | (finite ? 1 << 8 : 0);
  }
  [[nodiscard]] static modifiers unpacked(std::int32_t bits) {
    const auto is_set = [bits](int at) { return (bits >> at & 1) != 0; };
    return {.mode = static_cast<rounding>(bits & 3),
            .whole = static_cast<to_integer>(bits >> 2 & 7),
            .flush = is_set(5),
            .saturate = is_set(6),
            .relu = is_set(7),
            .finite = is_set(8)};
  }
  static constexpr int packed_bits = 12;
};

/// Returns the modifiers of `i`. The last `types` ones are types and are skipped.
[[nodiscard]] modifiers read_modifiers(const ptx::instruction& i, std::size_t types = 1);

/// Sets the host's rounding mode for a scope.
class rounding_scope {
 public:
  explicit rounding_scope(rounding mode) : mode_(mode), before_(mode == rounding::nearest ? 0 : std::fegetround()) {
    static constexpr int of_host[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (mode != rounding::nearest) std::fesetround(of_host[static_cast<int>(mode)]);
  }
  ~rounding_scope() {
    if (mode_ != rounding::nearest) std::fesetround(before_);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  rounding mode_;
  int before_;
};

/// Clamps to 0 … 1 (`.sat`); returns 0 for a NaN.
template <typename T>
[[nodiscard]] T saturated(T x) {
  return !(x > T{0}) ? T{0} : (x > T{1} ? T{1} : x);
}

template <typename T>
[[nodiscard]] T rounded(T x, to_integer mode) {
  switch (mode) {
    case to_integer::nearest:
      return std::nearbyint(x);
    case to_integer::zero:
      return std::trunc(x);
    case to_integer::down:
      return std::floor(x);
    case to_integer::up:
      return std::ceil(x);
    default:
      return x;
  }
}

}  // namespace emulator::simt
