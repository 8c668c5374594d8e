#include "machine_code/sass/program/device_code.hpp"

#include <fmt/format.h>

#include <cstring>

#include "emulator/fat_binary/elf_file.hpp"
#include "emulator/fat_binary/fat_binary.hpp"
#include "host/files.hpp"
#include "host/program.hpp"
#include "machine_code/sass/program/disassembler.hpp"

namespace sass_tool {
namespace {

using fat_binary::byte_span;

bool begins_with(byte_span bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// Returns the version of the assembler, from the note that it writes: "… release 13.0, V13.0.88".
std::string find_toolkit(byte_span elf) {
  const std::string_view text(reinterpret_cast<const char*>(elf.data()), elf.size());
  constexpr std::string_view mark = "Cuda compilation tools, release ";
  const std::size_t begin = text.find(mark);
  if (begin == std::string_view::npos) return "";
  const std::size_t version = text.find(", V", begin);
  if (version == std::string_view::npos || version - begin > mark.size() + 8) return "";
  const std::string_view rest = text.substr(version + 3);
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

device_code describe(const std::string& path, std::string architecture, std::vector<std::byte> elf) {
  device_code result{path, std::move(architecture), find_toolkit(elf), {}, std::move(elf)};
  for (const auto& [name, resources] : fat_binary::read_kernel_resources(result.elf))
    result.kernels[name] = resources.registers;
  return result;
}

/// Adds the machine code in a sequence of fat binary containers.
void add_containers(const std::string& path, byte_span bytes, std::vector<device_code>& into) {
  for (const fat_binary::entry& entry : fat_binary::read_entries(bytes)) {
    if (entry.kind != fat_binary::entry_kind::elf) continue;
    if (entry.packed == fat_binary::compression::none || entry.packed == fat_binary::compression::lz4) {
      into.push_back(describe(path, entry.target(), fat_binary::contents(entry)));
      continue;
    }
    // Only the toolkit can decompress this entry. It extracts everything in the file.
    into.clear();
    for (std::vector<std::byte>& elf : extract_with_cuobjdump(path)) {
      into.push_back(describe(path, "", std::move(elf)));
    }
    return;
  }
}

std::vector<device_code> read_elf(const std::string& path, std::vector<std::byte> bytes) {
  std::vector<device_code> result;
  const fat_binary::elf_file file(bytes, "file");
  if (file.is_device_code()) {
    result.push_back(describe(path, "", std::move(bytes)));
    return result;
  }
  for (const char* name : {".nv_fatbin", "__nv_relfatbin"}) {
    if (const fat_binary::section* found = file.find(name)) add_containers(path, file.data(*found), result);
  }
  return result;
}

}  // namespace

std::vector<device_code> read_device_code(const std::string& path) {
  std::vector<std::byte> bytes = host::read_bytes(path);
  std::vector<device_code> result;
  try {
    if (begins_with(bytes, "\x50\xed\x55\xba")) {
      add_containers(path, bytes, result);
    } else if (begins_with(bytes,
                           "\x7f"
                           "ELF")) {
      result = read_elf(path, std::move(bytes));
    } else {
      throw host::usage_error(path + " is no object file, program, fat binary or cubin" +
                              (begins_with(bytes, "!<arch>") ? "; give the objects of the archive (`ar x`)" : ""));
    }
  } catch (const fat_binary::error& damaged) {
    throw host::usage_error(path + ": " + damaged.what());
  }
  if (result.empty()) {
    throw host::usage_error(path + " holds no machine code for a GPU; nvcc makes it with -arch=sm_90, say");
  }
  return result;
}

}  // namespace sass_tool
