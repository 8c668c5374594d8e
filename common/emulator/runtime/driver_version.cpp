#include "emulator/runtime/driver_version.hpp"

#include <fmt/format.h>

namespace emulator::runtime {
namespace {

int major_of(int version) {
  return version / 1000;
}

std::string text_of(int version) {
  return fmt::format("{}.{}", major_of(version), version % 1000 / 10);
}

std::string driver_text(const cuda_versions& found) {
  return fmt::format("the GPU's driver{}{} supports CUDA up to {}", found.release.empty() ? "" : " ", found.release,
                     text_of(found.driver));
}

/// Returns the first driver for a major version, according to NVIDIA's "CUDA Toolkit Release Notes"; nullptr if it is
/// unknown.
const char* first_driver_of(int major) {
  if (major == 12) return "525";
  return major == 13 ? "580" : nullptr;
}

}  // namespace

std::string why_driver_is_too_old(const cuda_versions& found) {
  const int has = major_of(found.driver), wanted = major_of(found.runtime);
  if (found.driver == 0 || has >= wanted) return {};
  const char* const first = first_driver_of(wanted);
  std::string text = fmt::format("{}, and this program was built with CUDA {}. Update the driver{}", driver_text(found),
                                 text_of(found.runtime), first == nullptr ? "" : fmt::format(" to {} or newer", first));
  if (has == 12) text += ", or install a CUDA Toolkit from 12.4 to 12.9, set CUDA_HOME to its folder, and build again";
  return text;
}

std::string why_ptx_is_too_new(const cuda_versions& found) {
  return fmt::format("{}, and cannot load PTX of CUDA {}. Update the driver, or build with CUDA {} or older",
                     driver_text(found), text_of(found.runtime), text_of(found.driver));
}

std::string driver_release(const std::string& text) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024", or with "for x86_64"
  // after "Module". The number is the first word with a dot after it.
  const std::size_t module = text.find("Kernel Module");
  if (module == std::string::npos) return {};
  const std::size_t begin = text.find_first_of("0123456789", text.find("  ", module));
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

}  // namespace emulator::runtime
