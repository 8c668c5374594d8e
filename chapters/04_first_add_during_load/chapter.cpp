#include "chapters/chapter4.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter4();
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("half the blocks, and half the words stored to shared memory",
                  "shared stores of the whole first pass", total, "smsp__sass_inst_executed_op_shared_st.sum");
  return run_chapter(argc, argv, c);
}
