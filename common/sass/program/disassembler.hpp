#pragma once
/// \file
/// The toolkit's own programs that read machine code: nvdisasm, and cuobjdump for what is packed.

#include <cstddef>
#include <string>
#include <vector>

#include "host/program.hpp"

namespace sass_tool {

/// One of the toolkit's programs is missing or failed; the message says what to do.
class toolkit_error : public host::failure {
 public:
  explicit toolkit_error(const std::string& message) : failure(message, 3) {}
};

/// Disassembles machine code, with encodings and line information.
/// \param nvdisasm  the program; empty: to be found
/// \throws toolkit_error
[[nodiscard]] std::string disassemble(const std::vector<std::byte>& elf, const std::string& nvdisasm);

/// Returns the disassembler's version, as "13.2.51"; "unknown" where it does not say.
/// \throws toolkit_error
[[nodiscard]] std::string disassembler_version(const std::string& nvdisasm);

/// Has cuobjdump unpack all machine code in a file.
/// \throws toolkit_error
[[nodiscard]] std::vector<std::vector<std::byte>> extract_with_cuobjdump(const std::string& path);

}  // namespace sass_tool
