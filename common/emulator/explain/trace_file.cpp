#include "emulator/explain/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "emulator/observers/access_cost.hpp"

namespace emulator::explain {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", c);
    else
      result += c;
  }
  return result + "\"";
}

const char* name_of(const trace_event& e) {
  if (e.kind == trace_kind::access)
    return e.access == access_kind::load ? "load" : e.access == access_kind::store ? "store" : "atomic";
  // In the order of `trace_kind`.
  static constexpr const char* names[] = {"access", "shuffle", "barrier",  "warp barrier", "run",
                                          "branch", "arrive",  "announce", "leave",        "fault"};
  static_assert(std::size(names) == static_cast<std::size_t>(trace_kind::fault) + 1);
  return names[static_cast<std::size_t>(e.kind)];
}

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Formats an element according to the instruction's type. PTX doesn't distinguish `int` from `unsigned`, so both are
/// read as signed.
std::string element_text(const std::byte* from, unsigned bytes, bool real) {
  const auto finite = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; };
  switch (bytes) {
    case 1:
      return fmt::format("{}", read<std::int8_t>(from));
    case 2:
      return fmt::format("{}", read<std::int16_t>(from));
    case 8:
      return real ? finite(read<double>(from)) : fmt::format("{}", read<std::int64_t>(from));
    default:
      return real ? finite(static_cast<double>(read<float>(from))) : fmt::format("{}", read<std::int32_t>(from));
  }
}

/// Returns the number of parts of the warp that shared memory serves one after the other. Each takes one pass, plus one
/// for each conflict.
unsigned parts_of(const trace_event& e) {
  const unsigned lanes = e.bytes <= 4 ? 32 : 128 / e.bytes;
  unsigned parts = 0;
  for (unsigned begin = 0; begin < 32; begin += lanes) {
    const std::uint32_t part = lanes == 32 ? ~0u : (1u << lanes) - 1;
    parts += (e.mask >> begin & part) != 0 ? 1 : 0;
  }
  return parts;
}

/// An array that the launch accesses, by its name in the source.
struct variable {
  std::string name;
  ptx::state_space space = ptx::state_space::shared;
  std::uint64_t begin = 0, end = 0;  ///< In the state space.
  std::uint32_t element_bytes = 1;
};

/// The arrays. Each is looked up when it is first accessed, because finding its name means reading the kernel's source.
class variable_table {
 public:
  variable_table(const naming& names, std::uint64_t shared_bytes) : names_(names) {
    block_.shared_bytes = shared_bytes;
  }

  /// Returns the number of the array that the first lane of an access falls into; -1 if it has no name.
  int number_of(const trace_event& e) {
    if (e.space != ptx::state_space::shared && e.space != ptx::state_space::global) return -1;
    const std::uint64_t at = e.at[static_cast<std::size_t>(std::countr_zero(e.mask))];
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].space == e.space && at >= all[k].begin && at < all[k].end) return static_cast<int>(k);
    }
    const bool shared = e.space == ptx::state_space::shared;
    const auto element = shared ? names_.in_shared(e.pc, at, e.bytes, block_) : names_.in_global(e.pc, at, e.bytes);
    if (element.array.empty() || element.size == 0) return -1;
    variable found{.name = element.array, .space = e.space};
    found.element_bytes = size_of_element(e, shared, at);
    found.begin = at - at % found.element_bytes - static_cast<std::uint64_t>(element.index) * found.element_bytes;
    found.end = found.begin + element.size * found.element_bytes;
    all.push_back(found);
    return static_cast<int>(all.size()) - 1;
  }
  std::vector<variable> all;

 private:
  [[nodiscard]] std::uint32_t size_of_element(const trace_event& e, bool shared, std::uint64_t at) const {
    if (shared) {
      for (const shared_variable& v : names_.facts().shared) {
        const bool inside = at >= v.offset && (v.size_bytes == 0 || at < v.offset + v.size_bytes);
        if (inside && v.element_bytes > 1) return v.element_bytes;
      }
    }
    const std::uint32_t known = names_.facts().instructions[e.pc].element_bytes;
    return known != 0 ? known : e.bytes;
  }
  const naming& names_;
  block_identity block_;  ///< Any block: the arrays are the same in all.
};

/// Returns the cost of an access as fields of a step.
std::string cost_of(const trace_event& e) {
  const lane_addresses a(e.at.data(), e.mask, e.bytes);
  if (e.space == ptx::state_space::shared) {
    const unsigned conflicts = count_bank_conflicts(a);
    return fmt::format(R"(, "conflicts": {}, "passes": {})", conflicts, conflicts + parts_of(e));
  }
  if (e.space != ptx::state_space::global) return {};
  return fmt::format(R"(, "sectors": {})", is_update(e.access) ? count_atomic_sectors(a) : count_sectors(a));
}

