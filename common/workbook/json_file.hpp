#pragma once
/// \file
/// A JSON file that appears whole or not at all.

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace workbook {

/// The file of `--json`: "-" is standard output, and an empty path is none.
class json_file {
 public:
  /// \throws std::runtime_error  where the file cannot be written
  explicit json_file(std::string path);
  ~json_file();
  json_file(const json_file&) = delete;
  json_file& operator=(const json_file&) = delete;
  /// \throws std::runtime_error  where the disk is full
  void write(const nlohmann::json& j);

 private:
  std::string path_;
  std::string temporary_;
  std::ofstream out_;
};

}  // namespace workbook
