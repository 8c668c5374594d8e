#include "chapters/chapter6.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter6();
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("the reduction loop is gone from the machine's work", "loop branches per warp", per_warp,
                  "workbook__loop_branches.sum");
  return run_chapter(argc, argv, c);
}