/// Returns "[3, 4]": the results of `text_of` for each item.
template <typename Range, typename TextOf>
std::string list_of(const Range& all, TextOf text_of) {
  std::string text;
  for (const auto& one : all) text += (text.empty() ? "" : ", ") + text_of(one);
  return "[" + text + "]";
}

/// Returns the values of the active lanes, `e.bytes` each, as a field of the step; empty if there are none.
std::string values_of(const instruction_facts& i, const trace_event& e, const char* field,
                      const std::vector<std::byte>& moved) {
  const bool half = e.kind == trace_kind::shuffle && i.element_bytes == 0;
  if (moved.empty() || half) return {};
  const unsigned size = i.element_bytes != 0 && i.element_bytes <= e.bytes ? i.element_bytes : e.bytes;
  if (size > 8) return {};
  const auto of_lane = [&](unsigned l) {
    std::string lane;
    for (unsigned at = 0; at < e.bytes; at += size)
      lane += (at == 0 ? "" : ", ") + element_text(moved.data() + l * e.bytes + at, size, i.is_real);
    return e.bytes == size ? lane : "[" + lane + "]";
  };
  return fmt::format(R"(, "{}": {})", field, list_of(lanes_in(e.mask), of_lane));
}

std::string as_json(const kernel_facts& facts, const trace_event& e, variable_table& variables) {
  const instruction_facts& i = facts.instructions[e.pc];
  std::string text = fmt::format(R"({{"block": {}, "warp": {}, "what": "{}", "op": {}, "line": {})", e.block, e.warp,
                                 name_of(e), quoted(i.mnemonic), i.line);
  if (i.file >= 0) text += ", \"file\": " + quoted(facts.files[static_cast<std::size_t>(i.file)]);
  if (e.instructions != 0)
    text += fmt::format(R"(, "instructions": {}, "thread_instructions": {})", e.instructions, e.thread_instructions);
  const bool access = e.kind == trace_kind::access;
  if (access) text += fmt::format(R"(, "space": "{}", "bytes": {})", space_name(e.space), e.bytes);
  const lanes_in lanes(e.mask);
  text += ", \"lanes\": " + list_of(lanes, [](unsigned l) { return fmt::to_string(l); });
  if (!e.at.empty()) text += ", \"at\": " + list_of(lanes, [&](unsigned l) { return fmt::to_string(e.at[l]); });
  if (e.barrier != 0) text += fmt::format(R"(, "barrier": {})", e.barrier);
  if (e.kind == trace_kind::branch) text += fmt::format(R"(, "jumped": {})", e.jumped);
  if (access) {
    if (const int number = variables.number_of(e); number >= 0) text += fmt::format(R"(, "variable": {})", number);
    text += cost_of(e);
  }
  if (e.kind == trace_kind::shuffle)
    text += ", \"from\": " + list_of(lanes, [&](unsigned l) { return fmt::to_string(e.givers[l]); });
  return text + values_of(i, e, "values", e.values) + values_of(i, e, "found", e.found) + "}";
}

bool touches(const trace_event& e, std::uint32_t lane, const incident& what) {
  // Threads arrive at the same barrier repeatedly; the fault is in the step in which some lanes of the warp don't.
  if (what.kind == incident_kind::divergent_barrier) return e.mask == what.mask;
  if (e.at.empty() || !is_race(what.kind)) return true;
  return e.at[lane] < what.address + what.bytes && what.address < e.at[lane] + e.bytes;
}

/// Returns true if in this step the thread executes the instruction that the incident is about.
bool is_step(const trace_event& e, std::uint64_t block, std::uint32_t pc, std::uint32_t thread, const incident& what) {
  return e.block == block && e.pc == pc && e.warp == thread / 32 && (e.mask >> thread % 32 & 1u) != 0 &&
         e.kind != trace_kind::barrier && touches(e, thread % 32, what);
}

/// Returns true if an incident is of the check that reports a finding.
bool is_of(const incident& what, const finding& f) {
  return check_of(facts_of(what.kind).reported_as) == f.check();
}

