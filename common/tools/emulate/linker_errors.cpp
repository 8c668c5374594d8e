#include "tools/emulate/linker_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace emulate {
namespace {

/// "cuLaunchKernel", but not "cublasCreate" and not "customer".
bool is_driver_function(const std::string& name) {
  return name.starts_with("cu") && name.size() > 2 && std::isupper(static_cast<unsigned char>(name[2])) != 0;
}

bool is_runtime_function(const std::string& name) {
  return (name.starts_with("cuda") && name.size() > 4 && std::isupper(static_cast<unsigned char>(name[4])) != 0) ||
         name.starts_with("__cuda");
}

}  // namespace

std::vector<std::string> undefined_names(const std::string& linker_output) {
  static const std::string announcement = "undefined reference to ";
  std::vector<std::string> names;
  for (std::size_t at = linker_output.find(announcement); at != std::string::npos;
       at = linker_output.find(announcement, at + 1)) {
    // The name stands in quotes: `name' or, in some locales, other quotes; a C++ name may have quotes of no kind
    // inside.
    const std::size_t line_end = std::min(linker_output.find('\n', at), linker_output.size());
    std::string name = linker_output.substr(at + announcement.size(), line_end - at - announcement.size());
    while (!name.empty() && std::string("`'\"").find(name.front()) != std::string::npos) name.erase(0, 1);
    while (!name.empty() && std::string("`'\"").find(name.back()) != std::string::npos) name.pop_back();
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string explain_link_failure(const std::string& linker_output) {
  std::vector<std::string> runtime, driver, other;
  for (const std::string& name : undefined_names(linker_output)) {
    (is_runtime_function(name) ? runtime : is_driver_function(name) ? driver : other).push_back(name);
  }
  std::string words;
  if (!runtime.empty()) words += fmt::format("the emulator has no {} of the CUDA runtime. ", fmt::join(runtime, ", "));
  if (!driver.empty()) words += fmt::format("the emulator has no driver interface: {}. ", fmt::join(driver, ", "));
  if (!other.empty()) {
    words += fmt::format(
        "not defined anywhere: {}; name the source files or libraries (-l…) that define {} on the command line. ",
        fmt::join(other, ", "), other.size() == 1 ? "it" : "them");
  }
  if (!words.empty()) words.pop_back();
  return words;
}

}  // namespace emulate
