#pragma once
/// \file
/// The workbook's version, which every program prints with `--version`.

#include <string>

namespace host {

/// Returns "sass 1.0.0 (Reduction Workbook)".
/// \param program  the program's name or its path, as in `argv[0]`
[[nodiscard]] std::string version_text(const std::string& program);

}  // namespace host
