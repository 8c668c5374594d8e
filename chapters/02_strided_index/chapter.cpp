#include "chapters/chapter2.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter2();
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("whole warps work or rest, so fewer warp-level additions do the same work",
                  "warp-level additions per block", per_block, "workbook__combines.sum", 0.25);
  c.table.first_count = column_of(c.aim);
  return run_chapter(argc, argv, c);
}
