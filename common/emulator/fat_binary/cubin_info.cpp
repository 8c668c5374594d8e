// The resources that ptxas assigned to each kernel, read from the machine code next to the PTX.

#include <algorithm>
#include <string_view>

#include "emulator/fat_binary/elf_file.hpp"
#include "emulator/fat_binary/fat_binary.hpp"

namespace fat_binary {
namespace {

constexpr const char* what = "machine code";

/// Attributes in `.nv.info`. Each belongs to one symbol, and has the symbol's number and a value, 4 bytes each.
enum attribute : std::uint8_t { frame_size = 0x11, min_stack_size = 0x12, register_count = 0x2f };

/// The format of an attribute's value. Each attribute starts with four bytes: format, attribute, and a value or the
/// size of the rest.
constexpr std::uint8_t form_sized = 4;

/// From compute capability 9.0 on, the system reserves this part of a block's shared memory, and ptxas includes it in
/// each kernel's section.
constexpr std::uint64_t reserved_shared_bytes = 1024;

/// Returns the member for an attribute; null if the attribute isn't used here.
std::uint32_t kernel_resources::*member_of(std::uint8_t which) {
  return which == register_count   ? &kernel_resources::registers
         : which == frame_size     ? &kernel_resources::frame_bytes
         : which == min_stack_size ? &kernel_resources::stack_bytes
                                   : nullptr;
}

void read_attributes(const elf_file& file, byte_span bytes, std::map<std::string, kernel_resources>& kernels) {
  for (std::uint64_t at = 0; at < bytes.size();) {
    const auto form = load<std::uint8_t>(bytes, at, what);
    const auto which = load<std::uint8_t>(bytes, at + 1, what);
    const auto size = load<std::uint16_t>(bytes, at + 2, what);
    at += 4;
    if (form != form_sized) continue;
    const byte_span value = slice(bytes, at, size, what);
    at += size;
    const auto member = member_of(which);
    if (member == nullptr) continue;
    const std::string_view name = file.kernel_name(load<std::uint32_t>(value, 0, what));
    if (!name.empty()) kernels[std::string(name)].*member = load<std::uint32_t>(value, 4, what);
  }
}

}  // namespace

std::map<std::string, kernel_resources> read_kernel_resources(byte_span elf) {
  const elf_file file(elf, what);
  if (!file.is_device_code()) throw error("this is no machine code: the ELF file is not for the CUDA architecture");
  std::map<std::string, kernel_resources> kernels;
  if (const section* info = file.find(".nv.info")) read_attributes(file, file.data(*info), kernels);

  constexpr std::string_view shared_prefix = ".nv.shared.";
  const std::uint64_t reserved = file.find(".nv.shared.reserved.0") ? reserved_shared_bytes : 0;
  for (const section& s : file.sections()) {
    if (s.name.substr(0, shared_prefix.size()) != shared_prefix) continue;
    const auto kernel = kernels.find(std::string(s.name.substr(shared_prefix.size())));
    if (kernel == kernels.end()) continue;
    kernel->second.static_shared_bytes = s.header.sh_size - std::min(s.header.sh_size, reserved);
  }
  return kernels;
}

}  // namespace fat_binary
