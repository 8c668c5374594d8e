#include "15_beyond_the_sum/segments.hpp"
#include "chapters/chapter15.hpp"
#include "workbook/conditions.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter15();
  c.table = chapter15::table_of_segments();
  c.aim = {"nobody waits for one thread, or for one warp",
           {{.metric = "journeys to memory in a row", .value = chapter15::journeys, .slack = 0.25},
            // The reference needs fewer, but one request for 8 elements is always allowed.
            {.metric = "load requests per 8 elements",
             .value = chapter15::requests_per_8_elements,
             .slack = 0.005,
             .at_least = 1}}};
  c.aim.conditions = work_conditions();
  return run_chapter(argc, argv, c);
}
