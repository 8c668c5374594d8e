#include "emulator/explain/source_names.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "host/source_text.hpp"

namespace emulator::explain {
namespace {

/// Returns the contents of a file without comments at the ends of lines; empty if it can't be read.
std::string text_of(const std::string& path) {
  const std::optional<std::vector<std::string>> lines = host::read_source(path);
  std::string text;
  if (!lines) return text;
  for (const std::string& line : *lines) text += line.substr(0, line.find("//")) + '\n';
  return text;
}

/// Returns the last identifier of a declaration: "in" for "const T* __restrict__ in = nullptr".
std::string declared_name(std::string declaration) {
  declaration = declaration.substr(0, declaration.find('='));
  declaration = declaration.substr(0, declaration.find('['));
  std::size_t end = declaration.size();
  while (end > 0 && !host::in_name(declaration[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && host::in_name(declaration[begin - 1])) --begin;
  return declaration.substr(begin, end - begin);
}

/// Returns the parts of a list that begins after the opening bracket and ends at the bracket that closes it.
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

/// Reads the digits at `at` and moves `at` after them; nullopt if there are none.
std::optional<std::uint64_t> read_number(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  std::uint64_t value = 0;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at)
    value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return at == begin ? std::nullopt : std::optional(value);
}

void skip_blanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == ' ') ++at;
}

/// Finds the first position >= `at` at which `name` is a whole word.
std::size_t find_word(std::string_view text, std::string_view name, std::size_t at) {
  for (at = text.find(name, at); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !host::in_name(text[at - 1])) && (end == text.size() || !host::in_name(text[end]))) return at;
  }
  return at;
}

/// Returns the value of a constant that `source` defines as "constexpr int a = 16, name = 32;" or "#define name 32";
/// nullopt if there is none, or if several of that name differ.
std::optional<std::uint64_t> constant_named(std::string_view source, std::string_view name) {
  constexpr std::string_view define = "#define ";
  std::optional<std::uint64_t> found;
  for (std::size_t at = find_word(source, name, 0); at != std::string_view::npos;
       at = find_word(source, name, at + 1)) {
    std::size_t behind = at + name.size();
    skip_blanks(source, behind);
    const bool is_macro = at >= define.size() && source.substr(at - define.size(), define.size()) == define;
    const bool is_set = behind + 1 < source.size() && source[behind] == '=' && source[behind + 1] != '=';
    if (!is_macro && !is_set) continue;
    const std::size_t end_of_last = source.find_last_of(";{}#", at);
    const std::size_t begin = end_of_last == std::string_view::npos ? 0 : end_of_last;
    if (is_set && source.substr(begin, at - begin).find("const") == std::string_view::npos) continue;
    behind += is_set ? 1 : 0;
    skip_blanks(source, behind);
    const std::optional<std::uint64_t> value = read_number(source, behind);
    skip_blanks(source, behind);
    const bool ends = behind == source.size() || source.substr(behind, 1).find_first_of(",;\n") == 0;
    if (!value || !ends || (found && *found != *value)) return {};
    found = value;
  }
  return found;
}

/// Returns the value of "32", "32 + 1" or "columns + 1"; nullopt if it would need a compiler.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view source) {
  std::size_t at = 0;
  const auto read = [&]() -> std::optional<std::uint64_t> {
    skip_blanks(text, at);
    std::size_t end = at;
    while (end < text.size() && host::in_name(text[end])) ++end;
    const bool is_name = end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0;
    const auto value = is_name ? constant_named(source, text.substr(at, end - at)) : read_number(text, at);
    if (is_name) at = end;
    skip_blanks(text, at);
    return value;
  };
  const auto a = read();
  if (!a || at == text.size()) return a;
  const char operation = text[at++];
  const auto b = read();
  if (!b || at != text.size()) return {};
  return operation == '+'              ? std::optional(*a + *b)
         : operation == '*'            ? std::optional(*a * *b)
         : operation == '-' && *a > *b ? std::optional(*a - *b)
                                       : std::nullopt;
}

/// Returns the text in brackets at `at` and moves `at` after them; nullopt if no bracket opens there.
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

std::vector<std::string> parameter_names(const observers::kernel_facts& facts) {
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

std::uint64_t row_length(const observers::kernel_facts& facts, const std::string& name, std::uint64_t elements) {
  if (elements == 0 || name.empty()) return 0;
  const std::string text = text_of(facts.file);
  // The declaration is the first occurrence with two pairs of brackets.
  for (std::size_t at = find_word(text, name, 0); at != std::string::npos; at = find_word(text, name, at + 1)) {
    std::size_t behind = at + name.size();
    const auto first = in_brackets(text, behind);
    const auto second = first ? in_brackets(text, behind) : std::nullopt;
    if (!second) continue;
    const auto rows = value_of(*first, text), columns = value_of(*second, text);
    if (rows && columns && *rows * *columns != elements) return 0;
    if (columns && *columns != 0 && elements % *columns == 0) return *columns;
    if (rows && *rows != 0 && elements % *rows == 0) return elements / *rows;
    return 0;
  }
  return 0;
}

}  // namespace emulator::explain
