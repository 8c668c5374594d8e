// Chapter 6: Complete unrolling with templates.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter5_solution();
reduction chapter6_solution();
reduction chapter6_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 6;
  c.title = "Complete unrolling with templates";
  reduction previous = chapter5_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter6_solution(), chapter6_exercise(), library_reduction()};
  c.aim = {"the reduction loop is gone from the machine's work", "loop branches per warp",
           [](const outcome& o) { return per_warp(o, "workbook__loop_branches.sum"); }};
  return run_chapter(argc, argv, c);
}
