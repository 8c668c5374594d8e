#include "chapters/chapter7.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter7();
  c.ladder.push_back(library_reduction());
  c.aim = {"one tree serves many elements, so fewer threads do the work", "warps of the whole first pass",
           [](const outcome& o) { return total(o, "workbook__warps.sum"); }, 0.25,
           [](const outcome& o) { return over_all(o, "workbook__warps.sum"); }};
  return run_chapter(argc, argv, c);
}
