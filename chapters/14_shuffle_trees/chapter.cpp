#include "14_shuffle_trees/trees.hpp"
#include "chapters/chapter14.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter14();
  c.table = chapter14::table_of_sums();
  c.aim = {"the sum of a warp, in as few cycles as the reference by the model", "modelled cycles of the last step",
           chapter14::modelled_cycles_of};
  return run_chapter(argc, argv, c);
}
