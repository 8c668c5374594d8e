// Chapter 2: A strided index instead of a divergent branch.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter1_solution();
reduction chapter2_solution();
reduction chapter2_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 2;
  c.title = "A strided index instead of a divergent branch";
  reduction previous = chapter1_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter2_solution(), chapter2_exercise(), library_reduction()};
  c.aim = {"whole warps work or rest, so fewer warp-level additions do the same work", "warp-level additions per block",
           [](const outcome& o) { return per_block(o, "workbook__combines.sum"); }, 0.25};
  return run_chapter(argc, argv, c);
}
