#include "machine_code/superopt/named_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "machine_code/superopt/target.hpp"

namespace superopt {

std::vector<std::string> names_in(const std::string& folder, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_named(const std::string& name_or_file, const std::string& folder, const std::string& extension,
                       const std::string& what) {
  std::filesystem::path file = name_or_file;
  if (!std::filesystem::exists(file)) file = std::filesystem::path(folder) / (name_or_file + extension);
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw bad_input(fmt::format("no {} '{}': neither a file, nor one of {}", what, name_or_file,
                                fmt::join(names_in(folder, extension), " ")));
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace superopt
