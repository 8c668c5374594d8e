#pragma once
/// \file
/// What kernels print: kept away from the program's own output while they run, and shown behind it, folded.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace workbook {

/// What one kernel printed.
struct printed {
  std::string kernel;
  std::uint64_t line_count = 0;
  std::vector<std::string> lines;  ///< The first of them.
};

/// How many lines of a kernel are kept and shown; a sum's input has more elements than a terminal has lines.
inline constexpr std::size_t few_lines = 10;
/// `--all-output`: enough for any debugging, and still bounded.
inline constexpr std::size_t all_lines = 10'000'000;

/// While it lives, what anybody writes to standard output goes to it instead: the emulator's and the driver's printf,
/// and the host code beside a kernel. One at a time.
class captured_output {
 public:
  /// \param kept  how many lines are kept; the others are counted
  explicit captured_output(std::size_t kept);
  ~captured_output();
  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;
  /// Ends it: standard output is what it was. Returns what was written, without a kernel's name. Kernels must have
  /// ended by then.
  [[nodiscard]] printed take();

 private:
  struct reader;
  std::unique_ptr<reader> reader_;  ///< None where it has ended, or where the system has no pipe left.
};

/// What all kernels printed, in the order in which they first did.
class printed_by_all {
 public:
  /// \param kept  how many lines of each kernel are kept
  explicit printed_by_all(std::size_t kept) : kept_(kept) {}
  void add(const printed& more);
  /// The kernels' names with their lines below, and how many more there were; empty where nothing was printed.
  [[nodiscard]] std::string text() const;
  /// A list of {kernel, line_count, lines}.
  [[nodiscard]] nlohmann::json data() const;

 private:
  std::size_t kept_;
  std::vector<printed> all_;
};

}  // namespace workbook
