#include "host/json_file.hpp"

#include <nlohmann/json.hpp>

namespace host {

void json_file::write(const nlohmann::json& value, int indent) {
  // A text can be anything, such as what a kernel printed: bytes that are no UTF-8 must not cost the report.
  constexpr auto replaced = nlohmann::json::error_handler_t::replace;
  if (wanted()) output_file::write(value.dump(indent, ' ', false, replaced) + "\n");
}

}  // namespace host
