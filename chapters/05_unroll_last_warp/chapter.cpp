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
      "reduce_warp_synchronous is the older form and not your kernel. Its lanes read what other lanes wrote without "
      "a barrier in between, which was right while warps ran in lockstep. Since Volta they need not, so the race check "
      "reports it.";
  return run_chapter(argc, argv, c);
}
