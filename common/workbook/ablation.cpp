#include "workbook/ablation.hpp"

#include <cstddef>
#include <iterator>
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

/// Parses an instruction. Returns false if the line is a label, a directive or a brace instead.
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

/// Returns true if one of the operation's suffixes, which follow a dot, is `word`, such as "shared" in
/// `ld.volatile.shared::cta.u32`.
bool has_word(const std::string& operation, std::string_view word) {
  for (std::size_t dot = operation.find('.'); dot != std::string::npos; dot = operation.find('.', dot + 1)) {
    if (operation.compare(dot + 1, word.size(), word) != 0) continue;
    const std::size_t end = dot + 1 + word.size();
    if (end == operation.size() || operation[end] == '.' || operation[end] == ':') return true;
  }
  return false;
}

bool is_access(const instruction& i) {
  return i.operation.starts_with("ld.") || i.operation.starts_with("st.");
}
/// Returns true for a weak load of data, which does not synchronise with other threads.
bool is_load(const instruction& i) {
  return i.operation.starts_with("ld.global") && !has_word(i.operation, "volatile");
}
bool is_shared(const instruction& i) {
  return is_access(i) && has_word(i.operation, "shared");
}
/// Returns true for a shared access with an address in a register, which may differ between lanes. A variable accessed
/// by its name has no bank conflicts.
bool is_indexed_shared(const instruction& i) {
  return is_shared(i) && i.operands.find("[%") != std::string::npos;
}
/// Returns true for an access through a generic pointer, whose memory space the compiler does not know.
bool is_anywhere(const instruction& i) {
  if (!is_access(i)) return false;
  for (const std::string_view space : {"global", "shared", "local", "param", "const"})
    if (has_word(i.operation, space)) return false;
  return true;
}
bool is_any_barrier(const instruction& i) {
  return (i.operation.starts_with("bar.") || i.operation.starts_with("barrier.")) && !has_word(i.operation, "warp");
}
/// Returns true for a barrier that only waits.
bool is_barrier(const instruction& i) {
  return is_any_barrier(i) && has_word(i.operation, "sync");
}
bool is_exchange(const instruction& i) {
  return i.operation.starts_with("bar.") || i.operation.starts_with("barrier.") || i.operation.starts_with("shfl.") ||
         i.operation.starts_with("redux.") || i.operation.starts_with("atom") || i.operation.starts_with("red.") ||
         (is_shared(i) && i.operation.starts_with("ld."));
}

/// Returns the parts of a list that are separated by commas outside of braces and brackets.
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

/// Returns instructions that replace a load without accessing memory: each destination register gets the address.
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
    } else {
      // A value narrower than 32 bits may be in a 16-bit register.
      const bool narrow = into.find("%rs") != std::string::npos;
      text += fmt::format("{}cvt.{}.u64 {}, {};\n", load.guard, narrow ? "u16" : "u32", into, address);
    }
  }
  return text;
}

/// Returns the access with the address of the thread's own word.
std::string at_own_word(const instruction& access) {
  static const std::regex address_form(R"(\[[^\]]*\])");
  // Volatile, because the compiler would merge two reads of the same word.
  std::string operation = access.operation;
  if (!has_word(operation, "volatile")) operation.insert(2, ".volatile");
  return access.guard + operation + " " + std::regex_replace(access.operands, address_form, "[%ablated_own]") + ";\n";
}

/// Returns code that ends the thread in a way that the compiler cannot predict, so the kernel keeps its registers and
/// shared memory.
std::string end_here() {
  return "mov.u32 %ablated_r, %nctaid.y;\nsetp.ne.u32 %ablated_p, %ablated_r, 0;\n@%ablated_p ret;\n";
}

/// Returns code that ends the thread here, after its loads have arrived, and that keeps the compiler from removing the
/// loads.
std::string end_behind(const instruction& exchange) {
  const std::vector<std::string> operands = parts_of(exchange.operands);
  std::string text;
  if ((exchange.operation.starts_with("shfl.") || exchange.operation.starts_with("redux.")) && operands.size() > 1) {
    text += fmt::format("setp.eq.b32 %ablated_p, {}, 0x9e3779b9;\n@%ablated_p trap;\n", operands[1]);
  }
  return text + end_here();
}

/// Returns the element size in shared memory in bytes, which is that of the widest access.
unsigned shared_width(const std::vector<std::string>& lines) {
  unsigned width = 4;
  for (const std::string& line : lines) {
    instruction i;
    if (!read(line, i) || !is_shared(i)) continue;
    if (i.operation.find("64") != std::string::npos) width = std::max(width, 8u);
    if (i.operation.find(".v2") != std::string::npos) width = std::max(width, 8u);
    if (i.operation.find(".v4") != std::string::npos) width = 16;
  }
  return width;
}

