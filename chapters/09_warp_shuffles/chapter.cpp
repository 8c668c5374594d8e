#include "chapters/chapter9.hpp"
#include "workbook/library.hpp"

namespace {

/// Makes a count per block that has work. The student chooses how many blocks share the elements, so blocks without
/// work aren't counted.
workbook::wanted_count per_busy_block(const char* metric, const char* counter, double slack, double room = 0) {
  using namespace workbook;
  return {.metric = metric,
          .value = [counter](const outcome& o) { return per_block(o, counter); },
          .slack = slack,
          .of_all = [counter](const outcome& o) { return total(o, counter) / busy_blocks(o); },
          .room = room};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter9();
  c.ladder.push_back(library_reduction());
  c.aim = {"one word of shared memory per warp, and one barrier",
           // One thread may add up the warps' sums, with one load each. One additional barrier is allowed, too.
           {per_busy_block("shared loads per block", "smsp__sass_inst_executed_op_shared_ld.sum", 0.5),
            per_busy_block("shared stores per block", "smsp__sass_inst_executed_op_shared_st.sum", 0.25),
            per_busy_block("barriers per block", "workbook__barriers.sum", 0.25, /*room=*/1)}};
  return run_chapter(argc, argv, c);
}
