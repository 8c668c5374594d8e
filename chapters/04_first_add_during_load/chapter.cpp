// Chapter 4: First addition during the load.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter3_solution();
reduction chapter4_solution();
reduction chapter4_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 4;
  c.title = "First addition during the load";
  reduction previous = chapter3_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter4_solution(), chapter4_exercise(), library_reduction()};
  c.aim = {"half the blocks, and half the words stored to shared memory", "shared stores of the whole first pass",
           [](const outcome& o) { return total(o, "smsp__sass_inst_executed_op_shared_st.sum"); }};
  return run_chapter(argc, argv, c);
}
