#pragma once
/// \file
/// The machine code for GPUs that a file holds: an object file, a program, a library, a fat binary or a cubin.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sass_tool {

/// One piece of machine code: an ELF file for one architecture.
struct device_code {
  std::string file;                         ///< Where it was found.
  std::string architecture;                 ///< "sm_90"; empty where only the disassembler can tell.
  std::string toolkit;                      ///< "13.0.88", of the assembler that made it; empty where it does not say.
  std::map<std::string, unsigned> kernels;  ///< Registers per thread by linker name; empty where it does not say.
  std::vector<std::byte> elf;
};

/// Reads all that a file holds.
/// \throws std::runtime_error  where the file cannot be read, is damaged, or holds none
[[nodiscard]] std::vector<device_code> read_device_code(const std::string& path);

}  // namespace sass_tool
