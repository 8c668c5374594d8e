#include "chapters/chapter3.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter3();
  c.ladder.push_back(library_reduction());
  c.aim = {"no two lanes of a warp meet in a bank", "bank conflicts per block",
           [](const outcome& o) { return per_block(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }, 0.1,
           [](const outcome& o) { return over_all(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }};
  c.table.first_count = column_of(c.aim);
  return run_chapter(argc, argv, c);
}
