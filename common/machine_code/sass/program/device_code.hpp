#pragma once
/// \file
/// Reads the machine code for GPUs from a file: an object file, a program, a library, a fat binary or a cubin.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sass_tool {

/// One piece of machine code: an ELF file for one architecture.
struct device_code {
  std::string file;                         ///< The file that contains it.
  std::string architecture;                 ///< "sm_90"; empty if only the disassembler can tell.
  std::string toolkit;                      ///< The assembler's version, "13.0.88"; empty if it isn't recorded.
  std::map<std::string, unsigned> kernels;  ///< Registers per thread by linker name; empty if they are not recorded.
  std::vector<std::byte> elf;
};

/// Reads all machine code in a file.
/// \throws std::runtime_error  if the file cannot be read, is damaged, or contains no machine code
[[nodiscard]] std::vector<device_code> read_device_code(const std::string& path);

}  // namespace sass_tool
