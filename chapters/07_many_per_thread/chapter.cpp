// Chapter 7: Many elements a thread.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter6_solution();
reduction chapter7_solution();
reduction chapter7_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 7;
  c.title = "Many elements a thread";
  reduction previous = chapter6_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter7_solution(), chapter7_exercise(), library_reduction()};
  c.aim = {"one tree serves many elements", "warp instructions of the whole first pass",
           [](const outcome& o) { return total(o, "workbook__inst_executed.sum"); }, 0.25};
  return run_chapter(argc, argv, c);
}
