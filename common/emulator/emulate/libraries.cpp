#include "emulator/emulate/libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace emulate {
namespace {

const std::vector<library>& all_libraries() {
  static const std::vector<library> all = {
      {"cuBLAS", "cublas", ""},
      {"cuDNN", "cudnn", ""},
      {"cuFFT", "cufft", ""},
      {"cuRAND", "curand",
       "Its host generators (curandCreateGeneratorHost) work without a GPU: link -lcurand for them."},
      {"cuSOLVER", "cusolver", ""},
      {"cuSPARSE", "cusparse", ""},
      {"cuTENSOR", "cutensor", ""},
      {"NCCL", "nccl", ""},
      {"nvJPEG", "nvjpeg", ""},
  };
  return all;
}

/// Returns true if `name` is a C name that starts with `prefix` and a capital letter: "cublasCreate", but neither
/// "customer" nor "cublas(int)".
bool is_function_with(const std::string& prefix, const std::string& name) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

template <typename Rule>
const library* first_with(const Rule& rule) {
  const std::vector<library>& all = all_libraries();
  const auto found = std::find_if(all.begin(), all.end(), rule);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const library* library_with_function(const std::string& function) {
  return first_with([&](const library& l) { return is_function_with(l.prefix, function); });
}

const library* library_of_option(const std::string& option) {
  std::string name;
  if (option.starts_with("-l"))
    name = option.substr(2);
  else if (const std::string file = std::filesystem::path(option).filename().string();
           !option.starts_with("-") && file.starts_with("lib"))
    name = file.substr(3);
  return first_with([&](const library& l) { return name.starts_with(l.prefix); });
}

bool is_driver_function(const std::string& name) {
  return is_function_with("cu", name);
}

bool is_runtime_function(const std::string& name) {
  return is_function_with("cuda", name) || name.starts_with("__cuda");
}

std::string owner_of(const std::string& function) {
  if (const library* const l = library_with_function(function)) return l->name;
  if (is_driver_function(function)) return "the CUDA driver";
  if (is_function_with("cuda", function)) return "the CUDA runtime";
  return {};
}

std::string notes_on_libraries(const std::vector<std::string>& options) {
  std::set<const library*> noted;
  std::string text;
  for (const std::string& option : options) {
    const library* const named = library_of_option(option);
    if (named == nullptr || !noted.insert(named).second) continue;
    text += fmt::format(
        "emulate: note: {} has no emulation. NVIDIA's library ({}) finds no GPU, so its calls return errors; "
        "--allow-missing ends the program at the first one instead.{}{}\n",
        named->name, option, named->still_works.empty() ? "" : " ", named->still_works);
  }
  return text;
}

std::string source_of_missing(const std::vector<std::string>& functions) {
  std::string text =
      "extern \"C\" [[noreturn]] void emulator_called_missing_function(const char* function, const char* owner,\n"
      "                                                              const void* return_address);\n";
  for (const std::string& function : functions)
    text += fmt::format(
        "extern \"C\" void {0}() {{\n"
        "  emulator_called_missing_function(\"{0}\", \"{1}\", __builtin_return_address(0));\n"
        "}}\n",
        function, owner_of(function));
  return text;
}

}  // namespace emulate
