#include "15_beyond_the_sum/segments.hpp"
#include "chapters/chapter15.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter15();
  c.table = chapter15::table_of_segments();
  c.aim = {"nobody waits for one thread, or for one warp", "journeys to memory in a row", chapter15::journeys};
  return run_chapter(argc, argv, c);
}
