// Chapter 8: Vector loads.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter7_solution();
reduction chapter8_solution();
reduction chapter8_exercise();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 8;
  c.title = "Vector loads: 16 bytes an instruction";
  reduction previous = chapter7_solution();
  previous.as = role::previous;
  c.ladder = {previous, chapter8_solution(), chapter8_exercise(), library_reduction()};
  c.aim = {"one request brings the elements of four", "global load requests of the whole first pass",
           [](const outcome& o) { return total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"); }};
  return run_chapter(argc, argv, c);
}
