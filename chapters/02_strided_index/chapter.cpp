#include "chapters/chapter2.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter2();
  c.ladder.push_back(library_reduction());
  c.aim = {"whole warps work or rest, so fewer warp-level additions do the same work", "warp-level additions per block",
           [](const outcome& o) { return per_block(o, "workbook__combines.sum"); }, 0.25,
           [](const outcome& o) { return over_all(o, "workbook__combines.sum"); }};
  c.table.first_count = column_of(c.aim);
  return run_chapter(argc, argv, c);
}
