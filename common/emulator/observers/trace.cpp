#include "emulator/observers/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace emulator::observers {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

const char* name_of(const trace_event& e) {
  switch (e.kind) {
    case trace_kind::shuffle:
      return "shuffle";
    case trace_kind::barrier:
      return "barrier";
    case trace_kind::warp_barrier:
      return "warp barrier";
    case trace_kind::access:
      break;
  }
  if (e.access == access_kind::load) return "load";
  return e.access == access_kind::store ? "store" : "atomic";
}

const char* name_of(ptx::state_space space) {
  switch (space) {
    case ptx::state_space::global:
      return "global";
    case ptx::state_space::shared:
      return "shared";
    case ptx::state_space::local:
      return "local";
    default:
      return "constant";
  }
}

std::string as_json(const kernel_facts& facts, const trace_event& e) {
  const instruction_facts& i = facts.instructions[e.pc];
  std::string text = fmt::format(R"({{"block": {}, "warp": {}, "what": "{}", "op": {}, "line": {})", e.block, e.warp,
                                 name_of(e), quoted(i.mnemonic), i.line);
  if (i.file >= 0) text += ", \"file\": " + quoted(facts.files[static_cast<std::size_t>(i.file)]);
  if (e.kind == trace_kind::access) {
    text += fmt::format(R"(, "space": "{}", "bytes": {})", name_of(e.space), e.bytes);
  }
  std::string lanes, at;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((e.mask >> lane & 1u) == 0) continue;
    const char* comma = lanes.empty() ? "" : ", ";
    lanes += fmt::format("{}{}", comma, lane);
    at += fmt::format("{}{}", comma, e.at[lane]);
  }
  text += fmt::format(R"(, "lanes": [{}])", lanes);
  if (e.kind == trace_kind::access || e.kind == trace_kind::shuffle) text += fmt::format(R"(, "at": [{}])", at);
  return text + "}";
}

}  // namespace

void append_trace(const std::string& path, const kernel_facts& facts, const launch_report& launch,
                  std::vector<trace_event> events) {
  // Blocks of several host threads come in any order.
  std::stable_sort(events.begin(), events.end(),
                   [](const trace_event& a, const trace_event& b) { return a.block < b.block; });
  std::ofstream file(path, std::ios::app);
  file << fmt::format(R"({{"kernel": {}, "grid": [{}, {}, {}], "block": [{}, {}, {}], "events": [)",
                      quoted(launch.kernel), launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                      launch.block[1], launch.block[2]);
  for (std::size_t k = 0; k < events.size(); ++k) file << (k == 0 ? "" : ", ") << as_json(facts, events[k]);
  file << "]}\n";
  if (!file.flush()) throw std::runtime_error("the trace cannot be written to " + path);
}

}  // namespace emulator::observers