/// An array in shared memory.
struct shared_array {
  std::string symbol;  ///< Empty if there is none.
  unsigned bytes = 0;  ///< 0 if the launch sets the size.
};

/// Returns the declarations that the edited instructions need. `%ablated_own` is the address of the thread's own word
/// in the array.
std::string declarations(const shared_array& shared, unsigned width) {
  std::string text = ".reg .pred %ablated_p;\n.reg .b32 %ablated_r, %ablated_own, %ablated_end;\n";
  if (shared.symbol.empty()) return text;
  text += fmt::format(
      "mov.u32 %ablated_own, %tid.x;\nmul.lo.u32 %ablated_own, %ablated_own, {0};\n"
      "mov.u32 %ablated_end, {1};\nmax.u32 %ablated_end, %ablated_end, {0};\n"
      "sub.u32 %ablated_end, %ablated_end, {0};\nmin.u32 %ablated_own, %ablated_own, %ablated_end;\n"
      "mov.u32 %ablated_r, {2};\nadd.u32 %ablated_own, %ablated_own, %ablated_r;\n",
      width, shared.bytes == 0 ? "%dynamic_smem_size" : std::to_string(shared.bytes / width * width), shared.symbol);
  return text;
}

struct taken {
  bool loads = false, barriers = false, conflicts = false;
};

/// In the order of `ablation`.
constexpr taken taken_out[] = {
    {},                                                    // whole
    {},                                                    // empty
    {},                                                    // loads
    {.loads = true},                                       // no_loads
    {.barriers = true},                                    // no_barriers
    {.conflicts = true},                                   // no_conflicts
    {.loads = true, .barriers = true},                     // conflicts_only
    {.loads = true, .conflicts = true},                    // barriers_only
    {.barriers = true, .conflicts = true},                 // loads_only
    {.loads = true, .barriers = true, .conflicts = true},  // instructions
    {},                                                    // half_resident
};
static_assert(std::size(taken_out) == all_ablations.size());

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

/// Returns the array in which threads get their own words: the dynamic one, or else the largest.
shared_array shared_array_of(const std::vector<std::string>& lines) {
  static const std::regex form(R"(^\s*(\.extern\s+)?(?:\.\w+\s+)*\.shared\s.*\s([\w$]+)\[(\d*)\];.*$)");
  shared_array largest;
  std::smatch m;
  for (const std::string& line : lines) {
    if (!std::regex_match(line, m, form)) continue;
    if (m[3].length() == 0) return {m[2], 0};
    const unsigned bytes = static_cast<unsigned>(std::stoul(m[3]));
    if (bytes > largest.bytes) largest = {m[2], bytes};
  }
  return largest;
}

/// \throws std::runtime_error  if it is not clear whether the instruction must be removed
void refuse_what_is_unclear(const instruction& i, const taken& out, ablation left) {
  const bool moves_data = out.loads || out.conflicts || left == ablation::loads;
  if (moves_data && is_anywhere(i))
    throw std::runtime_error("the compiler does not know which memory `" + i.operation + "` is of");
  if (out.barriers && is_any_barrier(i) && !is_barrier(i))
    throw std::runtime_error("`" + i.operation + "` does more than wait");
}

}  // namespace

std::string_view name_of(ablation what) {
  // In the order of `ablation`.
  static constexpr std::string_view names[] = {"whole",       "empty",        "loads",          "no_loads",
                                               "no_barriers", "no_conflicts", "conflicts_only", "barriers_only",
                                               "loads_only",  "instructions", "half_resident"};
  static_assert(std::size(names) == all_ablations.size());
  return names[static_cast<std::size_t>(what)];
}

std::string ablated(std::string_view ptx, ablation left) {
  if (left == ablation::whole || left == ablation::half_resident) return std::string(ptx);
  const std::vector<std::string> lines = lines_of(ptx);
  const taken out = taken_out[static_cast<std::size_t>(left)];
  const shared_array shared = shared_array_of(lines);
  const bool own_words = out.conflicts && !shared.symbol.empty();
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
      text += declarations(own_words ? shared : shared_array(), shared_width(lines));
      if (left == ablation::empty) text += end_here();
    }
    refuse_what_is_unclear(i, out, left);
    if (left == ablation::loads && !cut && is_exchange(i)) {
      cut = true;
      text += end_behind(i);
    }
    if (out.loads && is_load(i)) {
      text += without_memory(i);
    } else if (out.barriers && is_barrier(i)) {
      // Removing the barrier completely would let the compiler reorder the accesses around it, which makes it a
      // different kernel.
      text += i.guard + "bar.warp.sync 0xffffffff;\n";
    } else if (own_words && is_indexed_shared(i)) {
      text += at_own_word(i);
    } else {
      text += line + "\n";
    }
  }
  if (left == ablation::loads && !cut) throw std::runtime_error("its threads exchange nothing: all of it is loads");
  return text;
}

}  // namespace workbook
