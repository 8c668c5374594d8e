#include "15_beyond_the_sum/segments.hpp"
#include "chapters/chapter15.hpp"
#include "workbook/conditions.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter15();
  c.table = chapter15::table_of_segments();
  c.aim = {"nobody waits for one thread, or for one warp",
           "journeys to memory in a row, and load requests beyond one for 8 elements", chapter15::journeys_and_requests,
           0.0045};  // of 15,000 requests: 67 journeys more than the reference. With warps alone it is 70 to 110.
  c.aim.conditions = work_conditions();
  return run_chapter(argc, argv, c);
}
