// A program as a listing with cycles, and as a graph.

#include <fmt/format.h>

#include "superopt/print.hpp"

namespace superopt {

std::string print_schedule(const program& p, const target& t, const cost_table& table) {
  const schedule s = schedule_of(p, t, table);
  std::string text = "  issue  ready\n";
  for (unsigned k = 0; k < p.size(); ++k)
    text += fmt::format("  {:>5} {:>6}   {}\n", s.issue[k], s.ready[k], to_text(p[k]));
  return text;
}

namespace {

/// The instructions that the last result waited for, each for the one before it.
std::array<bool, most_instructions> longest_path(const program& p, const target& t, const schedule& s) {
  std::array<bool, most_instructions> on{};
  std::array<int, register_count + 1> writer{};
  writer.fill(-1);
  std::array<std::array<int, 3>, most_instructions> from{};
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
    // The source that was ready last; nothing where it was the turn, not a source, that was waited for.
    unsigned latest = 0;
    for (const int source : from[k]) {
      if (source < 0 || s.ready[static_cast<unsigned>(source)] < latest) continue;
      latest = s.ready[static_cast<unsigned>(source)];
      at = source;
    }
  }
  return on;
}

}  // namespace

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

}  // namespace superopt
