#include "machine_code/sass/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/source_text.hpp"
#include "machine_code/sass/parse.hpp"

namespace sass {
namespace {

constexpr std::string_view color_mark = "\033[1;33m", color_source = "\033[2m", color_end = "\033[0m";
constexpr std::size_t widest_instruction = 76;

std::string cut(const std::string& text, std::size_t width) {
  if (host::columns_of(text) <= width) return text;
  // Drops characters from the end until the text fits. Consecutive non-ASCII bytes are dropped together, so that no
  // UTF-8 character is cut.
  std::string shorter = text;
  while (host::columns_of(shorter) + 1 > width && !shorter.empty()) {
    do shorter.pop_back();
    while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0x80) != 0);
  }
  return shorter + "~";
}

/// Returns the source file from which most instructions come.
std::string main_file(const function& of) {
  std::map<std::string, std::size_t> instructions;
  for (const instruction& i : of.code) {
    if (i.source.line != 0) ++instructions[i.source.file];
  }
  const auto most = std::max_element(instructions.begin(), instructions.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == instructions.end() ? "" : most->first;
}

std::string range_of_lines(const function& of, const loop& one, const std::string& file) {
  std::set<unsigned> lines;
  for (std::size_t i = 0; i < one.contains.size(); ++i) {
    if (one.contains[i] && of.code[i].source.file == file && of.code[i].source.line != 0) {
      lines.insert(of.code[i].source.line);
    }
  }
  if (lines.empty()) return "";
  if (lines.size() == 1) return fmt::format(", line {}", *lines.begin());
  return fmt::format(", lines {}-{}", *lines.begin(), *lines.rbegin());
}

std::vector<bool> wanted_instructions(const function& of, const std::vector<loop>& loops, const listing_style& style) {
  std::vector<bool> wanted(of.size(), true);
  if (style.loop) {
    if (*style.loop == 0 || *style.loop > loops.size()) {
      throw error(fmt::format("{} has {} loop{}; there is no loop {}", shown_name(of.name), loops.size(),
                              loops.size() == 1 ? "" : "s", *style.loop));
    }
    wanted = loops[*style.loop - 1].contains;
  }
  if (style.lines) {
    const std::string file = main_file(of);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const source_line& where = of.code[i].source;
      if (where.file != file || where.line < style.lines->first || where.line > style.lines->second) wanted[i] = false;
    }
  }
  return wanted;
}

/// Makes the part of a listing that contains the instructions.
class instruction_lines {
 public:
  instruction_lines(const function& of, const listing_style& style) : of_(of), style_(style), file_(main_file(of)) {}

  std::vector<std::string> lines(const std::vector<bool>& wanted, const std::vector<std::size_t>& loops) {
    std::size_t width = 0;
    const bool whole = !style_.loop && !style_.lines;
    const std::size_t begin = whole && style_.fold_prologue ? prologue_size(of_) : 0;
    for (std::size_t i = begin; i < wanted.size(); ++i) {
      if (wanted[i]) width = std::max(width, instruction_text(of_.code[i]).size());
    }
    width = std::min(width, widest_instruction);
    std::vector<std::string> result;
    if (begin > 1) {
      result.push_back(fmt::format("{:#06x}  {} instructions that only prepare, up to {:#06x}; --all shows them",
                                   of_.code[0].address, begin, of_.code[begin - 1].address));
    }
    bool gap = false;
    for (std::size_t i = begin > 1 ? begin : 0; i < wanted.size(); ++i) {
      if (!wanted[i]) {
        gap = !result.empty();
        continue;
      }
      if (gap) result.emplace_back("...");
      if (gap) previous_ = {};
      gap = false;
      result.push_back(line(of_.code[i], loops[i], width));
    }
    return result;
  }

