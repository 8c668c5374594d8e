#include "emulator/emulate/installation.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace emulate {

installation read_installation(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto place = [&](const std::string& written) { return (folder / written).lexically_normal().string(); };
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(fmt::format(
        "{} is missing, the file with the places of the emulator's libraries: install the component `emulator` "
        "again",
        path));
  try {
    const nlohmann::json facts = nlohmann::json::parse(file);
    installation read;
    read.version = facts.at("version").get<std::string>();
    read.nvcc = facts.at("nvcc").get<std::string>();
    read.host_compiler = facts.at("host_compiler").get<std::string>();
    read.include_folder = place(facts.at("include_folder").get<std::string>());
    read.machines_folder = place(facts.at("machines_folder").get<std::string>());
    if (const auto written = facts.at("library_folder").get<std::string>(); !written.empty())
      read.library_folder = place(written);
    for (const nlohmann::json& library : facts.at("libraries"))
      read.libraries.push_back(place(library.get<std::string>()));
    facts.at("link_options").get_to(read.link_options);
    return read;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is damaged ({}): install the component `emulator` again", path, error.what()));
  }
}

const installation& this_installation() {
  static const installation read = [] {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    return read_installation(
        (program.parent_path().parent_path() / "lib" / "reduction_workbook" / "emulate.json").string());
  }();
  return read;
}

}  // namespace emulate
