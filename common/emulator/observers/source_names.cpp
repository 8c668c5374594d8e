#include "emulator/observers/source_names.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <string_view>

#include "host/source_text.hpp"

namespace emulator::observers {
namespace {

/// The text of a file in one piece, without comments at the ends of lines; empty where it cannot be read.
std::string text_of(const std::string& path) {
  const std::optional<std::vector<std::string>> lines = host::read_source(path);
  std::string text;
  if (!lines) return text;
  for (const std::string& line : *lines) text += line.substr(0, line.find("//")) + '\n';
  return text;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The last identifier of "const T* __restrict__ in = nullptr".
std::string declared_name(std::string declaration) {
  declaration = declaration.substr(0, declaration.find('='));
  declaration = declaration.substr(0, declaration.find('['));
  std::size_t end = declaration.size();
  while (end > 0 && !in_word(declaration[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && in_word(declaration[begin - 1])) --begin;
  return declaration.substr(begin, end - begin);
}

/// The parts of a list, from behind its opening bracket to the one that closes it.
std::vector<std::string> parts_of_list(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == ')' && depth == 0) break;
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// The value of "32" or "32 + 1"; nothing of what needs a compiler.
std::optional<std::uint64_t> value_of(const std::string& text) {
  static const std::regex form(R"(\s*(\d+)\s*(?:([+*-])\s*(\d+)\s*)?)");
  std::smatch m;
  if (!std::regex_match(text, m, form)) return {};
  const std::uint64_t a = std::stoull(m[1]);
  if (!m[2].matched) return a;
  const std::uint64_t b = std::stoull(m[3]);
  return m[2] == "+" ? a + b : m[2] == "*" ? a * b : a - b;
}

}  // namespace

std::string kernel_name(const std::string& demangled) {
  static const std::string unnamed = "(anonymous namespace)::";
  std::string name = demangled;
  for (std::size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
  name = name.substr(0, name.find_first_of("<("));
  return name.substr(name.find_last_of(" :") + 1);
}

std::vector<std::string> parameter_names(const kernel_facts& facts) {
  const std::string text = text_of(facts.file);
  const std::string name = kernel_name(facts.demangled);
  if (name.empty()) return {};
  for (std::size_t at = text.find("__global__"); at != std::string::npos; at = text.find("__global__", at + 1)) {
    const std::size_t end = text.find_first_of("{;", at);
    const std::size_t found = text.find(name + "(", at);
    if (found == std::string::npos || found > end || in_word(text[found - 1])) continue;
    std::vector<std::string> names;
    for (const std::string& part : parts_of_list(std::string_view(text).substr(found + name.size() + 1)))
      names.push_back(declared_name(part));
    return names;
  }
  return {};
}

std::uint64_t row_length(const kernel_facts& facts, const std::string& name, std::uint64_t elements) {
  static const std::string identifier = R"(^[A-Za-z_]\w*$)";
  if (elements == 0 || !std::regex_match(name, std::regex(identifier))) return 0;
  const std::regex form("\\b" + name + R"(\s*\[([^\]]*)\]\s*\[([^\]]*)\])");
  // The declaration is the first mention.
  const std::string text = text_of(facts.file);
  std::smatch m;
  if (!std::regex_search(text, m, form)) return 0;
  if (const auto columns = value_of(m[2]); columns && *columns != 0 && elements % *columns == 0) return *columns;
  if (const auto rows = value_of(m[1]); rows && *rows != 0 && elements % *rows == 0) return elements / *rows;
  return 0;
}

}  // namespace emulator::observers
