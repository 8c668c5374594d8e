#include "machine_code/sass/parse.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "host/source_text.hpp"

namespace sass {
namespace {

constexpr std::uint64_t bytes_of_instruction = 16;

using host::trimmed;

/// Returns the number in base `base` that is written in `text`, or nothing if `text` isn't only a number.
template <class Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value = 0;
  const auto [stopped, wrong] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (wrong != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns a file's name without escapes. The disassembler writes non-ASCII bytes as a backslash and three octal
/// digits.
std::string without_escapes(std::string_view name) {
  std::string plain;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const auto byte = name[k] == '\\' ? number<unsigned>(name.substr(k + 1, 3), 8) : std::nullopt;
    plain += byte && *byte < 256 && k + 3 < name.size() ? static_cast<char>(*byte) : name[k];
    if (byte && *byte < 256 && k + 3 < name.size()) k += 3;
  }
  return plain;
}

/// Removes `/* … */` from the beginning of `text` and returns its contents.
std::optional<std::string_view> take_comment(std::string_view& text) {
  if (!text.starts_with("/*")) return std::nullopt;
  const std::size_t end = text.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = trimmed(text.substr(2, end - 2));
  text = trimmed(text.substr(end + 2));
  return inside;
}

/// Returns the text between the next two `"` and removes it from `text`.
std::string_view take_quoted(std::string_view& text) {
  const std::size_t begin = text.find('"');
  const std::size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view inside = text.substr(begin + 1, end - begin - 1);
  text = text.substr(end + 1);
  return inside;
}

class reader {
 public:
  std::vector<function> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++line_;
      take(trimmed(text.substr(0, end)));
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    finish();
    if (functions_.empty()) throw error("the disassembly holds no function");
    return std::move(functions_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw error(fmt::format("line {} of the disassembly: {}", line_, what));
  }

  void take(std::string_view line) {
    if (second_word_is_due_ && !line.starts_with("/*")) fail("the instruction before lacks its second word");
    if (line.empty()) return;
    if (line.starts_with("//##")) return take_source(line);
    if (line.starts_with("//")) return;
    if (line.starts_with("/*")) return take_instruction(line);
    if (line.starts_with(".target")) {
      architecture_ = std::string(trimmed(line.substr(7)));
      architecture_ = architecture_.substr(0, architecture_.find(','));
    } else if (line.starts_with(".section\t.text.") || line.starts_with(".section .text.")) {
      finish();
      const std::string_view name = line.substr(15);
      functions_.push_back({std::string(name.substr(0, name.find(','))), architecture_, 0, {}});
    } else if (constexpr std::string_view mark = "SHI_REGISTERS="; line.find(mark) != std::string_view::npos) {
      const std::string_view digits = line.substr(line.find(mark) + mark.size());
      if (!functions_.empty()) {
        functions_.back().registers = number<unsigned>(digits.substr(0, digits.find('"')), 10).value_or(0);
      }
    } else if (line.ends_with(":") && !functions_.empty()) {
      labels_[std::string(line.substr(0, line.size() - 1))] = functions_.back().code.size() * bytes_of_instruction;
    }
  }

  /// Parses `//## File "a.cuh", line 12 inlined at "b.cu", line 3`. There is one such line per level of inlining, the
  /// innermost first.
  void take_source(std::string_view line) {
    if (source_was_used_) chain_.clear();
    source_was_used_ = false;
    source_line where;
    where.file = without_escapes(take_quoted(line));
    constexpr std::string_view mark = ", line ";
    if (line.starts_with(mark)) {
      const std::string_view digits = line.substr(mark.size());
      where.line = number<unsigned>(digits.substr(0, digits.find_first_not_of("0123456789")), 10).value_or(0);
    }
    if (!where.file.empty() && where.line != 0) chain_.push_back(where);
  }

  /// Returns the innermost line that is in the same file as the outermost one. This is a line of the kernel's own file
  /// and not of a header.
  [[nodiscard]] source_line source() const {
    for (const source_line& where : chain_) {
      if (where.file == chain_.back().file) return where;
    }
    return {};
  }

