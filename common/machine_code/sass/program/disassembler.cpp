#include "machine_code/sass/program/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/files.hpp"
#include "host/process.hpp"
#include "sass_build_paths.hpp"

namespace sass_tool {
namespace {

/// Returns the first lines of a program's standard error. The rest is useful only to the authors of nvdisasm.
std::string first_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  int count = 0;
  for (std::string line; std::getline(lines, line) && count < 4; ++count) result += "\n  " + line;
  return result;
}

/// Runs one of the toolkit's programs and returns its standard output.
std::string output_of(const std::vector<std::string>& command) {
  const host::temporary_folder folder;
  const std::string output = folder.path() + "/output.txt";
  host::ending ended;
  try {
    ended = host::run(command, {}, true, output);
  } catch (const std::runtime_error& wrong) {
    throw toolkit_error(wrong.what());
  }
  if (ended.status != 0) {
    throw toolkit_error(fmt::format("{} ended with {}:{}", command[0], ended.status, first_lines(ended.error_output)));
  }
  return host::read_file(output);
}

/// Returns the path of `nvdisasm` or `cuobjdump`. Searches CUDA_HOME, PATH, this build's toolkit, and the folder into
/// which the bootstrap installs these programs. \throws toolkit_error  if there is none
std::string find_program(const std::string& name) {
  std::vector<std::string> candidates = host::in_path(name);
  candidates.insert(candidates.begin(), host::variable("CUDA_HOME") + "/bin/" + name);
  for (const char* folder : {build_paths::toolkit_programs, build_paths::installed_programs})
    candidates.push_back(std::string(folder) + "/" + name);
  const std::string found = host::first_program(candidates);
  if (!found.empty()) return found;
  throw toolkit_error(name +
                      " is needed to read machine code, but it was not found; "
                      "`sh common/bootstrap/bootstrap.sh install sass` installs it into the build folder");
}

}  // namespace

std::string disassemble(const std::vector<std::byte>& elf, const std::string& nvdisasm) {
  const std::string program = nvdisasm.empty() ? find_program("nvdisasm") : nvdisasm;
  const host::temporary_folder folder;
  const std::string cubin = folder.path() + "/code.cubin";
  std::ofstream(cubin, std::ios::binary)
      .write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  return output_of({program, "-c", "-hex", "-gi", cubin});
}

std::string disassembler_version(const std::string& nvdisasm) {
  const std::string text = output_of({nvdisasm.empty() ? find_program("nvdisasm") : nvdisasm, "--version"});
  const std::size_t begin = text.find(", V");
  if (begin == std::string::npos) return "unknown";
  const std::string version = text.substr(begin + 3);
  return version.substr(0, version.find_first_not_of("0123456789."));
}

std::vector<std::vector<std::byte>> extract_with_cuobjdump(const std::string& path) {
  const host::temporary_folder folder;
  const std::string program = find_program("cuobjdump");
  // cuobjdump writes its files to the current folder.
  const std::string from = std::filesystem::absolute(path).string();
  (void)output_of({"sh", "-c", R"(cd "$1" && exec "$0" -xelf all "$2")", program, folder.path(), from});
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".cubin") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::vector<std::byte>> result;
  for (const std::filesystem::path& file : files) result.push_back(host::read_bytes(file.string()));
  return result;
}

}  // namespace sass_tool
