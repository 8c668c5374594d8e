#pragma once
/// \file
/// Random numbers that are the same with every compiler and library (xoshiro256**, by David Blackman and Sebastiano
/// Vigna; seeded with splitmix64).

#include <array>
#include <cstdint>

namespace superopt {

class random_source {
 public:
  explicit random_source(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15ull;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      word = z ^ (z >> 31);
    }
  }
  [[nodiscard]] std::uint64_t bits() {
    const std::uint64_t result = rotated(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotated(state_[3], 45);
    return result;
  }
  /// Returns a number from 0 to `count` - 1. The bias does not matter, because `count` is small.
  [[nodiscard]] std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32);
  }
  /// Returns a number in [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t rotated(std::uint64_t x, int k) { return x << k | x >> (64 - k); }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace superopt
