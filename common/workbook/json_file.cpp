#include "workbook/json_file.hpp"

#include <unistd.h>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include <fmt/format.h>

namespace workbook {

json_file::json_file(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") return;
  temporary_ = path_ + "." + std::to_string(getpid()) + ".tmp";
  out_.open(temporary_);
  if (!out_ || std::filesystem::is_directory(path_)) {
    std::filesystem::remove(temporary_);
    throw std::runtime_error(fmt::format(
        "--json {}: this file cannot be written. Give a path in a folder that exists and is yours.", path_));
  }
}

json_file::~json_file() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void json_file::write(const nlohmann::json& j) {
  if (path_.empty()) return;
  if (path_ == "-") {
    std::cout << j.dump(2) << std::endl;
    return;
  }
  out_ << j.dump(2) << '\n';
  out_.close();
  if (!out_) throw std::runtime_error(fmt::format("--json {}: the disk took only a part of it.", path_));
  std::filesystem::rename(temporary_, path_);
  temporary_.clear();
}

}  // namespace workbook
