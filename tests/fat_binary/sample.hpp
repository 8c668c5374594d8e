#pragma once
/// \file
/// What nvcc made of kernels.cu, and containers made by hand.

#include <map>
#include <string>
#include <vector>

#include "fat_binary/cubin_info.hpp"
#include "fat_binary/fat_binary.hpp"

namespace fat_binary::test {

/// Returns the wrapper that the object file, which is linked into this program, registered before main().
const void* registered_wrapper();

/// Returns its entries: PTX and machine code.
const std::vector<entry>& registered_entries();
/// Returns the entry of that kind.
const entry& registered_entry(entry_kind kind);

/// Returns a file's bytes. \throws std::runtime_error  where there is none
std::vector<std::byte> read_file(const std::string& path);

/// Returns what `ptxas -v` printed while the object was made, by mangled name.
std::map<std::string, kernel_resources> printed_resources();

/// One entry as the container has it.
struct made_entry {
  std::uint16_t kind = 1;
  std::uint32_t architecture = 90;
  std::uint64_t flags = 0x11;
  std::string payload = ".version 9.0\n";
  std::string name = "made.cu";
};

/// Returns a container of uncompressed entries.
std::vector<std::byte> make_container(const std::vector<made_entry>& entries);

}  // namespace fat_binary::test
