#include <algorithm>

#include "12_one_launch/compared.hpp"
#include "chapters/chapter12.hpp"
#include "workbook/library.hpp"

namespace {

/// Atomic operations on global memory that a block issues, one for each warp that takes part in one.
double atomics_per_block(const workbook::outcome& o) {
  return workbook::per_block(o, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") +
         workbook::per_block(o, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter12();
  c.ladder[1].depth = chapter12::depth_of_last_block;
  for (const reduction& compared : chapter12::compared_rungs()) c.ladder.push_back(compared);
  // A tree over all elements, whatever it costs in launches: the sum with the shortest ways.
  reduction pairwise = chapter6_solution();
  pairwise.name = "pairwise (chapter 6)";
  pairwise.as = role::compared;
  c.ladder.push_back(pairwise);
  c.ladder.push_back(library_reduction());
  c.table.counts = {{"launches", "", [](const outcome& o) { return static_cast<double>(o.launches.size()); }},
                    {"atomics", "per block", atomics_per_block},
                    {"barriers", "per block", [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); }},
                    {"error", "", [](const outcome& o) { return o.error; }},
                    {"bound", "", [](const outcome& o) { return o.bound; }}};
  c.aim = {
      "one launch, and at most one atomic operation per block", "launches, and atomic operations beyond one per block",
      [](const outcome& o) { return static_cast<double>(o.launches.size()) + std::max(0.0, atomics_per_block(o) - 1); },
      0};
  c.remark =
      "What adds by atomic operations needs a zero to add to: a memset before every launch, which the times hold. "
      "Its\n"
      "floating-point sums depend on who comes first; those of the other rows have the same bits in every run.";
  return run_chapter(argc, argv, c);
}
