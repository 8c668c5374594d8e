// Prints a program as a listing with cycles, as a graph, and as CUDA C++.

#include <fmt/format.h>

#include "machine_code/superopt/print.hpp"

namespace superopt {
namespace {

/// Returns the critical path: the instructions that delay the last result, each of which waits for the previous one.
std::array<bool, max_instructions> longest_path(const program& p, const target& t, const schedule& s) {
  std::array<bool, max_instructions> on{};
  std::array<int, register_count + 1> writer{};
  writer.fill(-1);
  std::array<std::array<int, 3>, max_instructions> from{};
  for (unsigned k = 0; k < p.size(); ++k) {
    for (unsigned a = 0; a < 3; ++a) from[k][a] = a < p[k].source_count() ? writer[p[k].sources[a]] : -1;
    writer[p[k].destination] = static_cast<int>(k);
  }
  int at = -1;
  for (const place& out : t.outputs) {
    if (writer[out.reg] >= 0 && s.ready[static_cast<unsigned>(writer[out.reg])] == s.cycles) at = writer[out.reg];
  }
  while (at >= 0) {
    const auto k = static_cast<unsigned>(at);
    on[k] = true;
    at = -1;
    // Continues with the source that was ready last. If no instruction wrote the sources, the path ends here.
    unsigned latest = 0;
    for (const int source : from[k]) {
      if (source < 0 || s.ready[static_cast<unsigned>(source)] < latest) continue;
      latest = s.ready[static_cast<unsigned>(source)];
      at = source;
    }
  }
  return on;
}

constexpr const char* reduce_functions[] = {"add", "min", "max", "min", "max", "and", "or", "xor"};

std::string look_up_text(const std::string& a, const std::string& b, const std::string& c, std::uint32_t table) {
  switch (table) {
    case 0xc0:
      return fmt::format("{} & {}", a, b);
    case 0xfc:
      return fmt::format("{} | {}", a, b);
    case 0x3c:
      return fmt::format("{} ^ {}", a, b);
    case 0x80:
      return fmt::format("{} & {} & {}", a, b, c);
    case 0xfe:
      return fmt::format("{} | {} | {}", a, b, c);
    case 0x96:
      return fmt::format("{} ^ {} ^ {}", a, b, c);
    default:
      break;
  }
  std::string text;
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1) == 0) continue;
    text += fmt::format("{}({}{} & {}{} & {}{})", text.empty() ? "" : " | ", (k & 4) != 0 ? "" : "~", a,
                        (k & 2) != 0 ? "" : "~", b, (k & 1) != 0 ? "" : "~", c);
  }
  return text.empty() ? "0u" : text;
}

std::string min_max_text(const std::string& a, const std::string& b, std::uint32_t kind) {
  const char* function = (kind & 1) != 0 ? "max" : "min";
  if ((kind & 2) != 0) return fmt::format("{}({}, {})", function, a, b);
  return fmt::format("static_cast<unsigned>({}(static_cast<int>({}), static_cast<int>({})))", function, a, b);
}

std::string value_text(const instruction& i, const std::array<std::string, 3>& source) {
  const auto& [a, b, c] = source;
  switch (i.op) {
    case opcode::shfl_down:
      return fmt::format("__shfl_down_sync(0xffffffffu, {}, {})", a, i.immediate);
    case opcode::shfl_bfly:
      return fmt::format("__shfl_xor_sync(0xffffffffu, {}, {})", a, i.immediate);
    case opcode::shfl_idx:
      return fmt::format("__shfl_sync(0xffffffffu, {}, {})", a, i.immediate);
    case opcode::iadd:
      return fmt::format("{} + {}", a, b);
    case opcode::iadd3:
      return fmt::format("{} + {} + {}", a, b, c);
    case opcode::lop3:
      return look_up_text(a, b, c, i.immediate);
    case opcode::imnmx:
      return min_max_text(a, b, i.immediate);
    case opcode::sel:
      return fmt::format("(0x{:08x}u >> (threadIdx.x % 32) & 1u) != 0 ? {} : {}", i.immediate, a, b);
    case opcode::redux: {
      const bool is_signed = i.immediate == 1 || i.immediate == 2;
      const std::string call = fmt::format("__reduce_{}_sync(0xffffffffu, {})", reduce_functions[i.immediate & 7],
                                           is_signed ? fmt::format("static_cast<int>({})", a) : a);
      return is_signed ? fmt::format("static_cast<unsigned>({})", call) : call;
    }
    default:
      return a;
  }
}

}  // namespace

