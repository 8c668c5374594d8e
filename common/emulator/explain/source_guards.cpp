#include "emulator/explain/source_guards.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "host/source_text.hpp"

namespace emulator::explain {
namespace {

using host::trimmed;

/// Returns a line without the comment at its end.
std::string_view code_of(std::string_view line) {
  return line.substr(0, line.find("//"));
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word && (text.size() == word.size() || !host::in_name(text[word.size()]));
}

/// Returns the position of the bracket that closes the one at `open`; npos if it isn't in this text.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    if (text[k] == '(' || text[k] == '[') ++depth;
    if ((text[k] == ')' || text[k] == ']') && --depth == 0) return k;
  }
  return std::string_view::npos;
}

/// A head such as "if (i < n)": its condition, and the position of its end.
struct head {
  std::string condition;
  std::size_t end = 0;
};

/// Returns the condition of an `if`, `while` or `for` that begins at `at`; nullopt if none begins there, or if it is
/// `if constexpr`.
std::optional<head> head_at(std::string_view code, std::size_t at) {
  if (at > 0 && host::in_name(code[at - 1])) return {};
  const std::string_view rest = code.substr(at);
  const bool is_for = starts_with_word(rest, "for");
  if (!is_for && !starts_with_word(rest, "if") && !starts_with_word(rest, "while")) return {};
  const std::size_t open = code.find_first_not_of(' ', at + (is_for ? 3 : rest[0] == 'i' ? 2 : 5));
  if (open == std::string_view::npos || code[open] != '(') return {};
  const std::size_t close = closing(code, open);
  if (close == std::string_view::npos) return {};
  std::string_view inside = code.substr(open + 1, close - open - 1);
  if (is_for) {
    const std::size_t first = inside.find(';');
    const std::size_t second = first == std::string_view::npos ? first : inside.find(';', first + 1);
    if (second == std::string_view::npos) return {};
    inside = inside.substr(first + 1, second - first - 1);
  }
  return head{std::string(trimmed(inside)), close + 1};
}

/// Returns the last condition in one line before `column`: of an `if` or a loop whose head ends there, or of `a ? b :
/// c`.
std::optional<head> head_within(std::string_view code, std::size_t column) {
  std::optional<head> last;
  for (std::size_t k = 0; k < std::min(column, code.size()); ++k)
    if (std::optional<head> h = head_at(code, k); h && h->end <= column) last = std::move(h);
  const std::size_t mark = code.substr(0, column).rfind(" ? ");
  if (mark == std::string_view::npos || (last && mark < last->end)) return last;
  if (code.substr(mark, column - mark).find(" : ") != std::string_view::npos)
    return head{};  // in the part for a false
                    // condition
  std::size_t begin = mark;
  for (int depth = 0; begin > 0; --begin) {
    const char c = code[begin - 1];
    if (c == ')' || c == ']') ++depth;
    if ((c == '(' || c == '[') && --depth < 0) break;
    const bool assigned = c == '=' && begin < code.size() && code[begin] == ' ' && begin > 1 &&
                          std::string_view("=<>!").find(code[begin - 2]) == std::string_view::npos;
    if (depth == 0 && (c == ',' || c == ';' || assigned)) break;
  }
  std::string_view condition = trimmed(code.substr(begin, mark - begin));
  if (starts_with_word(condition, "return")) condition = trimmed(condition.substr(6));
  return head{std::string(condition), mark + 3};
}

/// Returns a line without its indentation and its comment.
std::string_view text_of(const std::vector<std::string>& lines, std::uint32_t line) {
  const std::string_view code = trimmed(code_of(lines[line - 1]));
  return code.starts_with('#') ? std::string_view() : code;
}

/// Returns true if the head of a function that ends in line `k` is a kernel's. For other functions, the caller may have
/// a condition.
bool is_kernel_head(const std::vector<std::string>& lines, std::uint32_t k) {
  for (std::uint32_t back = 0; back < 4 && back < k; ++back) {
    const std::string& text = lines[k - 1 - back];
    if (text.find("__global__") != std::string::npos) return true;
    if (text.empty() || text.front() == '}') return false;
  }
  return false;
}

/// An occurrence of `array[index]` in a line.
struct mention {
  std::string index;
  std::size_t column = 0;  ///< Column of the array's name.
  std::string behind;      ///< The text that follows.
};

