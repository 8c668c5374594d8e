#pragma once
/// \file
/// The project's own files, which are called by their names.

#include <string>
#include <vector>

namespace superopt {

/// Returns the names of a folder's files with this extension, in order.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder, const std::string& extension);

/// Returns the text of a file, or, where there is none of this name, of the folder's own that is called so.
/// \param what  what the message calls it, as "target"
/// \throws bad_input  where there is neither
[[nodiscard]] std::string read_named(const std::string& name_or_file, const std::string& folder,
                                     const std::string& extension, const std::string& what);

}  // namespace superopt
