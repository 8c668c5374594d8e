// Chapter 3: Sequential addressing: no bank conflicts.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter2_solution();
reduction chapter3_solution();
reduction chapter3_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 3;
  c.title = "Sequential addressing: no bank conflicts";
  reduction previous = chapter2_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter3_solution(), chapter3_exercise(), library_reduction()};
  c.aim = {"no two lanes of a warp meet in a bank", "bank conflicts per block",
           [](const outcome& o) { return per_block(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }};
  return run_chapter(argc, argv, c);
}
