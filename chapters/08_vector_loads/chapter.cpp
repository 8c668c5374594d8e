#include "chapters/chapter8.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter8();
  c.ladder.push_back(library_reduction());
  c.aim = {"one request brings the elements of four", "global load requests of the whole first pass",
           [](const outcome& o) { return total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"); }, 0.1,
           [](const outcome& o) { return over_all(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"); }};
  return run_chapter(argc, argv, c);
}
