#include "chapters/chapter5.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter5();
  c.ladder.push_back(chapter5_history());
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("the last warp works without block barriers", "barriers per block", per_block,
                  "workbook__barriers.sum", 0.25);
  c.remark =
      "reduce_warp_synchronous is the form of 2007 and not your kernel: lanes of a warp read what others wrote\n"
      "without a barrier in between. It was right while warps ran in lockstep. Since Volta they need not, and the\n"
      "race check reports it.";
  return run_chapter(argc, argv, c);
}
