#include "host/json_file.hpp"

#include <nlohmann/json.hpp>

namespace host {

void json_file::write(const nlohmann::json& value, int indent) {
  if (wanted()) output_file::write(value.dump(indent) + "\n");
}

}  // namespace host
