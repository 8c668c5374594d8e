#pragma once
/// \file
/// The output of kernels. It is captured while they run, and shown after the program's own output, shortened.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace workbook {

/// The output of one kernel.
struct printed {
  std::string kernel;
  std::uint64_t line_count = 0;
  std::vector<std::string> lines;  ///< The first of them.
};

/// Number of lines of a kernel that are shown by default. A large input would print more lines than a terminal can
/// show.
inline constexpr std::size_t few_lines = 10;
/// `--all-output`: enough for any debugging, and still bounded.
inline constexpr std::size_t all_lines = 10'000'000;

/// During its lifetime, captures everything that is written to standard output: printf of kernels on the emulator and
/// through the driver, and output of a kernel's host code. Only one instance at a time.
class captured_output {
 public:
  /// \param kept  number of lines that are stored; the others are counted
  explicit captured_output(std::size_t kept);
  ~captured_output();
  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;
  /// Ends the capture and restores standard output. Returns the captured output, without a kernel's name. Kernels must
  /// have ended before.
  [[nodiscard]] printed take();

 private:
  struct reader;
  std::unique_ptr<reader> reader_;  ///< Null after the end, or if the system has no pipe or thread left.
};

/// The output of all kernels, in the order of their first output.
class printed_by_all {
 public:
  /// \param kept  number of lines of each kernel that are stored
  explicit printed_by_all(std::size_t kept) : kept_(kept) {}
  void add(const printed& more);
  /// Returns the kernels' names with their lines below, and the number of further lines; empty if nothing was printed.
  [[nodiscard]] std::string text() const;
  /// Returns a list of {kernel, line_count, lines}.
  [[nodiscard]] nlohmann::json data() const;

 private:
  std::size_t kept_;
  std::vector<printed> all_;
};

}  // namespace workbook
