#include "emulator/observers/source_names.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
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

/// The last identifier of "const T* __restrict__ in = nullptr".
std::string declared_name(std::string declaration) {
  declaration = declaration.substr(0, declaration.find('='));
  declaration = declaration.substr(0, declaration.find('['));
  std::size_t end = declaration.size();
  while (end > 0 && !host::in_name(declaration[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && host::in_name(declaration[begin - 1])) --begin;
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

/// Reads a number, with blanks around it, from `at` on, which is moved behind it; nothing where there is none.
std::optional<std::uint64_t> read_number(std::string_view text, std::size_t& at) {
  const auto skip = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  skip();
  const std::size_t begin = at;
  std::uint64_t value = 0;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at)
    value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
  if (at == begin) return {};
  skip();
  return value;
}

/// The value of "32" or "32 + 1"; nothing of what needs a compiler.
std::optional<std::uint64_t> value_of(std::string_view text) {
  std::size_t at = 0;
  const auto a = read_number(text, at);
  if (!a || at == text.size()) return a;
  const char operation = text[at++];
  const auto b = read_number(text, at);
  if (!b || at != text.size()) return {};
  return operation == '+'              ? std::optional(*a + *b)
         : operation == '*'            ? std::optional(*a * *b)
         : operation == '-' && *a > *b ? std::optional(*a - *b)
                                       : std::nullopt;
}

/// What stands in brackets from `at` on, which is moved behind them; nothing where no bracket opens there.
std::optional<std::string_view> in_brackets(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == ' ') ++at;
  const std::size_t end = text.find(']', at);
  if (at >= text.size() || text[at] != '[' || end == std::string_view::npos) return {};
  const std::string_view inside = text.substr(at + 1, end - at - 1);
  at = end + 1;
  return inside;
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
    if (found == std::string::npos || found > end || host::in_name(text[found - 1])) continue;
    std::vector<std::string> names;
    for (const std::string& part : parts_of_list(std::string_view(text).substr(found + name.size() + 1)))
      names.push_back(declared_name(part));
    return names;
  }
  return {};
}

std::uint64_t row_length(const kernel_facts& facts, const std::string& name, std::uint64_t elements) {
  if (elements == 0 || name.empty()) return 0;
  const std::string text = text_of(facts.file);
  // The declaration is the first mention with two pairs of brackets.
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at > 0 && host::in_name(text[at - 1])) || host::in_name(text[at + name.size()])) continue;
    std::size_t behind = at + name.size();
    const auto first = in_brackets(text, behind);
    const auto second = first ? in_brackets(text, behind) : std::nullopt;
    if (!second) continue;
    if (const auto columns = value_of(*second); columns && *columns != 0 && elements % *columns == 0) return *columns;
    if (const auto rows = value_of(*first); rows && *rows != 0 && elements % *rows == 0) return elements / *rows;
    return 0;
  }
  return 0;
}

}  // namespace emulator::observers
