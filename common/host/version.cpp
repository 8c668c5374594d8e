#include "host/version.hpp"

namespace host {

std::string version_text(const std::string& program) {
  const std::size_t slash = program.rfind('/');
  const std::string name = slash == std::string::npos ? program : program.substr(slash + 1);
  return name + " " WORKBOOK_VERSION " (Reduction Workbook)";
}

}  // namespace host
