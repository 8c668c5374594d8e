#include "chapters/chapter13.hpp"

#include <cmath>

#include "13_fused_pipelines/pipelines.hpp"
#include "workbook/conditions.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter13();
  c.table = chapter13::table_of_pipelines();
  // Rounded to a tenth of a byte, because results of a few more or fewer blocks don't matter.
  const auto bytes = [](const outcome& o) { return std::round(10 * chapter13::bytes_per_element(o)) / 10; };
  c.aim = {"every score is read once, every probability written once",
           {{"bytes per element", bytes},
            {"allocations per call", [](const outcome& o) { return o.allocations.value_or(0); }}}};
  c.remark =
      "The methods of a group do the same work. `bytes` are those of the sectors that global loads and stores "
      "touch; `allocs` are allocations of device memory by one call.";
  c.aim.conditions = work_conditions();
  return run_chapter(argc, argv, c);
}