  void take_instruction(std::string_view line) {
    const std::string_view whole = line;
    const auto first = take_comment(line);
    if (!first) fail("a comment does not end: " + std::string(whole));
    if (first->starts_with("0x")) return take_second_word(*first, line);
    if (second_word_is_due_) fail("the instruction before lacks its second word");
    const auto address = number<std::uint64_t>(*first, 16);
    if (!address) fail("not an address: " + std::string(*first));
    if (functions_.empty()) fail("an instruction outside of any function");
    std::vector<instruction>& code = functions_.back().code;
    if (*address != code.size() * bytes_of_instruction) {
      fail(fmt::format("address {:#06x} instead of {:#06x}", *address, code.size() * bytes_of_instruction));
    }
    const std::size_t end = line.find("/*");
    std::string_view words = trimmed(line.substr(0, end));
    if (end == std::string_view::npos) fail("an instruction without its encoding; nvdisasm writes it with -hex");
    if (words.ends_with(";")) words = trimmed(words.substr(0, words.size() - 1));
    std::string_view rest = line.substr(end);
    const auto low = take_comment(rest);
    const auto value = low && low->starts_with("0x") ? number<std::uint64_t>(low->substr(2), 16) : std::nullopt;
    if (!value) fail("an encoding that isn't a number");
    if (words.empty()) fail("an encoding without an instruction");
    instruction result = split(words);
    result.address = *address;
    result.encoding.low = *value;
    result.source = source();
    source_was_used_ = true;
    code.push_back(std::move(result));
    second_word_is_due_ = true;
  }

  void take_second_word(std::string_view digits, std::string_view rest) {
    const auto value = number<std::uint64_t>(digits.substr(2), 16);
    if (!value || !rest.empty()) fail("an encoding that isn't a number");
    if (!second_word_is_due_) fail("a second word without an instruction before it");
    instruction& last = functions_.back().code.back();
    last.encoding.high = *value;
    last.scheduling = decode_control(last.encoding);
    second_word_is_due_ = false;
  }

  static instruction split(std::string_view words) {
    instruction result;
    const auto take_word = [&words] {
      const std::string_view word = words.substr(0, words.find_first_of(" \t"));
      words = trimmed(words.substr(word.size()));
      return std::string(word);
    };
    if (words.starts_with("@")) result.guard = take_word();
    result.opcode = take_word();
    result.operands = std::string(words);
    result.what = kind_of(result.opcode);
    return result;
  }

  /// Ends the current function and replaces labels by addresses.
  void finish() {
    if (second_word_is_due_) fail("the last instruction lacks its second word");
    if (!functions_.empty()) {
      for (instruction& i : functions_.back().code) resolve(i);
    }
    labels_.clear();
    chain_.clear();
  }

  void resolve(instruction& i) const {
    const std::size_t begin = i.operands.find("`(");
    const std::size_t end = begin == std::string::npos ? begin : i.operands.find(')', begin);
    if (end == std::string::npos) return;
    const auto label = labels_.find(i.operands.substr(begin + 2, end - begin - 2));
    if (label == labels_.end()) {
      if (i.what != kind::branch || i.base() == "CALL" || i.base() == "RET") return;
      throw error(fmt::format("{} at {:#06x} goes to {}, which is nowhere", i.opcode, i.address,
                              i.operands.substr(begin + 2, end - begin - 2)));
    }
    i.target = label->second;
    i.operands.replace(begin, end - begin + 1, fmt::format("{:#06x}", label->second));
  }

  std::vector<function> functions_;
  std::map<std::string, std::uint64_t> labels_;
  std::vector<source_line> chain_;
  std::string architecture_;
  std::size_t line_ = 0;
  bool second_word_is_due_ = false;
  bool source_was_used_ = false;
};

}  // namespace

std::vector<function> parse(std::string_view text) {
  return reader().read(text);
}

}  // namespace sass
