#pragma once
/// \file
/// Files that appear whole or not at all.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace host {

/// What a program writes: data takes the place of no source text, for nobody can have meant that.
enum class contents { data, source };

/// What an option such as `--json` names: a file, "-" for standard output, or nothing where the path is empty. The
/// file is written beside its place first, and takes its name once it is whole; a link is followed. What is no file, a
/// device or a pipe, is written to as it is.
class output_file {
 public:
  /// Finds out whether the file can be written, before any work is done for it.
  /// \throws usage_error  where it cannot
  explicit output_file(std::string path, contents what = contents::data);
  /// Leaves nothing behind where nothing was written.
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Says whether there is a place to write to.
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  /// Says whether that is standard output, where nothing else must be printed then.
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }
  /// Where it is standard output: makes that this file's alone from here on. What anything else in the process prints
  /// there goes to standard error.
  void claim();
  /// Writes all of it; called once. \throws std::runtime_error  where the disk takes only a part
  void write(std::string_view bytes);

 private:
  std::string path_;
  std::string place_;           ///< Where a link in `path_` leads.
  std::string temporary_path_;  ///< Empty where there is none, or no longer.
  int claimed_ = -1;            ///< What standard output was, where it was claimed.
};

/// The file of `--json`.
class json_file : public output_file {
 public:
  using output_file::output_file;
  /// Writes `value`, `indent` blanks for each level.
  void write(const nlohmann::json& value, int indent = 2);
};

}  // namespace host
