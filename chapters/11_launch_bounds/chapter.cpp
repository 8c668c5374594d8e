#include <limits>

#include "11_launch_bounds/sums.hpp"
#include "chapters/chapter11.hpp"
#include "workbook/conditions.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter11();
  c.table = chapter11::table_of_versions();
  c.aim = {"wide loads of both arrays, and not one register spilled",
           {{"global load requests", [](const outcome& o) {
               const bool spilled = o.compiled && o.compiled->local_bytes != 0;
               return spilled ? std::numeric_limits<double>::quiet_NaN()
                              : total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
             }}}};
  c.aim.conditions = work_conditions();
  return run_chapter(argc, argv, c);
}
