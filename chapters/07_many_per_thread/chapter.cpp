#include "chapters/chapter7.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter7();
  c.ladder.push_back(library_reduction());
  c.aim = {"one tree serves many elements", "warp instructions of the whole first pass",
           [](const outcome& o) { return total(o, "workbook__inst_executed.sum"); }, 0.25};
  return run_chapter(argc, argv, c);
}
