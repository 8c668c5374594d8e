#pragma once
/// \file
/// The sections and symbols of an ELF file: machine code for a GPU, or an object file or program that contains some.

#include <elf.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/fat_binary/byte_view.hpp"

namespace fat_binary {

struct section {
  std::string_view name;
  Elf64_Shdr header;
};

/// A 64-bit ELF file.
class elf_file {
 public:
  /// \param bytes  must outlive this object
  /// \param what   its name in messages, as in "damaged machine code"
  /// \throws error  if it isn't such a file, or if it is damaged
  elf_file(byte_span bytes, const char* what);
  elf_file(const elf_file&) = delete;
  elf_file& operator=(const elf_file&) = delete;

  /// Returns true if the file is for the CUDA architecture.
  [[nodiscard]] bool is_device_code() const { return is_device_code_; }
  [[nodiscard]] const std::vector<section>& sections() const { return sections_; }
  /// \throws error  if the section is not inside of the file
  [[nodiscard]] byte_span data(const section& s) const;
  /// Returns null if there is no such section.
  [[nodiscard]] const section* find(std::string_view name) const;
  /// Returns the name of symbol `index` if it is a kernel, or an empty string. \throws error
  [[nodiscard]] std::string_view kernel_name(std::uint32_t index) const;

 private:
  [[noreturn]] void fail(const char* how, const char* why) const;
  [[nodiscard]] std::uint64_t checked_offset(std::uint64_t begin, std::uint64_t index, std::uint64_t size) const;
  [[nodiscard]] std::string_view string_at(std::uint64_t table, std::uint64_t offset) const;

  byte_span bytes_;
  const char* what_;
  std::vector<section> sections_;
  const section* symbols_ = nullptr;
  bool is_device_code_ = false;
};

}  // namespace fat_binary
