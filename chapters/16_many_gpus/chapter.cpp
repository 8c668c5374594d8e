#include "16_many_gpus/all_reduce.hpp"
#include "16_many_gpus/launched.hpp"
#include "chapters/chapter16.hpp"
#include "workbook/conditions.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  // If mpirun has started this program, there are several processes, and they run a different program.
  if (const std::optional<int> status = chapter16::run_as_rank(argv)) return *status;
  chapter c = make_chapter16();
  c.table = chapter16::table_of_all_reduce();
  // Chunks that are rounded up instead of divided evenly need a little more. Summing in one step needs twice as much.
  c.aim = {"in no step do many bytes have to pass one port",
           {{.metric = "vectors through the busiest port",
             .value = chapter16::vectors_through_busiest_port,
             .slack = 0.05}}};
  c.aim.why = chapter16::why_ports_are_busy;
  c.aim.conditions = work_conditions();
  return run_chapter(argc, argv, c);
}