/// Returns the finding's text, and its steps in the recording: for a race, those of both accesses.
std::string finding_json(const naming& names, const finding& f, const traced_launch& launch,
                         std::span<const trace_event> events) {
  std::string text = fmt::format(R"({{"check": {}, "kind": {}, "file": {}, "line": {}, "message": {}, "cure": {})",
                                 quoted(std::string(name_of(f.check()))), quoted(std::string(name_of(f.kind))),
                                 quoted(f.file), f.line, quoted(f.message), quoted(f.cure));
  if (f.other_line != 0)
    text += fmt::format(R"(, "other_file": {}, "other_line": {})", quoted(f.other_file), f.other_line);
  for (const incident& what : launch.incidents) {
    if (!is_of(what, f) || line_of(names.facts(), what.pc) != f.line) continue;
    if (f.other_line != 0 && line_of(names.facts(), what.other_pc) != f.other_line) continue;
    const auto at = std::find_if(events.begin(), events.end(), [&](const trace_event& e) {
      return is_step(e, what.block.linear, what.pc, what.thread, what);
    });
    if (at == events.end()) continue;
    text += fmt::format(R"(, "step": {}, "thread": {})", at - events.begin(), what.thread);
    const bool race = is_race(what.kind);
    if (!race && what.kind != incident_kind::different_barriers) break;
    const std::uint64_t block = is_global(what.kind) ? what.other_block : what.block.linear;
    const auto is_other = [&](const trace_event& e) {
      return is_step(e, block, what.other_pc, what.other_thread, what);
    };
    // The previous step; but the two are unordered, so it may also come later.
    const auto before = std::find_if(std::reverse_iterator(at + 1), events.rend(), is_other);
    const auto other = before != events.rend() ? std::prev(before.base()) : std::find_if(at, events.end(), is_other);
    text += fmt::format(R"(, "other_thread": {})", what.other_thread);
    if (block != what.block.linear)
      text += fmt::format(R"(, "block": {}, "other_block": {})", what.block.linear, block);
    if (other != events.end()) text += fmt::format(R"(, "other_step": {})", other - events.begin());
    if (race) text += fmt::format(R"(, "address": {}, "bytes": {})", what.address, what.bytes);
    break;
  }
  if (launch.stopped_by != nullptr && &f == launch.report.findings.data() && !events.empty() &&
      events.back().kind == trace_kind::fault)
    text += fmt::format(R"(, "step": {})", events.size() - 1);
  return text + "}";
}

}  // namespace

void append_trace(const std::string& path, const naming& names, const traced_launch& launch,
                  std::vector<trace_event> events) {
  const kernel_facts& facts = names.facts();
  const launch_report& r = launch.report;
  std::uint64_t left_out = launch.left_out;
  std::error_code none_yet;
  if (const std::uintmax_t size = std::filesystem::file_size(path, none_yet); !none_yet && size >= traced_bytes) {
    left_out += events.size();
    events.clear();
  }
  // Blocks of several host threads are in no particular order.
  std::stable_sort(events.begin(), events.end(),
                   [](const trace_event& a, const trace_event& b) { return a.block < b.block; });
  if (const fault* const by = launch.stopped_by;
      by != nullptr && by->block.linear < traced_blocks && by->pc < facts.instructions.size())
    events.push_back(
        {.kind = trace_kind::fault, .block = by->block.linear, .warp = by->warp, .pc = by->pc, .mask = by->mask});
  std::ofstream file(path, std::ios::app);
  file << fmt::format(
      R"({{"kernel": {}, "grid": [{}, {}, {}], "block": [{}, {}, {}], "completed": {}, "left_out": {},)",
      quoted(r.kernel), r.grid[0], r.grid[1], r.grid[2], r.block[0], r.block[1], r.block[2], r.completed, left_out);
  file << " \"events\": [";
  variable_table variables(names, r.static_shared_bytes + r.dynamic_shared_bytes);
  for (std::size_t k = 0; k < events.size(); ++k) file << (k == 0 ? "" : ", ") << as_json(facts, events[k], variables);
  file << "], \"variables\": " << list_of(variables.all, [](const variable& v) {
    return fmt::format(R"({{"name": {}, "space": "{}", "begin": {}, "end": {}, "element_bytes": {}}})", quoted(v.name),
                       space_name(v.space), v.begin, v.end, v.element_bytes);
  });
  file << ", \"counters\": {";
  const char* comma = "";
  for (const auto& [name, value] : r.counters)
    file << std::exchange(comma, ", ") << fmt::format(R"("{}": {})", name, value);
  const auto as_text = [&](const finding& f) { return finding_json(names, f, launch, events); };
  file << "}, \"findings\": " << list_of(r.findings, as_text) << "}\n";
  if (!file.flush()) throw std::runtime_error("the trace cannot be written to " + path);
}

}  // namespace emulator::explain