std::string print_schedule(const program& p, const target& t, const cost_table& table) {
  const schedule s = schedule_of(p, t, table);
  std::string text = "  issue  ready\n";
  for (unsigned k = 0; k < p.size(); ++k)
    text += fmt::format("  {:>5} {:>6}   {}\n", s.issue[k], s.ready[k], to_text(p[k]));
  return text;
}

std::string print_dot(const program& p, const target& t, const cost_table& table) {
  const schedule s = schedule_of(p, t, table);
  const auto on = longest_path(p, t, s);
  std::array<std::string, register_count + 1> holder;
  std::string text = "digraph program {\n  node [shape=box, fontname=\"monospace\"];\n";
  for (const place& in : t.inputs) {
    holder[in.reg] = fmt::format("in{}", in.reg);
    text += fmt::format("  in{} [label=\"r{}, lanes {}\", shape=ellipse];\n", in.reg, in.reg, lanes_text(in.lanes));
  }
  for (unsigned k = 0; k < p.size(); ++k) {
    const instruction& i = p[k];
    text += fmt::format("  i{} [label=\"{}\\n{} to {}\"{}];\n", k, to_text(i), s.issue[k], s.ready[k],
                        on[k] ? ", penwidth=3" : "");
    for (unsigned a = 0; a < i.source_count(); ++a) {
      if (i.sources[a] != zero_register && !holder[i.sources[a]].empty())
        text += fmt::format("  {} -> i{};\n", holder[i.sources[a]], k);
    }
    holder[i.destination] = fmt::format("i{}", k);
  }
  for (const place& out : t.outputs) {
    text += fmt::format("  out{} [label=\"lanes {}, after {} cycles\", shape=ellipse];\n", out.reg,
                        lanes_text(out.lanes), s.cycles);
    if (!holder[out.reg].empty()) text += fmt::format("  {} -> out{};\n", holder[out.reg], out.reg);
  }
  return text + "}\n";
}

std::string print_cuda(const program& p, const target& t, const std::string& name) {
  std::vector<std::string> holder(register_count + 1);  // the name of each register's value
  holder[zero_register] = std::string("0u");
  std::string parameters;
  for (const place& in : t.inputs) {
    holder[in.reg] = fmt::format("in{}", in.reg);
    parameters += fmt::format("{}unsigned {}", parameters.empty() ? "" : ", ", holder[in.reg]);
  }
  const bool returns = t.outputs.size() == 1;
  if (!returns) {
    for (const place& out : t.outputs)
      parameters += fmt::format("{}unsigned& out{}", parameters.empty() ? "" : ", ", out.reg);
  }
  std::string text;
  for (const place& out : t.outputs)
    text += fmt::format("// Defined in lanes {} of the result.\n", lanes_text(out.lanes));
  text += fmt::format("__device__ inline {} {}({}) {{\n", returns ? "unsigned" : "void", name, parameters);
  const program live = without_dead_code(p, t);
  for (unsigned k = 0; k < live.size(); ++k) {
    const instruction& i = live[k];
    std::array<std::string, 3> sources;
    for (unsigned s = 0; s < 3; ++s) sources[s] = holder[i.sources[s]];
    text += fmt::format("  const unsigned v{} = {};\n", k, value_text(i, sources));
    holder[i.destination] = fmt::format("v{}", k);
  }
  for (const place& out : t.outputs)
    text += returns ? fmt::format("  return {};\n", holder[out.reg])
                    : fmt::format("  out{} = {};\n", out.reg, holder[out.reg]);
  return text + "}\n";
}

}  // namespace superopt
