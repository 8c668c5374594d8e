// Chapter 9: Warp shuffles.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter8_solution();
reduction chapter9_solution();
reduction chapter9_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 9;
  c.title = "Warp shuffles";
  reduction previous = chapter8_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter9_solution(), chapter9_exercise(), library_reduction()};
  c.aim = {"one word of shared memory a warp, and one barrier", "shared loads, shared stores and barriers per block",
           [](const outcome& o) {
             return per_block(o, "smsp__sass_inst_executed_op_shared_ld.sum") +
                    per_block(o, "smsp__sass_inst_executed_op_shared_st.sum") + per_block(o, "workbook__barriers.sum");
           },
           0.25};
  return run_chapter(argc, argv, c);
}
