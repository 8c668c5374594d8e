#pragma once
/// \file
/// Is the exercise in this program the one in the student's file?

#include <optional>
#include <string>

namespace workbook {

/// Says that the exercise's file is another than the one that was compiled into this program, and what to do. Nothing
/// where it is the same, where the file cannot be read, and where nobody knows what was compiled.
/// \param path    of the exercise; may be empty
/// \param sha256  of the text that was compiled; may be empty
/// \param number  the chapter's
[[nodiscard]] std::optional<std::string> other_exercise(const std::string& path, const std::string& sha256, int number);

}  // namespace workbook
