#include "emulator/emulate/linker_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "emulator/emulate/libraries.hpp"

namespace emulate {
namespace {

/// Returns what follows each occurrence of `announcement` on its line, in order and without duplicates.
std::vector<std::string> announced(const std::string& linker_output, const std::string& announcement) {
  std::vector<std::string> all;
  for (std::size_t at = linker_output.find(announcement); at != std::string::npos;
       at = linker_output.find(announcement, at + 1)) {
    const std::size_t line_end = std::min(linker_output.find('\n', at), linker_output.size());
    std::string text = linker_output.substr(at + announcement.size(), line_end - at - announcement.size());
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
  }
  return all;
}

}  // namespace

std::vector<std::string> undefined_names(const std::string& linker_output) {
  std::vector<std::string> names;
  for (std::string name : announced(linker_output, "undefined reference to ")) {
    // The name is in quotes: `name' or, in some locales, other quotes. A C++ name may have quotes inside.
    while (!name.empty() && std::string("`'\"").find(name.front()) != std::string::npos) name.erase(0, 1);
    while (!name.empty() && std::string("`'\"").find(name.back()) != std::string::npos) name.pop_back();
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> libraries_not_found(const std::string& linker_output) {
  std::vector<std::string> options;
  for (std::string option : announced(linker_output, "cannot find -l")) {
    // "cannot find -lcublas: No such file or directory", or without a reason.
    option = "-l" + option.substr(0, option.find_first_of(": "));
    if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
  }
  return options;
}

std::string explain_link_failure(const std::string& linker_output, bool allow_missing) {
  std::vector<std::string> runtime, driver, other;
  std::map<const library*, std::vector<std::string>> of_libraries;
  for (const std::string& name : undefined_names(linker_output)) {
    if (allow_missing && !owner_of(name).empty()) continue;
    if (const library* const l = library_with_function(name))
      of_libraries[l].push_back(name);
    else
      (is_runtime_function(name) ? runtime : is_driver_function(name) ? driver : other).push_back(name);
  }
  std::string text;
  for (const auto& [library, functions] : of_libraries)
    text += fmt::format("{} has no emulation, and the program calls {}. ", library->name, fmt::join(functions, ", "));
  for (const std::string& option : libraries_not_found(linker_output)) {
    if (const library* const l = library_of_option(option)) {
      text += fmt::format("{} is not here, and {} has no emulation. ", option, l->name);
      of_libraries[l];
    }
  }
  if (!runtime.empty()) text += fmt::format("the emulator has no {} of the CUDA runtime. ", fmt::join(runtime, ", "));
  if (!driver.empty()) text += fmt::format("the emulator has no driver interface: {}. ", fmt::join(driver, ", "));
  if (!text.empty())
    text +=
        "If this run can do without these calls, add --allow-missing: the program is linked, and ends at the first "
        "of them. Otherwise compute that part on the host, or in a kernel of your own. ";
  for (const auto& [library, functions] : of_libraries)
    if (!library->still_works.empty()) text += fmt::format("{}: {} ", library->name, library->still_works);
  if (!other.empty()) {
    text += fmt::format(
        "not defined anywhere: {}; name the source files or libraries (-l…) that define {} on the command line. ",
        fmt::join(other, ", "), other.size() == 1 ? "it" : "them");
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace emulate
