#pragma once
/// \file
/// The functions that a request is about, out of all that its files hold.

#include <deque>
#include <string>
#include <vector>

#include "sass/instruction.hpp"
#include "sass/program/command_line.hpp"
#include "sass/program/device_code.hpp"

namespace sass_tool {

/// The functions of the wanted architectures, disassembled as far as the request needs them.
class selection {
 public:
  /// \throws host::usage_error    where a kernel or architecture is not there, naming what is
  /// \throws toolkit_error  where the disassembler is missing or failed
  /// \throws sass::error    where its text is damaged
  explicit selection(const request& wanted);

  /// In the order of the files.
  [[nodiscard]] const std::vector<const sass::function*>& functions() const { return chosen_; }
  /// The function that `name` means. \throws host::usage_error  where it is none or several
  [[nodiscard]] const sass::function& only(const std::string& name) const;
  /// The toolkit that assembled them: "13.0.88"; several apart by a comma; "unknown".
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
