#pragma once
/// \file
/// A file that appears whole or not at all.

#include <string>

namespace emulate {

/// A temporary file beside the wanted one, which takes its name when it is finished.
class output_file {
 public:
  /// Makes the temporary file. \throws std::runtime_error  where the wanted one could not be written
  explicit output_file(std::string wanted_path);
  /// Removes the temporary file, if it was not finished.
  ~output_file();
  /// Where to write meanwhile.
  [[nodiscard]] const std::string& temporary_path() const { return temporary_path_; }
  /// Puts the file in its place. \throws std::runtime_error
  void finish();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

 private:
  std::string wanted_path_;
  std::string temporary_path_;
  bool finished_ = false;
};

}  // namespace emulate
