#include "workbook/exercise_version.hpp"

#include <fstream>
#include <iterator>

#include "host/sha256.hpp"

namespace workbook {
namespace {

/// "chapters/03_sequential_addressing/reduce.cuh" of any path to it.
std::string shown_path(const std::string& path) {
  std::size_t at = path.size();
  for (int parts = 0; parts < 3 && at != std::string::npos && at > 0; ++parts) at = path.rfind('/', at - 1);
  return at == std::string::npos ? path : path.substr(at + 1);
}

}  // namespace

std::optional<std::string> other_exercise(const std::string& path, const std::string& sha256, int number) {
  if (path.empty() || sha256.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || host::sha256(text) == sha256) return {};
  return "This program was built from another version of\n" + shown_path(path) + ": run `make chapter" +
         std::to_string(number) + "`.\n";
}

}  // namespace workbook