std::vector<mention> mentions_of(std::string_view code, const std::string& array) {
  std::vector<mention> all;
  for (std::size_t at = code.find(array); at != std::string_view::npos; at = code.find(array, at + 1)) {
    const std::size_t open = at + array.size();
    if ((at > 0 && host::in_name(code[at - 1])) || open >= code.size() || code[open] != '[') continue;
    const std::size_t close = closing(code, open);
    if (close == std::string_view::npos || (close + 1 < code.size() && code[close + 1] == '[')) continue;
    const std::string_view index = trimmed(code.substr(open + 1, close - open - 1));
    all.push_back({std::string(index), at, std::string(trimmed(code.substr(close + 1)))});
  }
  return all;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (!host::in_name(text[k]) || std::isdigit(static_cast<unsigned char>(text[k])) != 0) continue;
    std::size_t end = k;
    while (end < text.size() && (host::in_name(text[end]) || text[end] == '.')) ++end;
    names.emplace_back(text.substr(k, end - k));
    k = end;
  }
  return names;
}

/// The source text that encloses a place or precedes it.
struct surrounding {
  enum kind { stands_in, leaves, unclear, function };
  kind what = unclear;
  std::string condition;
  std::uint32_t line = 0;
};

/// Searches upwards and outwards from a line to the head of the function. Nesting is determined by braces, not by
/// indentation.
class outward {
 public:
  outward(const std::vector<std::string>& lines, std::uint32_t line) : lines_(lines), line_(line) {}

  /// Returns the next condition; nullopt after the function's head.
  std::optional<surrounding> next() {
    if (done_) return {};
    while (--line_ > 0) {
      const std::string_view text = text_of(lines_, line_);
      if (text.empty()) continue;
      std::optional<surrounding> found = same_statement_ ? within_statement(text) : std::nullopt;
      if (!found) found = between_statements(text);
      if (!found) continue;
      done_ = found->what == surrounding::function;
      return found;
    }
    done_ = true;
    return {};
  }

 private:
  /// The line above belongs to the same statement unless it ends with one of these characters: "if (i < n)" without
  /// braces does not.
  std::optional<surrounding> within_statement(std::string_view text) {
    if (std::string_view(";{}:").find(text.back()) != std::string_view::npos) {
      same_statement_ = false;
      return {};
    }
    if (text.find("else") == 0 || text.find("} else") == 0) return surrounding{surrounding::unclear, {}, line_};
    return condition_of(text);
  }

  std::optional<surrounding> between_statements(std::string_view text) {
    if (same_statement_) return {};
    const int before = depth_;
    for (std::size_t k = text.size(); k-- > 0;) {
      if (text[k] == '}') ++depth_;
      if (text[k] != '{') continue;
      if (depth_ > 0)
        --depth_;
      else
        return around(text.substr(0, k));
    }
    if (before != 0 || depth_ != 0) return {};
    const std::optional<head> h = head_at(text, 0);
    const bool leaves = h && !is_constant(text) && starts_with_word(trimmed(text.substr(h->end)), "return");
    return leaves ? std::optional(surrounding{surrounding::leaves, h->condition, line_}) : std::nullopt;
  }

  /// Handles the head of a block in braces.
  std::optional<surrounding> around(std::string_view last) {
    while (trimmed(last).empty() && line_ > 1) last = text_of(lines_, --line_);
    // A head of several lines begins in the line where its brackets are balanced.
    std::string head(last);
    constexpr unsigned max_lines = 8;
    for (unsigned k = 0; k < max_lines && line_ > 1 && unclosed(head) != 0; ++k)
      head = std::string(text_of(lines_, --line_)) + " " + head;
    if (head.find("else") == 0 || head.find("} else") == 0 || starts_with_word(head, "switch") ||
        starts_with_word(head, "do") || head.find("[&]") != std::string_view::npos ||
        head.find("[=]") != std::string_view::npos)
      return surrounding{surrounding::unclear, {}, line_};
    if (std::optional<surrounding> s = condition_of(head)) return s;
    if (is_constant(head)) return {};
    return surrounding{surrounding::function, {}, line_};
  }
  static long unclosed(const std::string& text) {
    return std::count(text.begin(), text.end(), ')') - std::count(text.begin(), text.end(), '(');
  }

  static bool is_constant(std::string_view text) { return text.find("if constexpr") == 0; }

  /// Returns the condition of a line that begins with `if`, `for` or `while`; unclear if the condition continues in the
  /// next line.
  std::optional<surrounding> condition_of(std::string_view text) {
    if (is_constant(text)) return {};
    if (const std::optional<head> h = head_at(text, 0)) return surrounding{surrounding::stands_in, h->condition, line_};
    if (starts_with_word(text, "if") || starts_with_word(text, "for") || starts_with_word(text, "while"))
      return surrounding{surrounding::unclear, {}, line_};
    return {};
  }

  const std::vector<std::string>& lines_;
  std::uint32_t line_;
  bool same_statement_ = true, done_ = false;
  int depth_ = 0;
};

}  // namespace

