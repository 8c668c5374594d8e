#include "emulator/fat_binary/sample.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

// Replaces the functions of the CUDA runtime that the object file calls. Only the first one matters here: it is called
// before main(), with the address that the emulator's runtime would get.
namespace {
const void* seen_wrapper = nullptr;
}

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper) {
  static void* handle = nullptr;
  seen_wrapper = wrapper;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(...) {}
void __cudaRegisterVar(...) {}
char __cudaInitModule(void**) {
  return 0;
}
unsigned __cudaPushCallConfiguration(...) {
  return 0;
}
int __cudaPopCallConfiguration(...) {
  return 0;
}
int __cudaGetKernel(...) {
  return 0;
}
int __cudaLaunchKernel(...) {
  return 0;
}
int cudaLaunchKernel(...) {
  return 0;
}
}

namespace fat_binary::test {
const void* registered_wrapper() {
  return seen_wrapper;
}

const std::vector<entry>& registered_entries() {
  static const std::vector<entry> entries = read_registered(seen_wrapper).whole;
  return entries;
}

const entry& registered_entry(entry_kind kind) {
  for (const entry& e : registered_entries()) {
    if (e.kind == kind) return e;
  }
  throw std::runtime_error("the object file lacks an entry");
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::map<std::string, kernel_resources> printed_resources() {
  std::ifstream file(WORKBOOK_PTXAS_OUTPUT);
  const std::regex kernel("Compiling entry function '(\\w+)'"), frame("(\\d+) bytes stack frame"),
      properties("Function properties for (\\w+)"), used("Used (\\d+) registers"),
      stack("(\\d+) bytes cumulative stack size"), shared("(\\d+) bytes smem");
  std::map<std::string, kernel_resources> result;
  std::string current, described;
  std::smatch match;
  const auto number = [&] { return static_cast<std::uint32_t>(std::stoul(match[1])); };
  for (std::string line; std::getline(file, line);) {
    if (std::regex_search(line, match, kernel)) current = match[1];
    if (std::regex_search(line, match, properties)) described = match[1];
    if (current.empty()) continue;
    kernel_resources& now = result[current];
    if (described == current && std::regex_search(line, match, frame)) now.frame_bytes = number();
    if (std::regex_search(line, match, used)) now.registers = number();
    if (std::regex_search(line, match, stack)) now.stack_bytes = number();
    if (std::regex_search(line, match, shared)) now.static_shared_bytes = number();
  }
  return result;
}

}  // namespace fat_binary::test
