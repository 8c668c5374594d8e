#pragma once
/// \file
/// Selects the functions of a request from its files.

#include <deque>
#include <string>
#include <vector>

#include "machine_code/sass/instruction.hpp"
#include "machine_code/sass/program/command_line.hpp"
#include "machine_code/sass/program/device_code.hpp"

namespace sass_tool {

/// The functions of the requested architectures. Only those that the request needs are disassembled.
class selection {
 public:
  /// \throws host::usage_error  if a kernel or architecture does not exist; the message lists those that do
  /// \throws toolkit_error  if the disassembler is missing or has failed
  /// \throws sass::error    if the disassembler's output is damaged
  explicit selection(const request& wanted);

  /// Returns the functions in the order of the files.
  [[nodiscard]] const std::vector<const sass::function*>& functions() const { return chosen_; }
  /// Returns the function that `name` identifies. \throws host::usage_error  if it identifies no function or several
  [[nodiscard]] const sass::function& only(const std::string& name) const;
  /// Returns the version of the toolkit that assembled the functions, such as "13.0.88"; several versions separated by
  /// commas; or "unknown".
  [[nodiscard]] std::string toolkit() const;

 private:
  void read(const request& wanted);
  [[nodiscard]] std::vector<const sass::function*> named(const std::string& name) const;
  [[nodiscard]] std::string all_names() const;

  std::vector<device_code> code_;
  std::deque<sass::function> functions_;
  std::vector<const sass::function*> chosen_;
};

}  // namespace sass_tool
