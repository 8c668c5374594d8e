#include "chapters/chapter7.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter7();
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("one tree serves many elements, so fewer threads do the work", "warps of the whole first pass", total,
                  "workbook__warps.sum", 0.25);
  return run_chapter(argc, argv, c);
}
