#include "chapters/chapter1.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter1();
  c.ladder.push_back(library_reduction());
  c.aim = {"the sum is right for every size and type, and no check has a finding"};
  c.table.first_count = {"warp-level additions", "per block",
                         [](const outcome& o) { return per_block(o, "workbook__combines.sum"); }};
  return run_chapter(argc, argv, c);
}
