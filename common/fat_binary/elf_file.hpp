#pragma once
/// \file
/// The sections and symbols of an ELF file: machine code for a GPU, or an object file or program that holds some.

#include <elf.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "fat_binary/byte_view.hpp"

namespace fat_binary {

struct section {
  std::string_view name;
  Elf64_Shdr header;
};

/// One ELF file of 64 bits.
class elf_file {
 public:
  /// \param bytes  must outlive this object
  /// \param what   names it in messages, as in "damaged machine code"
  /// \throws error  where it is something else, or damaged
  elf_file(byte_span bytes, const char* what);
  elf_file(const elf_file&) = delete;
  elf_file& operator=(const elf_file&) = delete;

  /// It is for the CUDA architecture.
  [[nodiscard]] bool is_device_code() const { return is_device_code_; }
  [[nodiscard]] const std::vector<section>& sections() const { return sections_; }
  /// \throws error  where the section lies outside of the file
  [[nodiscard]] byte_span data(const section& s) const;
  /// Returns null where there is none.
  [[nodiscard]] const section* find(std::string_view name) const;
  /// Returns the name of kernel number `index` in the symbol table; empty where it is no kernel. \throws error
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
