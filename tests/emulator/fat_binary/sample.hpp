#pragma once
/// \file
/// The output of nvcc for kernels.cu.

#include <map>
#include <string>
#include <vector>

#include "emulator/fat_binary/container.hpp"
#include "emulator/fat_binary/fat_binary.hpp"

namespace fat_binary::test {

/// Returns the wrapper that the object file, which is linked into this program, registered before main().
const void* registered_wrapper();

/// Returns the entries of the registered container: PTX and machine code.
const std::vector<entry>& registered_entries();
/// Returns the registered entry of this kind.
const entry& registered_entry(entry_kind kind);

/// Returns a file's bytes. \throws std::runtime_error  if it cannot be read
std::vector<std::byte> read_file(const std::string& path);

/// Returns what `ptxas -v` printed while the object was made, by mangled name.
std::map<std::string, kernel_resources> printed_resources();

}  // namespace fat_binary::test