std::optional<guard> guard_of(const std::vector<std::string>& lines, std::uint32_t line, std::size_t column) {
  if (line == 0 || line > lines.size()) return {};
  if (const std::optional<head> h = head_within(code_of(lines[line - 1]), column))
    return h->condition.empty() ? std::nullopt : std::optional(guard{h->condition, line, false});
  outward way(lines, line);
  while (const std::optional<surrounding> s = way.next()) {
    if (s->what == surrounding::unclear) return {};
    if (s->what == surrounding::function) return is_kernel_head(lines, s->line) ? std::optional(guard{}) : std::nullopt;
    return guard{s->condition, s->line, s->what == surrounding::leaves};
  }
  return {};
}

std::optional<guard> early_return(const std::vector<std::string>& lines, std::uint32_t line) {
  std::optional<guard> first;
  if (line == 0 || line > lines.size()) return first;
  outward way(lines, line);
  while (const std::optional<surrounding> s = way.next()) {
    if (s->what == surrounding::function) break;
    if (s->what == surrounding::leaves) first = guard{s->condition, s->line, true};
  }
  return first;
}

std::vector<std::string> bit_fields_in(const std::vector<std::string>& lines, std::uint32_t line) {
  std::vector<std::string> found;
  if (line == 0 || line > lines.size()) return found;
  // "name : 4", but not "name::" or "a ? name : b".
  const auto declared = [&](const std::string& name) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) {
      const std::string_view code = code_of(l);
      const std::size_t at = code.find(name);
      if (at == std::string_view::npos || (at > 0 && code[at - 1] != ' ') || code.find('?') != std::string_view::npos)
        return false;
      const std::string_view behind = trimmed(code.substr(at + name.size()));
      return behind.size() > 1 && behind[0] == ':' &&
             std::isdigit(static_cast<unsigned char>(trimmed(behind.substr(1)).front())) != 0;
    });
  };
  for (const std::string& name : names_in(code_of(lines[line - 1]))) {
    const std::size_t dot = name.rfind('.');
    const std::string member = name.substr(dot == std::string::npos ? 0 : dot + 1);
    if (!member.empty() && std::find(found.begin(), found.end(), member) == found.end() && declared(member))
      found.push_back(member);
  }
  return found;
}

bool mentions_index(const std::string& condition, const std::vector<std::string>& lines, std::uint32_t line,
                    const std::string& array) {
  if (line == 0 || line > lines.size() || array.empty()) return false;
  const std::vector<std::string> of_condition = names_in(condition);
  const std::vector<mention> all = mentions_of(code_of(lines[line - 1]), array);
  return std::any_of(all.begin(), all.end(), [&](const mention& m) {
    const std::vector<std::string> of_index = names_in(m.index);
    return std::any_of(of_index.begin(), of_index.end(), [&](const std::string& name) {
      return std::find(of_condition.begin(), of_condition.end(), name) != of_condition.end();
    });
  });
}

std::optional<written_index> index_of(const std::vector<std::string>& lines, std::uint32_t line,
                                      const std::string& array, bool writes, std::uint32_t thread, bool first_block,
                                      std::int64_t index) {
  if (line == 0 || line > lines.size() || array.empty()) return {};
  std::vector<written_index> found;
  for (mention& m : mentions_of(code_of(lines[line - 1]), array)) {
    const std::string& behind = m.behind;
    const bool plain = behind.substr(0, 1) == "=" && behind.substr(0, 2) != "==";
    const bool compound =
        behind.size() > 1 && behind[1] == '=' && std::string_view("+-*/|&^").find(behind[0]) != std::string_view::npos;
    if (writes ? !plain && !compound : plain) continue;
    const auto known = [&](const written_index& w) { return w.text == m.index; };
    if (std::none_of(found.begin(), found.end(), known)) found.push_back({std::move(m.index), m.column});
  }
  // A variable that is set to the thread's number has that value.
  const auto is_other_thread = [&](const written_index& w) {
    if (static_cast<std::int64_t>(thread) == index) return false;
    if (w.text == "threadIdx.x") return true;
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) {
      const std::string_view code = code_of(l);
      const std::size_t at = code.find(w.text + " = ");
      if (at == std::string_view::npos || (at > 0 && host::in_name(code[at - 1]))) return false;
      const std::string_view value = code.substr(at + w.text.size() + 3);
      const bool is_sum = value.find("blockIdx.x") != std::string_view::npos &&
                          (value.ends_with("+ threadIdx.x;") || value.ends_with("+ tid;"));
      // In block 0, the index in the whole array is the one in the block.
      return value == "threadIdx.x;" || (first_block && is_sum);
    });
  };
  if (found.size() > 1) std::erase_if(found, is_other_thread);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

}  // namespace emulator::explain
