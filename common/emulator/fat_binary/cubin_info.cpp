#include "emulator/fat_binary/cubin_info.hpp"

#include <elf.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace emulator::fat_binary {
namespace {

constexpr const char* what = "machine code";

/// A symbol is a kernel where its `st_other` has this bit.
constexpr unsigned char entry_mark = 0x10;

/// Attributes in `.nv.info`, each for one symbol: its number and a value, 4 bytes each.
enum attribute : std::uint8_t { frame_size = 0x11, min_stack_size = 0x12, register_count = 0x2f };

/// Forms of an attribute's value. All begin with four bytes: form, attribute, and a value or the size of what follows.
constexpr std::uint8_t form_sized = 4;

/// On devices of compute capability 9.0 and later the system has this much of a block's shared memory for itself, and
/// ptxas counts it into each kernel's section.
constexpr std::uint64_t reserved_shared_bytes = 1024;

struct section {
  std::string_view name;
  Elf64_Shdr header;
};

/// The sections and symbols of one ELF file.
class elf_file {
 public:
  explicit elf_file(byte_span bytes) : bytes_(bytes) {
    const auto header = load<Elf64_Ehdr>(bytes, 0, what);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw error("this is no machine code: not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_CUDA) {
      throw error("this is no machine code: the ELF file is not for the CUDA architecture");
    }
    if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))
      throw error("damaged machine code: its sections");
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      sections_.push_back({{}, load<Elf64_Shdr>(bytes, checked_offset(header.e_shoff, i, sizeof(Elf64_Shdr)), what)});
    }
    for (section& s : sections_) s.name = string_at(header.e_shstrndx, s.header.sh_name);
    symbols_ = find(".symtab");
  }

  [[nodiscard]] const std::vector<section>& sections() const { return sections_; }

  [[nodiscard]] byte_span data(const section& s) const {
    if (s.header.sh_type == SHT_NOBITS) return {};
    return slice(bytes_, s.header.sh_offset, s.header.sh_size, what);
  }

  [[nodiscard]] const section* find(std::string_view name) const {
    const auto found =
        std::find_if(sections_.begin(), sections_.end(), [&](const section& s) { return s.name == name; });
    return found == sections_.end() ? nullptr : &*found;
  }

  /// Returns the name of kernel number `index` in the symbol table; empty where it is no kernel.
  [[nodiscard]] std::string_view kernel_name(std::uint32_t index) const {
    if (!symbols_) return {};
    const auto symbol = load<Elf64_Sym>(data(*symbols_), checked_offset(0, index, sizeof(Elf64_Sym)), what);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & entry_mark) == 0) return {};
    return string_at(symbols_->header.sh_link, symbol.st_name);
  }

 private:
  static std::uint64_t checked_offset(std::uint64_t begin, std::uint64_t index, std::uint64_t size) {
    std::uint64_t result = 0;
    if (__builtin_add_overflow(begin, index * size, &result)) throw error("damaged machine code: a table lies outside");
    return result;
  }

  [[nodiscard]] std::string_view string_at(std::uint64_t table, std::uint64_t offset) const {
    if (table >= sections_.size()) throw error("damaged machine code: no table of names");
    const byte_span names = data(sections_[static_cast<std::size_t>(table)]);
    if (offset >= names.size()) throw error("damaged machine code: a name lies outside");
    const auto* begin = reinterpret_cast<const char*>(names.data()) + offset;
    const std::size_t most = names.size() - static_cast<std::size_t>(offset);
    const void* end = std::memchr(begin, '\0', most);
    if (!end) throw error("damaged machine code: a name does not end");
    return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
  }

  byte_span bytes_;
  std::vector<section> sections_;
  const section* symbols_ = nullptr;
};

void apply_attribute(kernel_resources& kernel, std::uint8_t which, std::uint32_t value) {
  switch (which) {
    case register_count:
      kernel.registers = value;
      break;
    case frame_size:
      kernel.frame_bytes = value;
      break;
    case min_stack_size:
      kernel.stack_bytes = value;
      break;
    default:
      break;
  }
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
    if (which != frame_size && which != min_stack_size && which != register_count) continue;
    const std::string_view name = file.kernel_name(load<std::uint32_t>(value, 0, what));
    if (!name.empty()) apply_attribute(kernels[std::string(name)], which, load<std::uint32_t>(value, 4, what));
  }
}

}  // namespace

std::map<std::string, kernel_resources> read_kernel_resources(byte_span elf) {
  const elf_file file(elf);
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

}  // namespace emulator::fat_binary
