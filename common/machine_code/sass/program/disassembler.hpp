#pragma once
/// \file
/// Runs the toolkit's programs that read machine code: nvdisasm, and cuobjdump for compressed code.

#include <cstddef>
#include <string>
#include <vector>

#include "host/program.hpp"

namespace sass_tool {

/// Thrown if one of the toolkit's programs is missing or has failed. The message tells the user what to do.
class toolkit_error : public host::failure {
 public:
  explicit toolkit_error(const std::string& message) : failure(message, 3) {}
};

/// Runs nvdisasm and returns its output.
/// \param nvdisasm  the path of the program; if empty, it is searched for
/// \throws toolkit_error
[[nodiscard]] std::string disassemble(const std::vector<std::byte>& elf, const std::string& nvdisasm);

/// Returns the disassembler's version, such as "13.2.51"; "unknown" if it does not print it.
/// \throws toolkit_error
[[nodiscard]] std::string disassembler_version(const std::string& nvdisasm);

/// Runs cuobjdump to unpack all machine code in a file.
/// \throws toolkit_error
[[nodiscard]] std::vector<std::vector<std::byte>> extract_with_cuobjdump(const std::string& path);

}  // namespace sass_tool
