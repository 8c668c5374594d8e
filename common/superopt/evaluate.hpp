#pragma once
/// \file
/// What a program computes: all 32 lanes of a warp, 16 tests at once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "superopt/liveness.hpp"
#include "superopt/random.hpp"

namespace superopt {

inline constexpr unsigned tests_per_block = 16;

/// A lane of a register in 16 tests at once: the host's vector instructions work across tests, so that moving values
/// between lanes is copying rows.
using row = std::uint32_t __attribute__((vector_size(4 * tests_per_block)));
using signed_row = std::int32_t __attribute__((vector_size(4 * tests_per_block)));

/// A register: a row for each lane.
using rows = std::array<row, warp_size>;

/// Calls f(lane) for each bit of `lanes`, from lane 0 up.
template <typename F>
inline void for_lanes(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// All registers, rz (always zero) the last.
struct machine {
  std::array<rows, register_count + 1> registers{};
};

/// Executes `i` in the lanes `needed` of its destination; other lanes keep what they had.
void execute(machine& m, const instruction& i, std::uint32_t needed);

/// 16 tests: what the inputs hold, and what the target makes of it.
struct test_block {
  std::vector<rows> inputs;    ///< In the order of the target's inputs; lanes that are not defined are 0.
  std::vector<rows> expected;  ///< In the order of its outputs.
};

/// One input of all registers: a value for each lane of each of the target's inputs.
using test_case = std::vector<std::array<std::uint32_t, warp_size>>;

/// Comparisons of an output lane with the target's that fail, as shares of all.
struct failed_share {
  double lane_tests = 0;  ///< Of the tests that set one lane apart: how much of the inputs is treated wrongly.
  double others = 0;
  [[nodiscard]] bool none() const { return lane_tests == 0 && others == 0; }
};

/// The tests of a target. They begin with one for each lane that is defined, which differs from its neighbours in that
/// lane alone, so that the share that fails says how far from right a candidate is; random ones follow, and
/// counterexamples are added.
class test_suite {
 public:
  test_suite(const target& t, std::uint64_t seed);

  /// Adds a test. A block that was full of copies of its first test takes it in.
  void add(const test_case& test);
  /// Evaluates `p`, whose needed lanes are `needed`, on all tests.
  [[nodiscard]] failed_share failures(const program& p, const needed_lanes& needed) const;
  [[nodiscard]] unsigned test_count() const { return tests_; }

 private:
  void add_block(const std::vector<test_case>& tests);
  target target_;
  needed_lanes needed_{};
  unsigned output_lanes_ = 0;
  std::vector<test_block> blocks_;
  std::vector<test_case> last_;  ///< The tests of the last block; it is repeated up to 16.
  std::size_t lane_blocks_ = 0;  ///< Blocks that hold the tests of one lane each.
  unsigned tests_ = 0;
};

/// Runs `p` on one input. Returns all 32 lanes of `reg`; those that depend on undefined lanes mean nothing.
[[nodiscard]] std::array<std::uint32_t, warp_size> run(const program& p, const target& t, const test_case& input,
                                                       std::uint8_t reg);

/// Returns a random input: small, large and patterned values of both signs.
[[nodiscard]] test_case random_test(const target& t, random_source& random);

}  // namespace superopt
