#pragma once
/// \file
/// Compares the exercise that was compiled into this program with the student's file.

#include <optional>
#include <string>

namespace workbook {

/// Returns a message with advice if the exercise's file differs from the one that was compiled into this program.
/// Returns nothing if they are equal, if the file cannot be read, or if it is unknown what was compiled.
/// \param path    of the exercise's file; may be empty
/// \param sha256  hash of the text that was compiled; may be empty
/// \param number  the number of the chapter
[[nodiscard]] std::optional<std::string> other_exercise(const std::string& path, const std::string& sha256, int number);

}  // namespace workbook
