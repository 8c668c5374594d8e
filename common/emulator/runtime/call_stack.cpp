#include "emulator/runtime/call_stack.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "emulator/runtime/paths.hpp"
#include "host/files.hpp"
#include "host/process.hpp"

namespace emulator::runtime {
namespace {

using frame_list = std::vector<source_frame>;

constexpr int deepest_stack = 64;
constexpr std::size_t longest_way = 4;

/// Returns a function's name without its return type, template arguments and parameters: "thrust::reduce".
std::string bare_name(const std::string& function) {
  std::string name;
  int depth = 0;
  for (const char c : function) {
    if (c == '<') ++depth;
    if (c == '(' && depth == 0) break;
    if (c == ' ' && depth == 0) name.clear();
    if (depth == 0 && c != ' ') name += c;
    if (c == '>') --depth;
  }
  return name;
}

bool begins_with_one_of(const std::string& name, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* b) { return name.starts_with(b); });
}

/// Returns true for functions between the program and the runtime that come from the compiler or from a header of the
/// toolkit.
bool is_wrapper(const source_frame& frame) {
  const std::string name = bare_name(frame.function);
  // If the file is known, it decides, because programs also have functions with names such as cudaCheck(), and an
  // inlined function may have the name of the enclosing one.
  const bool of_runtime = frame.line != 0 ? frame.file.find("/cuda_runtime") != std::string::npos
                                          : name.starts_with("cuda") && name.size() > 4 && std::isupper(name[4]) != 0;
  return of_runtime || begins_with_one_of(name, {"__cuda", "__device_stub_", "__nv_"}) ||
         frame.file.find(".stub.c") != std::string::npos;
}

bool is_of_language(const source_frame& frame) {
  return begins_with_one_of(bare_name(frame.function), {"std::", "__gnu_cxx::"});
}

/// The location of an address: an object file, and the address in it.
struct place {
  std::string object;
  std::uintptr_t offset = 0;
};

place place_of(std::uintptr_t address) {
  Dl_info found{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &found, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
      map == nullptr) {
    return {};
  }
  // The program itself has no name in the list.
  const bool is_program = map->l_name == nullptr || *map->l_name == '\0';
  std::error_code none;
  const std::string object = is_program ? std::filesystem::read_symlink("/proc/self/exe", none).string() : map->l_name;
  // The functions that start and end programs and threads are left out of stacks.
  if (begins_with_one_of(std::filesystem::path(object).filename().string(), {"libc.", "libc-", "ld-", "libpthread"}))
    return {};
  return {object, address - map->l_addr};
}

/// Returns the name of the source file from which nvcc generated `file` for the host's compiler, or `file` if nvcc
/// didn't generate it. Some versions of addr2line report the generated file if a function's first lines do not name
/// their file.
std::string source_behind(const std::string& file) {
  static const std::string ending = ".cudafe1.cpp";
  const std::size_t made = file.find("/tmpxft_");
  if (made == std::string::npos || !file.ends_with(ending)) return file;
  // tmpxft_PROCESS_NUMBER-STEP_NAME
  std::size_t name = made + 1;
  for (int part = 0; part < 3 && name != 0; ++part) name = file.find('_', name) + 1;
  return name == 0 ? file : file.substr(name, file.size() - name - ending.size()) + ".cu";
}

/// Parses the output of addr2line: an address, then two lines for each function, innermost first.
void read_frames(const std::string& printed, std::map<std::uintptr_t, frame_list>& into) {
  std::istringstream lines(printed);
  frame_list* current = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0x")) {
      current = &into[std::stoull(line, nullptr, 16)];
      continue;
    }
    source_frame frame;
    if (line != "??") frame.function = line;
    if (!std::getline(lines, line)) return;
    const std::size_t colon = line.find(':', line.find_last_of('/') == std::string::npos ? 0 : line.find_last_of('/'));
    if (colon != std::string::npos && !line.starts_with("??") && std::isdigit(line[colon + 1]) != 0) {
      frame.line = static_cast<std::uint32_t>(std::stoul(line.substr(colon + 1)));
      if (frame.line != 0)
        frame.file = source_behind(std::filesystem::path(line.substr(0, colon)).lexically_normal().string());
    }
    if (current != nullptr) current->push_back(std::move(frame));
  }
}

/// Calls addr2line for the frames at `offsets` of an object file.
std::map<std::uintptr_t, frame_list> frames_in(const std::string& object, const std::set<std::uintptr_t>& offsets) {
  std::map<std::uintptr_t, frame_list> found;
  std::vector<std::string> command = {addr2line,   "--addresses", "--functions", "--demangle",
                                      "--inlines", "--exe",       object};
  for (const std::uintptr_t offset : offsets) command.push_back(fmt::format("{:#x}", offset));
  try {
    const host::temporary_folder folder;
    const std::string path = folder.path() + "/frames";
    if (host::run(command, {}, true, path).status == 0) read_frames(host::read_file(path), found);
  } catch (const std::exception&) {
    // A finding without a line is better than none.
  }
  return found;
}

