// Fuzzes what nvcc stores in an object file: containers, the files packed in them, and machine code.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "emulator/fat_binary/fat_binary.hpp"
#include "fuzz/target.hpp"

using namespace fat_binary;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto refused = [](const error& e) {
    if (std::strlen(e.what()) < 10) std::abort();
  };
  const byte_span bytes = std::as_bytes(std::span(data, size));
  try {
    (void)read_kernel_resources(bytes);
  } catch (const error& e) {
    refused(e);
  }
  try {
    const auto entries = read_entries(bytes);
    for (const entry& e : entries) {
      try {
        if (e.kind == entry_kind::ptx) (void)ptx_text(e);
        if (e.kind == entry_kind::elf) (void)read_kernel_resources(contents(e));
      } catch (const error& failed) {
        refused(failed);
      }
    }
    (void)select_machine_code(entries, 90);
    (void)select_ptx(entries, 90);
  } catch (const error& e) {
    refused(e);
  }
  return 0;
}
