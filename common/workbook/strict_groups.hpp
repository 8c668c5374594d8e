#pragma once
/// \file
/// What the strict test tries.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workbook/study.hpp"

namespace workbook {

/// Problems that are tried together and make one line of the verdict.
struct strict_group {
  std::string name;
  std::vector<problem> problems;
  bool checked = true;  ///< False: only the results are looked at, for checks would take long.
  /// Emulator: the group ends behind the problem with which its kernels have executed so many warp instructions.
  std::uint64_t enough_instructions = ~std::uint64_t{0};
};

/// Where the strict test's inputs, and what is drawn by lot, come from. Nobody who learns of one seed learns of the
/// others where they are a judge's: then each was drawn for itself.
class seed_source {
 public:
  /// The seeds `first`, `first` + 1 …: short ones, for people.
  explicit seed_source(std::uint64_t first) : next_(first) {}
  /// Seeds of a judge, in hexadecimal with blanks between. \throws std::runtime_error  where they are none
  static seed_source of_judge(const std::string& words);
  std::uint64_t next();
  /// Draws a number from `least` to `most`.
  std::uint64_t between(std::uint64_t least, std::uint64_t most);

 private:
  std::vector<std::uint64_t> given_;  ///< Those that are left, the last first.
  std::uint64_t next_;
};

/// The environment variable that holds a judge's seeds: nobody but the judge can read it.
inline constexpr const char* judge_seeds_variable = "WORKBOOK_JUDGE_SEEDS";

/// What is tried of a chapter's table, as far as the kernel or the reference takes it, in this order. \param gpu  also
/// what only a GPU is fast enough for
[[nodiscard]] std::vector<strict_group> groups_for(const study& s, const specimen& yours, seed_source& seeds, bool gpu);

/// So many times the table's elements show what a kernel does in the loop over a large share.
inline constexpr std::size_t large_share = 8;

/// What a chapter's goal is measured on, beyond what every goal is.
struct goal_inputs {
  bool offsets = false;       ///< Drawn inputs begin off a multiple of 16 bytes.
  bool large_shares = false;  ///< A large input, too, of which each thread has many elements.
};

/// An input that the goal is measured on.
struct goal_problem {
  problem input;
  bool large = false;  ///< Beyond the table's size: each thread has many elements.
  bool other = false;  ///< So unlike the table's that half of the way to the target is enough.
};

/// What the goal is measured on: the input of the chapter's table, and one of a drawn size for blocks of 256 and of 512
/// threads, where all of `kernels` take these. What is to be added up are floats there, and doubles in one more;
/// kernels side by side get one of each of the study's types, and blocks of several dimensions where they take these.
/// The large input, where it is asked for, is the last, and the only one beyond the table's size.
[[nodiscard]] std::vector<goal_problem> goal_problems(const study& s, const std::vector<specimen>& kernels,
                                                      const goal_inputs& more, seed_source& seeds);

}  // namespace workbook
