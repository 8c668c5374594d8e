#include "emulator/simt/liveness.hpp"

namespace emulator::simt {
namespace {

bool ends_thread(op_kind kind) {
  return kind == op_kind::exit || kind == op_kind::call_return;
}

/// A trap stops the whole grid: no lane goes anywhere from there, and none is waited for.
bool ends_block(op_kind kind) {
  return kind == op_kind::branch || kind == op_kind::branch_table || kind == op_kind::trap || ends_thread(kind);
}

/// Where the operation may jump to.
std::vector<std::uint32_t> targets(const program& p, const op& o) {
  if (o.kind == op_kind::branch) return {o.target};
  if (o.kind == op_kind::branch_table) return p.tables[o.target];
  return {};
}

}  // namespace

flow_graph flow_of(const program& p) {
  const auto count = static_cast<std::uint32_t>(p.code.size());
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  for (std::uint32_t pc = 0; pc < count; ++pc) {
    for (const std::uint32_t target : targets(p, p.code[pc])) leader[target] = true;
    if (ends_block(p.code[pc].kind)) leader[pc + 1] = true;
  }
  flow_graph g;
  g.block_of.resize(count + 1);
  for (std::uint32_t pc = 0; pc < count; ++pc) {
    if (leader[pc]) g.begin.push_back(pc);
    g.block_of[pc] = static_cast<std::uint32_t>(g.begin.size()) - 1;
  }
  g.exit = static_cast<std::uint32_t>(g.begin.size());
  g.block_of[count] = g.exit;
  g.begin.push_back(count);
  g.successors.resize(g.exit + 1);
  for (std::uint32_t b = 0; b < g.exit; ++b) {
    const std::uint32_t next = g.begin[b + 1];
    const op& last = p.code[next - 1];
    for (const std::uint32_t target : targets(p, last)) g.successors[b].push_back(g.block_of[target]);
    if (ends_thread(last.kind)) g.successors[b].push_back(g.exit);
    if (!ends_block(last.kind) || last.guard != no_slot) g.successors[b].push_back(g.block_of[next]);
  }
  return g;
}

}  // namespace emulator::simt
