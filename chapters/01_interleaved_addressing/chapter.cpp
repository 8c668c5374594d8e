// Chapter 1: Interleaved addressing: a tree in shared memory.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter0_solution();
reduction chapter1_solution();
reduction chapter1_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 1;
  c.title = "Interleaved addressing: a tree in shared memory";
  reduction previous = chapter0_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter1_solution(), chapter1_exercise(), library_reduction()};
  c.aim = {"the sum is right for every size and type, and no check has a finding", "", {}};
  return run_chapter(argc, argv, c);
}
