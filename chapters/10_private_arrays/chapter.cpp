#include "10_private_arrays/gather.hpp"
#include "chapters/chapter10.hpp"
#include "workbook/conditions.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter10();
  c.table = chapter10::table_of_arrays();
  const auto none_of = [](const char* metric, const char* counter) {
    return wanted_count{
        .metric = metric, .value = [counter](const outcome& o) { return total(o, counter); }, .slack = 0};
  };
  c.aim = {"no local memory and no bank conflict, whatever the index",
           {none_of("local loads", "smsp__sass_inst_executed_op_local_ld.sum"),
            none_of("local stores", "smsp__sass_inst_executed_op_local_st.sum"),
            none_of("bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")}};
  c.aim.conditions = work_conditions();
  c.aim.conditions.push_back(
      {"global load requests", "Keep a thread's array in shared memory or in registers.",
       [](const outcome& o) { return over_all(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"); }});
  return run_chapter(argc, argv, c);
}
