#pragma once
/// \file
/// Finds the project's own files by their names.

#include <string>
#include <vector>

namespace superopt {

/// Returns the names, without extension, of all files in the folder with this extension, in alphabetical order.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder, const std::string& extension);

/// Returns the text of the file `name_or_file` or, if there is no such file, of the file with this name in the
/// project's folder.
/// \param what  the kind of file for the error message, such as "target"
/// \throws bad_input  if neither file exists
[[nodiscard]] std::string read_named(const std::string& name_or_file, const std::string& folder,
                                     const std::string& extension, const std::string& what);

}  // namespace superopt
