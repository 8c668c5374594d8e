#pragma once
/// \file
/// The inputs of the strict test.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workbook/study.hpp"

namespace workbook {

/// Problems that are tested together and share one line of the verdict.
struct strict_group {
  std::string name;
  std::vector<problem> problems;
  bool checked = true;  ///< If false, only results are compared, because the checks would take long.
  /// Emulator: the group ends after the problem with which the total of its warp instructions reaches this number.
  std::uint64_t enough_instructions = ~std::uint64_t{0};
};

/// The seeds of the strict test's inputs and random choices. A judge draws each seed independently, so a program that
/// learns one of them doesn't learn the others.
class seed_source {
 public:
  /// Uses the seeds `first`, `first` + 1, …, which are short enough for people to type.
  explicit seed_source(std::uint64_t first) : next_(first) {}
  /// Reads a judge's seeds: hexadecimal numbers separated by blanks. \throws std::runtime_error  if `words` is empty or
  /// isn't a list of such numbers
  static seed_source of_judge(const std::string& words);
  std::uint64_t next();
  /// Returns a random number from `least` to `most`, both included.
  std::uint64_t between(std::uint64_t least, std::uint64_t most);

 private:
  std::vector<std::uint64_t> given_;  ///< The seeds that are left, in reverse order.
  std::uint64_t next_;
};

/// The environment variable with a judge's seeds. Only the judge can read it.
inline constexpr const char* judge_seeds_variable = "WORKBOOK_JUDGE_SEEDS";

/// Returns the problems of the strict test in order, except those that neither the kernel nor the reference accepts.
/// \param gpu  also adds inputs that are too slow for the emulator
[[nodiscard]] std::vector<strict_group> groups_for(const study& s, const specimen& yours, seed_source& seeds, bool gpu);

/// With this multiple of the table's elements, the cost of a loop over a large share becomes visible.
inline constexpr std::size_t large_share = 8;

/// Optional inputs on which a chapter's goal is measured.
struct goal_inputs {
  bool offsets = false;       ///< True if random inputs don't begin at a multiple of 16 bytes.
  bool large_shares = false;  ///< True to add a large input that gives each thread many elements.
};

/// An input on which the goal is measured.
struct goal_problem {
  problem input;
  bool large = false;  ///< True if it is larger than the table's input, so that each thread has many elements.
  bool other = false;  ///< True if it differs so much from the table's input that half of the improvement is enough.
};

/// Returns the inputs on which the goal is measured. The first is the input of the chapter's table. If every kernel
/// sums the whole input, an input of floats with a random size follows for each block size of 256 and 512 threads that
/// all of `kernels` accept, and then one of doubles. Otherwise there is one input for each of the study's types, with
/// blocks of several dimensions if the kernels accept these. The large input, if requested, is the last one, and the
/// only one beyond the table's size.
[[nodiscard]] std::vector<goal_problem> goal_problems(const study& s, const std::vector<specimen>& kernels,
                                                      const goal_inputs& more, seed_source& seeds);

}  // namespace workbook
