#pragma once
/// \file
/// The source around an access: the index as it is written, and the condition under which threads execute the access.
/// Both are only used in texts. They are found by a simple search of the text, and omitted if the text is too
/// complicated for it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emulator::explain {

/// The condition nearest to a place in the source: an `if`, a loop or a `?` that contains the place, or an `if` before
/// it that returns.
struct guard {
  std::string condition;   ///< "i < n"; empty if there is no condition between the kernel's beginning and the place.
  std::uint32_t line = 0;  ///< Line of the condition.
  bool returns = false;    ///< Threads for which it is true return.
};

/// Returns the condition around column `column` (from 0) of line `line` (from 1).
/// \return nullopt if the text is too complicated: an `else`, a `switch`, or a condition of several lines
[[nodiscard]] std::optional<guard> guard_of(const std::vector<std::string>& lines, std::uint32_t line,
                                            std::size_t column);

/// Returns the first line between the function's head and `line` in which threads return under a condition.
[[nodiscard]] std::optional<guard> early_return(const std::vector<std::string>& lines, std::uint32_t line);

/// Returns the members named in a line that the file declares as bit fields (`unsigned low : 4;`), each once.
[[nodiscard]] std::vector<std::string> bit_fields_in(const std::vector<std::string>& lines, std::uint32_t line);

/// An index of an array, as it is written.
struct written_index {
  std::string text;        ///< "tid + stride"
  std::size_t column = 0;  ///< Column of the array's name.
};

/// Returns true if the condition contains a name that is part of an index of `array` in `line`.
[[nodiscard]] bool mentions_index(const std::string& condition, const std::vector<std::string>& lines,
                                  std::uint32_t line, const std::string& array);

/// Returns the index with which `line` reads or writes `array`; nullopt if there are several that differ.
/// \param thread, first_block, index  of the access: they distinguish `tid` from `tid + stride` if `tid` is
/// threadIdx.x, and in block 0 also `i`
[[nodiscard]] std::optional<written_index> index_of(const std::vector<std::string>& lines, std::uint32_t line,
                                                    const std::string& array, bool writes, std::uint32_t thread,
                                                    bool first_block, std::int64_t index);

}  // namespace emulator::explain
