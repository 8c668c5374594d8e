// make_seeds FOLDER FILE …
//
// Makes seeds for fuzzing from object files, fat binaries and PTX texts: in FOLDER/ptx a small module for each kernel
// with everything that it needs from its module, and in FOLDER/fat_binary each container and the machine code in it.

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "emulator/fat_binary/fat_binary.hpp"
#include "emulator/ptx/module.hpp"
#include "host/command_line.hpp"
#include "host/files.hpp"
#include "host/program.hpp"

namespace {

namespace fs = std::filesystem;
namespace ptx = emulator::ptx;

/// Writes numbered seeds to subfolders of a folder.
class seed_folder {
 public:
  explicit seed_folder(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_ / "ptx");
    fs::create_directories(folder_ / "fat_binary");
  }

  void add_ptx(const std::string& text) {
    const ptx::module m = ptx::parse_module(text);
    struct piece {
      std::size_t begin, end;
    };
    std::vector<piece> kernels;
    for (const ptx::function& f : m.functions) {
      if (!f.is_entry || !f.has_body) continue;
      const std::size_t newline = text.rfind('\n', text.rfind(".entry", f.body_begin));
      kernels.push_back({newline == std::string::npos ? 0 : newline + 1, f.body_end + 1});
    }
    for (const piece& kept : kernels) {
      std::string seed;
      std::size_t at = 0;
      for (const piece& k : kernels) {
        seed += text.substr(at, k.begin - at);
        if (k.begin == kept.begin) seed += text.substr(k.begin, k.end - k.begin);
        at = k.end;
      }
      write("ptx", seed + text.substr(at));
    }
  }

  void add_containers(const std::string& bytes) {
    const auto all = std::as_bytes(std::span(bytes));
    write("fat_binary", bytes);
    for (const fat_binary::entry& e : fat_binary::read_entries(all)) {
      if (e.packed != fat_binary::compression::none && e.packed != fat_binary::compression::lz4) continue;
      if (e.kind == fat_binary::entry_kind::ptx) add_ptx(fat_binary::ptx_text(e));
      if (e.kind != fat_binary::entry_kind::elf) continue;
      const auto code = fat_binary::contents(e);
      write("fat_binary", {reinterpret_cast<const char*>(code.data()), code.size()});
    }
  }

 private:
  void write(const char* kind, const std::string& bytes) {
    std::ofstream(folder_ / kind / std::to_string(++count_), std::ios::binary) << bytes;
  }

  fs::path folder_;
  unsigned count_ = 0;
};

/// Returns the section `.nv_fatbin` of a host object file, or an empty string if there is none.
std::string device_code(const std::string& object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  const auto section = [&](unsigned k) {
    Elf64_Shdr s;
    std::memcpy(&s, object.data() + header.e_shoff + k * sizeof s, sizeof s);
    return s;
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (unsigned k = 0; k < header.e_shnum; ++k) {
    const Elf64_Shdr s = section(k);
    if (std::strcmp(object.data() + names.sh_offset + s.sh_name, ".nv_fatbin") == 0)
      return object.substr(s.sh_offset, s.sh_size);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  std::vector<std::string> files;
  host::parser app("Makes seeds for fuzzing out of object files, fat binaries and PTX texts", "make_seeds");
  app.add_option("folder", folder, "Where the seeds go").required();
  app.add_option("files", files, "What they are made of").required().check(host::an_existing_file());
  return host::run_program(app, argc, argv, 1, [&] {
    seed_folder seeds(folder);
    for (const std::string& file : files) {
      const std::string bytes = host::read_file(file);
      if (bytes.empty()) throw host::usage_error(file + " is empty");
      if (bytes.size() > sizeof(Elf64_Ehdr) && bytes.compare(0, SELFMAG, ELFMAG) == 0) {
        const std::string code = device_code(bytes);
        if (!code.empty()) seeds.add_containers(code);
      } else if (fs::path(file).extension() == ".ptx") {
        seeds.add_ptx(bytes);
      } else {
        seeds.add_containers(bytes);
      }
    }
    return 0;
  });
}
