#pragma once
/// \file
/// Finds the project's own files by their names.

#include <string>
#include <vector>

namespace superopt {

/// Returns the names, without extension, of a folder's files with this extension, in alphabetical order.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder, const std::string& extension);

/// Returns the text of a file, or, if there is none of this name, of the file with this name in the project's folder.
/// \param what  the kind of file in the message, such as "target"
/// \throws bad_input  if there is neither
[[nodiscard]] std::string read_named(const std::string& name_or_file, const std::string& folder,
                                     const std::string& extension, const std::string& what);

}  // namespace superopt
