#pragma once
/// \file
/// Evaluates programs: all 32 lanes of a warp, for 16 tests at once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine_code/superopt/liveness.hpp"
#include "machine_code/superopt/random.hpp"

namespace superopt {

inline constexpr unsigned tests_per_block = 16;

/// One lane of a register in 16 tests. The host's vector instructions work on the 16 tests at once, so moving values
/// between lanes means only copying rows.
using row = std::uint32_t __attribute__((vector_size(4 * tests_per_block)));
using signed_row = std::int32_t __attribute__((vector_size(4 * tests_per_block)));

/// A register: a row for each lane.
using rows = std::array<row, warp_size>;

/// Calls f(lane) for each bit of `lanes`, from lane 0 up.
template <typename F>
inline void for_lanes(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// All registers; the last one is rz, which is always zero.
struct register_file {
  std::array<rows, register_count + 1> registers{};
};

/// Executes `i` in the lanes `needed` of its destination. The other lanes keep their values.
void execute(register_file& m, const instruction& i, std::uint32_t needed);

/// 16 tests: the inputs, and the target's outputs for them.
struct test_block {
  std::vector<rows> inputs;    ///< In the order of the target's inputs; undefined lanes are 0.
  std::vector<rows> expected;  ///< In the order of its outputs.
};

/// The input of one test: a value for each lane of each of the target's inputs.
using test_case = std::vector<std::array<std::uint32_t, warp_size>>;

/// The shares of comparisons in which an output lane differs from the target's.
struct failed_share {
  double lane_tests = 0;  ///< The share in tests that change one lane: how much of the input is handled wrongly.
  double others = 0;
  [[nodiscard]] bool none() const { return lane_tests == 0 && others == 0; }
};

/// The tests of a target. Each of the first ones changes one defined lane relative to a constant background, so that
/// the share of failures shows how far a candidate is from correct. Random tests follow, and then counterexamples.
class test_suite {
 public:
  test_suite(const target& t, std::uint64_t seed);

  /// Adds a test. If the last block has repeated tests, the new test replaces one of them.
  void add(const test_case& test);
  /// Runs all tests on `p`, in which the lanes `needed` are needed, and returns the shares that fail.
  [[nodiscard]] failed_share failures(const program& p, const needed_lanes& needed) const;
  [[nodiscard]] unsigned test_count() const { return tests_; }

 private:
  void add_block(const std::vector<test_case>& tests);
  target target_;
  needed_lanes needed_{};
  unsigned output_lanes_ = 0;
  std::vector<test_block> blocks_;
  std::vector<test_case> last_;  ///< The tests of the last block; repeated up to 16.
  std::size_t lane_blocks_ = 0;  ///< Number of blocks that contain tests of single lanes.
  unsigned tests_ = 0;
};

/// Runs `p` on one input. Returns all 32 lanes of `reg`; lanes that depend on undefined lanes are meaningless.
[[nodiscard]] std::array<std::uint32_t, warp_size> run(const program& p, const target& t, const test_case& input,
                                                       std::uint8_t reg);

/// Returns a random input, which consists of small, large and patterned values of both signs.
[[nodiscard]] test_case random_test(const target& t, random_source& random);

}  // namespace superopt