/// Returns the frames of all addresses in the stacks.
std::map<std::uintptr_t, frame_list> frames_by_address(const std::vector<call_stack>& stacks) {
  std::map<std::uintptr_t, place> places;
  std::map<std::string, std::set<std::uintptr_t>> asked;
  const auto want = [&](std::uintptr_t address) {
    if (address == 0 || places.contains(address)) return;
    // A return address may belong to the next line; the byte before it belongs to the call.
    const place& where = places[address] = place_of(address - 1);
    if (!where.object.empty()) asked[where.object].insert(where.offset);
  };
  for (const call_stack& stack : stacks) {
    want(stack.launch_site);
    for (const std::uintptr_t address : stack.addresses) want(address);
  }
  std::map<std::string, std::map<std::uintptr_t, frame_list>> answers;
  for (const auto& [object, offsets] : asked) answers[object] = frames_in(object, offsets);
  std::map<std::uintptr_t, frame_list> frames;
  for (const auto& [address, where] : places) frames[address] = answers[where.object][where.offset];
  return frames;
}

/// Replaces the stubs by the launch's own line: the result is the launch site, followed by the callers of its function.
frame_list with_launch_site(frame_list site, const frame_list& stack) {
  if (site.empty()) return stack;
  const auto same = std::find_if(stack.begin(), stack.end(),
                                 [&](const source_frame& frame) { return frame.function == site.back().function; });
  if (same != stack.end()) site.insert(site.end(), same + 1, stack.end());
  return site;
}

/// Describes the stack by function names, for programs without line information.
std::string way_by_names(const frame_list& frames) {
  std::string words;
  std::size_t said = 0;
  for (const source_frame& f : frames) {
    if (f.function.empty() || is_of_language(f) || said == longest_way) continue;
    words += fmt::format("{}{}", said++ == 0 ? "in " : ", called from ", f.function);
  }
  return words.empty() ? words : words + "; compile with -g or -Xcompiler -g1 to get source lines";
}

std::string in_file(const source_frame& frame) {
  return fmt::format("{}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
}

}  // namespace

call_stack stack_from(const void* return_address) {
  std::array<void*, deepest_stack> found{};
  const int depth = backtrace(found.data(), deepest_stack);
  const auto end = found.begin() + depth;
  const auto begin = std::find(found.begin(), end, const_cast<void*>(return_address));
  call_stack stack;
  std::transform(begin, end, std::back_inserter(stack.addresses),
                 [](void* address) { return reinterpret_cast<std::uintptr_t>(address); });
  if (stack.addresses.empty()) stack.addresses.push_back(reinterpret_cast<std::uintptr_t>(return_address));
  return stack;
}

std::vector<frame_list> frames_of(const std::vector<call_stack>& stacks) {
  std::map<std::uintptr_t, frame_list> known = frames_by_address(stacks);
  std::vector<frame_list> all;
  for (const call_stack& stack : stacks) {
    frame_list frames;
    for (const std::uintptr_t address : stack.addresses) {
      const frame_list& here = known[address];
      frames.insert(frames.end(), here.begin(), here.end());
    }
    if (stack.launch_site != 0) frames = with_launch_site(known[stack.launch_site], frames);
    std::erase_if(frames, is_wrapper);
    const auto outermost = std::find_if(frames.begin(), frames.end(), [](const source_frame& f) {
      return f.function == "main";  // Its callers belong to the system.
    });
    if (outermost != frames.end()) frames.erase(outermost + 1, frames.end());
    all.push_back(std::move(frames));
  }
  return all;
}

bool made_by_library(const std::vector<source_frame>& frames) {
  const auto own = std::find_if_not(frames.begin(), frames.end(), is_of_language);
  return own != frames.end() && begins_with_one_of(bare_name(own->function), {"cub::", "thrust::", "cuda::"});
}

const source_frame* line_to_show(const std::vector<source_frame>& frames) {
  const auto found = std::find_if(frames.begin(), frames.end(),
                                  [](const source_frame& f) { return f.line != 0 && !is_of_language(f); });
  return found == frames.end() ? nullptr : &*found;
}

std::string way_to(const std::vector<source_frame>& frames, const source_frame* shown) {
  if (shown == nullptr) return way_by_names(frames);
  std::string words;
  std::size_t said = 0;
  for (const source_frame* f = shown + 1; f < frames.data() + frames.size() && said < longest_way; ++f) {
    if (f->line == 0 || is_of_language(*f)) continue;
    words += fmt::format("{}from {} in {}", said++ == 0 ? "called " : ", ", f->function, in_file(*f));
  }
  return words;
}

}  // namespace emulator::runtime
