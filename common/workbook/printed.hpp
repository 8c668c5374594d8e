#pragma once
/// \file
/// The output of kernels. It is captured while they run, shortened, and shown after the program's own output.

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
  std::vector<std::string> lines;  ///< The first lines.
};

/// Lines of each kernel that are shown by default. With a large input, a kernel may print more lines than a terminal
/// can show.
inline constexpr std::size_t few_lines = 10;
/// `--all-output`: enough for debugging, but still limited.
inline constexpr std::size_t all_lines = 10'000'000;

/// During its lifetime, captures all standard output: printf of kernels, on the emulator and through the driver, and
/// the output of a kernel's host code. There can be only one instance at a time.
class captured_output {
 public:
  /// \param kept  the number of lines to store; further lines are only counted
  explicit captured_output(std::size_t kept);
  ~captured_output();
  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;
  /// Ends the capture and restores standard output. Returns the captured output, without a kernel's name. All kernels
  /// must have ended.
  [[nodiscard]] printed take();

 private:
  struct reader;
  std::unique_ptr<reader> reader_;  ///< Null after the end, or if the system could not provide a pipe or a thread.
};

/// The output of all kernels, in the order of their first output.
class printed_by_all {
 public:
  /// \param kept  the number of lines to store for each kernel
  explicit printed_by_all(std::size_t kept) : kept_(kept) {}
  void add(const printed& more);
  /// Returns the kernels' names, each followed by its lines and the number of further ones. Empty if nothing was
  /// printed.
  [[nodiscard]] std::string text() const;
  /// Returns a list of {kernel, line_count, lines}.
  [[nodiscard]] nlohmann::json data() const;

 private:
  std::size_t kept_;
  std::vector<printed> all_;
};

}  // namespace workbook
