#include "emulator/simt/source_lines.hpp"

#include <algorithm>
#include <string_view>

namespace emulator::simt {
namespace {

/// Returns true if a file belongs to the toolkit, whose lines mean nothing to the reader of a kernel.
bool in_toolkit(std::string_view path) {
  static constexpr std::string_view marks[] = {"/cuda/include/",
                                               "/targets/x86_64-linux/include/",
                                               "/include/cccl/",
                                               "/include/crt/",
                                               "/include/cooperative_groups",
                                               "/include/cub/",
                                               "/include/thrust/",
                                               "/include/cuda/",
                                               "/usr/include/c++/",
                                               "/usr/lib/gcc/",
                                               "/sm_30_intrinsics",
                                               "/sm_20_atomic",
                                               "/nv/target"};
  return std::any_of(std::begin(marks), std::end(marks),
                     [path](std::string_view m) { return path.find(m) != std::string_view::npos; });
}

}  // namespace

bool stands_in_toolkit(const observers::kernel_facts& facts, std::uint32_t pc) {
  if (pc >= facts.instructions.size()) return false;
  const std::int32_t file = facts.instructions[pc].file;
  return file >= 0 && in_toolkit(facts.files.at(static_cast<std::size_t>(file)));
}

source_lines::source_lines(const std::unordered_map<std::uint32_t, std::string>& files, const ptx::function& kernel)
    : files_(files) {
  for (const ptx::source_location& place : kernel.locations) {
    const std::string* const path = path_of(place.file);
    if (place.inlined_at >= 0 || place.line == 0 || path == nullptr) continue;
    home_ = *path;
    break;
  }
}

const std::string* source_lines::path_of(std::uint32_t number) const {
  const auto found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

/// Returns the innermost location outside of the toolkit among `innermost` and the calls into which it was inlined; if
/// there is none, the innermost of all; null if none has a line (the compiler uses line 0 for code without one).
const ptx::source_location* source_lines::choose(const ptx::function& function, std::int32_t innermost) const {
  const ptx::source_location* first = nullptr;
  for (std::int32_t at = innermost; at >= 0; at = function.locations.at(static_cast<std::size_t>(at)).inlined_at) {
    const ptx::source_location& l = function.locations.at(static_cast<std::size_t>(at));
    if (l.line == 0) continue;
    if (first == nullptr) first = &l;
    const std::string* path = path_of(l.file);
    if (path != nullptr && !in_toolkit(*path)) return &l;
  }
  return first;
}

void source_lines::locate(const ptx::function& function, const ptx::instruction& i, observers::instruction_facts& facts,
                          std::vector<std::string>& files) {
  const ptx::source_location* place = choose(function, i.location);
  const std::string* path = place == nullptr ? nullptr : path_of(place->file);
  if (path != nullptr) {
    last_home_line_ = 0;
    for (std::int32_t at = i.location; at >= 0; at = function.locations.at(static_cast<std::size_t>(at)).inlined_at) {
      const ptx::source_location& l = function.locations.at(static_cast<std::size_t>(at));
      const std::string* file = path_of(l.file);
      if (l.line == 0 || file == nullptr || *file != home_) continue;
      last_home_line_ = l.line;
      break;
    }
    const auto [found, added] = numbers_.try_emplace(*path, static_cast<std::int32_t>(files.size()));
    if (added) files.push_back(*path);
    last_file_ = found->second;
    last_line_ = place->line;
  }
  repeat(facts);
}

void source_lines::repeat(observers::instruction_facts& facts) const {
  facts.file = last_file_;
  facts.line = last_line_;
  facts.home_line = last_home_line_;
}

}  // namespace emulator::simt
