#pragma once
/// \file
/// Output files that appear complete or not at all.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace host {

/// The kind of a program's output. Data must not overwrite source files, because that can only be a mistake.
enum class contents { data, source };

/// The target of an option such as `--json`: a file, "-" for standard output, or nothing if the path is empty. A file
/// is written under a temporary name in the same folder and renamed when it is complete. Links are followed. Devices
/// and pipes are written directly.
class output_file {
 public:
  /// Checks that the file can be written, before any work is done for it.
  /// \throws usage_error  if it cannot be written
  explicit output_file(std::string path, contents what = contents::data);
  /// Removes the temporary file if nothing was written.
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Returns true if there is a target.
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  /// Returns true if the target is standard output. Then nothing else must be printed there.
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }
  /// If the target is standard output, reserves it for this file from now on. Other output of the process to it is
  /// redirected to standard error.
  void claim();
  /// Writes all bytes; must be called at most once. \throws std::runtime_error  if the disk accepts only a part
  void write(std::string_view bytes);

 private:
  std::string path_;
  std::string place_;           ///< `path_` with links resolved.
  std::string temporary_path_;  ///< Empty if there is no temporary file.
  int claimed_ = -1;            ///< The original standard output if it was claimed, else -1.
};

/// The output file of `--json`.
class json_file : public output_file {
 public:
  using output_file::output_file;
  /// Writes `value` with `indent` blanks for each level.
  void write(const nlohmann::json& value, int indent = 2);
};

}  // namespace host
