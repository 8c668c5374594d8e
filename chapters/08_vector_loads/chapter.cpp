#include "chapters/chapter8.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter8();
  c.ladder.push_back(library_reduction());
  c.aim = goal_of("one request brings the elements of four", "global load requests of the whole first pass", total,
                  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  return run_chapter(argc, argv, c);
}
