#pragma once
/// \file
/// What stands around an access in the source: the index as it is written, and the condition that let the thread come
/// there. Both are read from the text, for words only: where the text is not plain enough, nothing is said.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emulator::explain {

/// The condition nearest to a place of the source: an `if`, a loop or a `?` that the place stands in, or an `if` before
/// it that returns.
struct guard {
  std::string condition;   ///< "i < n"; empty where nothing stands between the kernel's beginning and the place.
  std::uint32_t line = 0;  ///< Where it stands.
  bool returns = false;    ///< Those that meet it return.
};

/// Looks for the condition around column `column` (from 0) of line `line` (from 1).
/// \return nothing where the text is too involved: an `else`, a `switch`, a condition over several lines
[[nodiscard]] std::optional<guard> guard_of(const std::vector<std::string>& lines, std::uint32_t line,
                                            std::size_t column);

/// The first line between the function's head and `line` in which threads return by a condition.
[[nodiscard]] std::optional<guard> early_return(const std::vector<std::string>& lines, std::uint32_t line);

/// Members that a line names and the file declares as bit fields (`unsigned low : 4;`), each once.
[[nodiscard]] std::vector<std::string> bit_fields_in(const std::vector<std::string>& lines, std::uint32_t line);

/// An index of an array, as it is written.
struct written_index {
  std::string text;        ///< "tid + stride"
  std::size_t column = 0;  ///< Of the array's name.
};

/// Says whether the condition speaks of a name that stands in an index of `array` in `line`.
[[nodiscard]] bool speaks_of_index(const std::string& condition, const std::vector<std::string>& lines,
                                   std::uint32_t line, const std::string& array);

/// The index by which `line` reads or writes `array`; nothing where it has several that differ.
/// \param thread, first_block, index  what the access was: tells `tid` and `tid + stride` apart where `tid` is
///                                    threadIdx.x, and in block 0 `i` likewise
[[nodiscard]] std::optional<written_index> index_of(const std::vector<std::string>& lines, std::uint32_t line,
                                                    const std::string& array, bool writes, std::uint32_t thread,
                                                    bool first_block, std::int64_t index);

}  // namespace emulator::explain
