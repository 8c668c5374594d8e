// The flow graph, and the reconvergence points of diverged lanes: immediate post-dominators of the flow graph of
// operations (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph). If some lanes
// may end early, the post-dominator would be the end of the kernel. In that case, the remaining lanes reconverge where
// all of their own paths meet.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/liveness.hpp"

namespace emulator::simt {
namespace {

bool ends_thread(op_kind kind) {
  return kind == op_kind::exit || kind == op_kind::call_return;
}

/// Returns true if the operation ends a basic block. A trap does so, because it stops the whole grid.
bool ends_block(op_kind kind) {
  return kind == op_kind::branch || kind == op_kind::branch_table || kind == op_kind::trap || ends_thread(kind);
}

/// Returns the possible jump targets of the operation.
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

namespace {

/// Returns for each block whether it only ends the thread.
std::vector<bool> find_leaves(const program& p, const flow_graph& g) {
  std::vector<bool> leaves(g.exit + 1, false);
  leaves[g.exit] = true;
  for (std::uint32_t b = 0; b < g.exit; ++b) {
    const op& first = p.code[g.begin[b]];
    leaves[b] = first.kind == op_kind::exit && first.guard == no_slot;
  }
  return leaves;
}

/// Returns `g` without the edges on which a thread ends while others continue, because the other lanes don't wait for
/// those that have ended.
flow_graph without_early_exits(flow_graph g, const std::vector<bool>& leaves) {
  for (auto& out : g.successors) {
    const auto stays = [&](std::uint32_t b) { return !leaves[b]; };
    if (std::any_of(out.begin(), out.end(), stays)) std::erase_if(out, [&](std::uint32_t b) { return leaves[b]; });
  }
  return g;
}

/// Returns the blocks from which a thread may reach an operation that waits for others.
std::vector<bool> before_waiting(const program& p, const flow_graph& g) {
  std::vector<bool> result(g.exit + 1, false);
  for (std::uint32_t pc = 0; pc < p.code.size(); ++pc) {
    const op_kind kind = p.code[pc].kind;
    if (kind == op_kind::barrier || kind == op_kind::warp_barrier || kind == op_kind::collective ||
        kind == op_kind::call)
      result[g.block_of[pc]] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = g.exit; b-- > 0;) {
      const auto& out = g.successors[b];
      if (result[b] || std::none_of(out.begin(), out.end(), [&](std::uint32_t s) { return result[s]; })) continue;
      result[b] = changed = true;
    }
  }
  return result;
}

/// Returns each block's immediate post-dominator; g.exit for the exit itself and for blocks that never reach it.
std::vector<std::uint32_t> post_dominators(const flow_graph& g) {
  const std::uint32_t n = g.exit + 1;
  std::vector<std::vector<std::uint32_t>> predecessors(n);
  for (std::uint32_t b = 0; b < n; ++b) {
    for (const std::uint32_t s : g.successors[b]) predecessors[s].push_back(b);
  }
  // Reverse post-order of the reversed graph, from the exit.
  std::vector<std::uint32_t> order, number(n, n);
  std::vector<std::uint8_t> seen(n, 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{g.exit, 0}};
  seen[g.exit] = 1;
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    if (next < predecessors[b].size()) {
      const std::uint32_t p = predecessors[b][next++];
      if (seen[p] == 0) {
        seen[p] = 1;
        stack.emplace_back(p, 0);
      }
    } else {
      order.push_back(b);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  for (std::uint32_t k = 0; k < order.size(); ++k) number[order[k]] = k;

  std::vector<std::uint32_t> idom(n, n);
  idom[g.exit] = g.exit;
  const auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] > number[b]) a = idom[a];
      while (number[b] > number[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t b : order) {
      if (b == g.exit) continue;
      std::uint32_t best = n;
      for (const std::uint32_t s : g.successors[b]) {
        if (number[s] == n || idom[s] == n) continue;
        best = best == n ? s : intersect(best, s);
      }
      if (best != n && idom[b] != best) {
        idom[b] = best;
        changed = true;
      }
    }
  }
  for (std::uint32_t& d : idom) d = d == n ? g.exit : d;
  return idom;
}

}  // namespace

void find_reconvergence(program& p) {
  if (p.code.empty()) return;
  const flow_graph g = flow_of(p);
  const std::vector<bool> leaves = find_leaves(p, g);
  const std::vector<std::uint32_t> meet = post_dominators(g);
  const std::vector<std::uint32_t> meet_of_the_rest = post_dominators(without_early_exits(g, leaves));
  const std::vector<bool> waits = before_waiting(p, g);
  for (std::uint32_t pc = 0; pc < p.code.size(); ++pc) {
    op& o = p.code[pc];
    if (o.kind != op_kind::branch && o.kind != op_kind::branch_table) continue;
    std::uint32_t at = meet[g.block_of[pc]];
    if (leaves[at]) {
      const std::uint32_t earlier = meet_of_the_rest[g.block_of[pc]];
      // If this branch itself ends threads, they can reconverge with the others at the end, unless the others may wait
      // for them before that.
      const auto& out = g.successors[g.block_of[pc]];
      const bool ends = std::any_of(out.begin(), out.end(), [&](std::uint32_t b) { return leaves[b]; });
      if (!leaves[earlier] && (!ends || waits[earlier])) at = earlier;
    }
    // Lanes that would reconverge only at the end of the kernel need not wait for each other.
    o.reconvergence = at == g.exit ? no_pc : g.begin[at];
  }
}

}  // namespace emulator::simt
