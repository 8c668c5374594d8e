// Chapter 5: Unroll the last warp.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter4_solution();
reduction chapter5_solution();
reduction chapter5_exercise();
reduction chapter5_history();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 5;
  c.title = "Unroll the last warp";
  reduction previous = chapter4_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter5_solution(), chapter5_exercise(), chapter5_history(), library_reduction()};
  c.aim = {"the last warp works without block barriers", "barriers per block",
           [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); }, 0.25};
  c.remark =
      "reduce_warp_synchronous is the form of 2007: lanes of a warp read what others wrote with nothing between. It "
      "was\n"
      "right while warps ran in lockstep; since Volta they need not, and the race check says so.";
  return run_chapter(argc, argv, c);
}