 private:
  std::string line(const instruction& i, std::size_t in_loop, std::size_t width) {
    const std::string loop_text = in_loop == 0 ? "" : std::to_string(in_loop);
    std::string_view mark = mark_of(i);
    std::string text = fmt::format("{:<{}} {:>1} ", instruction_text(i), width, loop_text);
    std::string source = source_text(i.source);
    text += style_.color && !mark.empty() ? fmt::format("{}{:<5}{}", color_mark, mark, color_end)
                                          : fmt::format("{:<5}", mark);
    const std::size_t used = width + 8;
    if (!source.empty() && used + 12 <= style_.width) {
      source = cut(source, style_.width - used - 1);
      text += style_.color ? fmt::format(" {}{}{}", color_source, source, color_end) : " " + source;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  /// Returns the source line if it differs from that of the instruction above.
  std::string source_text(const source_line& where) {
    if (where.line == 0 || (where.line == previous_.line && where.file == previous_.file)) return "";
    previous_ = where;
    const std::string name = where.file == file_ ? "" : where.file.substr(where.file.rfind('/') + 1) + ":";
    return fmt::format("{:>3} {}", name + std::to_string(where.line), line_of_file(where));
  }

  /// Returns the source line without its indentation, or an empty string if the file cannot be read.
  std::string line_of_file(const source_line& where) {
    const auto [file, is_new] = files_.try_emplace(where.file);
    if (is_new) file->second = host::read_source(where.file).value_or(std::vector<std::string>());
    if (where.line > file->second.size()) return {};
    const std::string& line = file->second[where.line - 1];
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }

  const function& of_;
  const listing_style& style_;
  std::string file_;
  std::map<std::string, std::vector<std::string>> files_;  ///< The lines of each source file, which is read only once.
  source_line previous_;
};

/// Returns the namespaces that all names begin with, such as "a::b::"; empty for fewer than two rows.
std::string common_namespace(const std::vector<counted>& rows) {
  if (rows.size() < 2) return "";
  std::string common = rows[0].name.substr(0, rows[0].name.find('<'));
  for (const counted& row : rows) {
    common.erase(std::ranges::mismatch(common, row.name).in1, common.end());
  }
  const std::size_t end = common.rfind("::");
  return end == std::string::npos ? "" : common.substr(0, end + 2);
}

std::vector<counted> rows_of(const function& of, const std::vector<loop>& loops) {
  const std::string file = main_file(of);
  std::vector<counted> rows = {{"whole kernel", count(of)}};
  rows[0].figures.registers = 0;  // The heading already shows the number.
  for (std::size_t k = 0; k < loops.size(); ++k) {
    rows.push_back({fmt::format("{}loop {}: {:#06x}-{:#06x}{}", std::string(loops[k].depth - 1, ' '), k + 1,
                                of.code[loops[k].head].address, of.code[loops[k].last()].address,
                                range_of_lines(of, loops[k], file)),
                    count(of, loops[k])});
  }
  return rows;
}

}  // namespace

std::string instruction_text(const instruction& i) {
  const std::string gap = i.operands.empty() ? "" : " ";
  return fmt::format("{:#06x}  {:<11}  {:>5} {}{}{}", i.address, to_text(i.scheduling), i.guard, i.opcode, gap,
                     i.operands);
}

std::string_view mark_of(const instruction& i) {
  if (i.what == kind::global_load || i.what == kind::global_store) return i.is_wide() ? "wide" : "";
  return facts_of(i.what).mark;
}

std::string warning_for(const std::string& architecture) {
  const auto number = architecture_number(architecture);
  if (number && layout_of(*number) == layout::known) return "";
  if (number && layout_of(*number) == layout::expected) {
    return fmt::format("{}: the control field is read as on sm_70 to sm_90; it is undocumented for this architecture",
                       architecture);
  }
  return fmt::format("{}: the control field is known from sm_70 (Volta) on", architecture);
}

std::vector<std::string> listing(const function& of, const listing_style& style) {
  const std::vector<loop> loops = find_loops(of);
  std::vector<std::string> result = {shown_name(of.name)};
  std::string facts = of.architecture;
  if (of.registers != 0) facts += fmt::format(", {} registers per thread", of.registers);
  facts += fmt::format(", {} instructions", of.size());
  if (const std::string file = main_file(of); !file.empty()) facts += ", " + host::shown_path(file);
  result.push_back(facts);
  result.emplace_back();
  result.emplace_back("addr    wait:rd:wr:yield:stall");
  const auto body =
      instruction_lines(of, style).lines(wanted_instructions(of, loops, style), innermost_loops(of, loops));
  result.insert(result.end(), body.begin(), body.end());
  result.emplace_back();
  const auto figures = table("instructions", rows_of(of, loops), style.width);
  result.insert(result.end(), figures.begin(), figures.end());
  return result;
}

std::vector<std::string> overview(const std::vector<const function*>& of, std::size_t width) {
  std::set<std::string> architectures;
  std::vector<counted> rows;
  for (const function* f : of) {
    architectures.insert(f->architecture);
    rows.push_back({shown_name(f->name), count(*f)});
  }
  // The common namespaces are shown only once.
  const std::string common = common_namespace(rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].name.erase(0, common.size());
    if (architectures.size() > 1) rows[k].name += " " + of[k]->architecture;
  }
  return table(common.empty() ? "kernel" : common, rows, width);
}

}  // namespace sass
