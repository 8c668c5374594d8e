#pragma once
/// \file
/// The file of `--json`.

#include <nlohmann/json_fwd.hpp>

#include "host/output_file.hpp"

namespace host {

class json_file : public output_file {
 public:
  using output_file::output_file;
  /// Writes `value`, `indent` blanks for each level.
  void write(const nlohmann::json& value, int indent = 2);
};

}  // namespace host
