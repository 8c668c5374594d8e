#include "workbook/ablation.hpp"

#include <regex>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace workbook {
namespace {

/// An instruction as nvcc writes it: `@%p1 ld.global.v2.u32 {%r1, %r2}, [%rd4+8];`
struct instruction {
  std::string guard;      ///< "@%p1 ", or empty.
  std::string operation;  ///< "ld.global.v2.u32"
  std::string operands;   ///< "{%r1, %r2}, [%rd4+8]"
};

/// Reads a line; nothing where it is none: a label, a directive, a brace.
bool read(const std::string& line, instruction& into) {
  static const std::regex form(R"(^\s*(@!?%\w+\s+)?([a-z][a-z0-9_.:]*)\s+([^;]*);.*$)");
  static const std::regex bare(R"(^\s*(@!?%\w+\s+)?([a-z][a-z0-9_.:]*)\s*;.*$)");
  std::smatch m;
  if (std::regex_match(line, m, form)) {
    into = {m[1], m[2], m[3]};
    return true;
  }
  if (std::regex_match(line, m, bare)) {
    into = {m[1], m[2], ""};
    return true;
  }
  return false;
}

bool begins(const std::string& text, std::string_view with) {
  return text.compare(0, with.size(), with) == 0;
}

/// A load that no other thread waits for: weak, of data.
bool is_load(const instruction& i) {
  return begins(i.operation, "ld.global") && i.operation.find("volatile") == std::string::npos;
}
bool is_barrier(const instruction& i) {
  return begins(i.operation, "bar.sync") || begins(i.operation, "barrier.sync") ||
         begins(i.operation, "barrier.cta.sync");
}
bool is_exchange(const instruction& i) {
  return begins(i.operation, "bar.") || begins(i.operation, "barrier.") || begins(i.operation, "shfl.") ||
         begins(i.operation, "redux.") || begins(i.operation, "ld.shared") || begins(i.operation, "atom") ||
         begins(i.operation, "red.");
}

/// Parts of a list between commas, outside of braces and brackets.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (!parts.back().empty() || c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

/// The same load without memory: each register that it fills gets the address.
std::string without_memory(const instruction& load) {
  const std::vector<std::string> operands = parts_of(load.operands);
  static const std::regex address_form(R"(\[\s*(%\w+)\s*(\+\s*-?\w+)?\s*\])");
  std::smatch m;
  if (operands.size() != 2 || !std::regex_match(operands[1], m, address_form))
    throw std::runtime_error("a load of a form that is not known: " + load.operation + " " + load.operands);
  const std::string address = m[1], type = load.operation.substr(load.operation.rfind('.') + 1);
  std::string list = operands[0], text;
  if (list.front() == '{') list = list.substr(1, list.size() - 2);
  for (const std::string& into : parts_of(list)) {
    if (type == "f64" || type == "b64" || type == "u64" || type == "s64") {
      text += fmt::format("{}mov.b64 {}, {};\n", load.guard, into, address);
    } else if (type == "f32") {
      text += fmt::format("{0}cvt.u32.u64 %ablated_r, {2};\n{0}mov.b32 {1}, %ablated_r;\n", load.guard, into, address);
    } else if (type == "u32" || type == "s32" || type == "b32") {
      text += fmt::format("{}cvt.u32.u64 {}, {};\n", load.guard, into, address);
    } else if (into.find("%rs") != std::string::npos) {
      text += fmt::format("{}cvt.u16.u64 {}, {};\n", load.guard, into, address);
    } else {
      text += fmt::format("{}cvt.u32.u64 {}, {};\n", load.guard, into, address);
    }
  }
  return text;
}

/// The access, at the thread's own word.
std::string at_own_word(const instruction& access) {
  static const std::regex address_form(R"(\[[^\]]*\])");
  // Volatile, or two reads of the one word would become one.
  std::string operation = access.operation;
  operation.insert(2, ".volatile");
  return access.guard + operation + " " + std::regex_replace(access.operands, address_form, "[%ablated_own]") + ";\n";
}

/// Ends the thread in a way that the compiler cannot foresee: the kernel keeps its registers and its shared memory.
std::string end_here() {
  return "mov.u32 %ablated_r, %nctaid.y;\nsetp.ne.u32 %ablated_p, %ablated_r, 0;\n@%ablated_p ret;\n";
}

/// Ends the thread here, when what it has loaded has arrived: the compiler must not leave the loads out.
std::string end_behind(const instruction& exchange) {
  const std::vector<std::string> operands = parts_of(exchange.operands);
  std::string text;
  if ((begins(exchange.operation, "shfl.") || begins(exchange.operation, "redux.")) && operands.size() > 1) {
    text += fmt::format("setp.eq.b32 %ablated_p, {}, 0x9e3779b9;\n@%ablated_p trap;\n", operands[1]);
  }
  return text + end_here();
}

/// The bytes of an element in shared memory, by the accesses: the widest of them.
unsigned shared_width(const std::vector<std::string>& lines) {
  unsigned width = 4;
  for (const std::string& line : lines) {
    instruction i;
    if (!read(line, i) || (!begins(i.operation, "ld.shared") && !begins(i.operation, "st.shared"))) continue;
    if (i.operation.find("64") != std::string::npos) width = std::max(width, 8u);
    if (i.operation.find(".v2") != std::string::npos) width = std::max(width, 8u);
    if (i.operation.find(".v4") != std::string::npos) width = 16;
  }
  return width;
}

/// Declares what the edited instructions use; `%ablated_own` is the thread's own word, inside what the block has.
std::string declarations(const std::string& shared_symbol, unsigned width) {
  std::string text = ".reg .pred %ablated_p;\n.reg .b32 %ablated_r, %ablated_own, %ablated_end;\n";
  if (shared_symbol.empty()) return text;
  text += fmt::format(
      "mov.u32 %ablated_own, %tid.x;\nmul.lo.u32 %ablated_own, %ablated_own, {0};\n"
      "mov.u32 %ablated_end, %dynamic_smem_size;\nmax.u32 %ablated_end, %ablated_end, {0};\n"
      "sub.u32 %ablated_end, %ablated_end, {0};\nmin.u32 %ablated_own, %ablated_own, %ablated_end;\n"
      "mov.u32 %ablated_r, {1};\nadd.u32 %ablated_own, %ablated_own, %ablated_r;\n",
      width, shared_symbol);
  return text;
}

struct taken {
  bool loads = false, barriers = false, conflicts = false;
};

taken taken_out(ablation left) {
  switch (left) {
    case ablation::no_loads:
      return {.loads = true};
    case ablation::no_barriers:
      return {.barriers = true};
    case ablation::no_conflicts:
      return {.conflicts = true};
    case ablation::conflicts_only:
      return {.loads = true, .barriers = true};
    case ablation::barriers_only:
      return {.loads = true, .conflicts = true};
    case ablation::loads_only:
      return {.barriers = true, .conflicts = true};
    case ablation::instructions:
      return {.loads = true, .barriers = true, .conflicts = true};
    default:
      return {};
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

/// The dynamic shared array, if the module has one.
std::string dynamic_shared_of(const std::vector<std::string>& lines) {
  static const std::regex form(R"(^\s*\.extern\s+\.shared\s.*\s([\w$]+)\[\];.*$)");
  std::smatch m;
  for (const std::string& line : lines) {
    if (std::regex_match(line, m, form)) return m[1];
  }
  return {};
}

}  // namespace

std::string_view name_of(ablation what) {
  switch (what) {
    case ablation::whole:
      return "whole";
    case ablation::empty:
      return "empty";
    case ablation::loads:
      return "loads";
    case ablation::no_loads:
      return "no_loads";
    case ablation::no_barriers:
      return "no_barriers";
    case ablation::no_conflicts:
      return "no_conflicts";
    case ablation::conflicts_only:
      return "conflicts_only";
    case ablation::barriers_only:
      return "barriers_only";
    case ablation::loads_only:
      return "loads_only";
    case ablation::instructions:
      return "instructions";
    case ablation::half_resident:
      return "half_resident";
  }
  return "";
}

std::string ablated(std::string_view ptx, ablation left) {
  if (left == ablation::whole || left == ablation::half_resident) return std::string(ptx);
  const std::vector<std::string> lines = lines_of(ptx);
  const taken out = taken_out(left);
  const std::string shared = dynamic_shared_of(lines);
  const bool own_words = out.conflicts && !shared.empty();
  std::string text;
  bool in_kernel = false, begun = false, cut = false;
  for (const std::string& line : lines) {
    instruction i;
    if (line.find(".entry") != std::string::npos) in_kernel = true;
    if (!in_kernel || !read(line, i)) {
      text += line + "\n";
      continue;
    }
    if (!begun) {
      begun = true;
      text += declarations(own_words ? shared : std::string(), shared_width(lines));
      if (left == ablation::empty) text += end_here();
    }
    if (left == ablation::loads && !cut && is_exchange(i)) {
      cut = true;
      text += end_behind(i);
    }
    if (out.loads && is_load(i)) {
      text += without_memory(i);
    } else if (out.barriers && is_barrier(i)) {
      // Not nothing: the compiler would order the accesses around it anew, and that is another kernel.
      text += i.guard + "bar.warp.sync 0xffffffff;\n";
    } else if (own_words && (begins(i.operation, "ld.shared") || begins(i.operation, "st.shared"))) {
      text += at_own_word(i);
    } else {
      text += line + "\n";
    }
  }
  if (left == ablation::loads && !cut) throw std::runtime_error("its threads exchange nothing: all of it is loads");
  return text;
}

}  // namespace workbook
