#include "12_one_launch/compared_tables.hpp"
#include "chapters/chapter12.hpp"
#include "workbook/library.hpp"

namespace {

/// Returns the number of atomic instructions on global memory, each counted once per warp that takes part.
double atomics(const workbook::outcome& o) {
  return workbook::total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") +
         workbook::total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
}

double atomics_per_block(const workbook::outcome& o) {
  return atomics(o) / workbook::total(o, "workbook__blocks.sum");
}

/// As above, but per block that has work. The last block does more than the others, which makes the estimated number of
/// blocks with work too small. So up to 2.5 per block aren't a sign of blocks without work.
double atomics_per_busy_block(const workbook::outcome& o) {
  const double of_busy = atomics(o) / workbook::busy_blocks(o);
  return of_busy > 2.5 ? of_busy : atomics_per_block(o);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter12();
  c.ladder[1].depth = chapter12::depth_of_last_block;
  for (const reduction& compared : chapter12::compared_rungs()) c.ladder.push_back(compared);
  // A tree over all elements, with as many launches as it needs: it has the smallest depth of all.
  reduction pairwise = chapter6_solution();
  pairwise.name = "pairwise (chapter 6)";
  pairwise.as = role::compared;
  c.ladder.push_back(pairwise);
  c.ladder.push_back(library_reduction());
  const auto launches = [](const outcome& o) { return static_cast<double>(o.launches.size()); };
  c.table.counts = {{"launches", "", launches},
                    {"atomics", "per block", atomics_per_block},
                    {"barriers", "per block", [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); }},
                    {"error", "", [](const outcome& o) { return o.error; }},
                    {"bound", "", [](const outcome& o) { return o.bound; }}};
  c.aim = {"one launch, and at most one atomic operation per block",
           {{.metric = "launches", .value = launches, .slack = 0},
            {.metric = "atomic operations per block",
             .value = atomics_per_block,
             .slack = 0,
             .of_all = atomics_per_busy_block,
             .at_least = 1}}};
  c.remark =
      "Kernels that add atomically need a zeroed result; their times include that memset. Their floating-point "
      "sums depend on which block comes first; those of the other rows have the same bits in every run.";
  return run_chapter(argc, argv, c);
}
