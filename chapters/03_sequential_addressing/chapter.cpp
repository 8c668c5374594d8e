#include "chapters/chapter3.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter3();
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("no two lanes of a warp use the same bank", "bank conflicts per block", per_block,
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
  c.table.first_count = column_of(c.aim);
  return run_chapter(argc, argv, c);
}
