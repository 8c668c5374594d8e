#include "emulator/fat_binary/elf_file.hpp"

#include <algorithm>

namespace fat_binary {
namespace {

/// A symbol is a kernel if this bit of its `st_other` is set.
constexpr unsigned char entry_mark = 0x10;

}  // namespace

elf_file::elf_file(byte_span bytes, const char* what) : bytes_(bytes), what_(what) {
  const auto header = load<Elf64_Ehdr>(bytes, 0, what);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) fail("this is no", "not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) fail("this is no", "it is not a 64-bit ELF file");
  is_device_code_ = header.e_machine == EM_CUDA;
  if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr)) fail("damaged", "its sections");
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    sections_.push_back({{}, load<Elf64_Shdr>(bytes, checked_offset(header.e_shoff, i, sizeof(Elf64_Shdr)), what)});
  }
  for (section& s : sections_) s.name = string_at(header.e_shstrndx, s.header.sh_name);
  symbols_ = find(".symtab");
}

byte_span elf_file::data(const section& s) const {
  if (s.header.sh_type == SHT_NOBITS) return {};
  return slice(bytes_, s.header.sh_offset, s.header.sh_size, what_);
}

const section* elf_file::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const section& s) { return s.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

std::string_view elf_file::kernel_name(std::uint32_t index) const {
  if (!symbols_) return {};
  const auto symbol = load<Elf64_Sym>(data(*symbols_), checked_offset(0, index, sizeof(Elf64_Sym)), what_);
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & entry_mark) == 0) return {};
  return string_at(symbols_->header.sh_link, symbol.st_name);
}

void elf_file::fail(const char* how, const char* why) const {
  throw error(std::string(how) + ' ' + what_ + ": " + why);
}

std::uint64_t elf_file::checked_offset(std::uint64_t begin, std::uint64_t index, std::uint64_t size) const {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(begin, index * size, &result)) fail("damaged", "a table is outside of the file");
  return result;
}

std::string_view elf_file::string_at(std::uint64_t table, std::uint64_t offset) const {
  if (table >= sections_.size()) fail("damaged", "no table of names");
  const byte_span names = data(sections_[static_cast<std::size_t>(table)]);
  if (offset >= names.size()) fail("damaged", "a name is outside of the file");
  const auto* begin = reinterpret_cast<const char*>(names.data()) + offset;
  const std::size_t most = names.size() - static_cast<std::size_t>(offset);
  const void* end = std::memchr(begin, '\0', most);
  if (!end) fail("damaged", "a name does not end");
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

}  // namespace fat_binary
