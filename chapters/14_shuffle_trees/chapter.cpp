#include "14_shuffle_trees/trees.hpp"
#include "chapters/chapter14.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter14();
  c.table = chapter14::table_of_sums();
  c.aim = {"the sum of a warp, in as few cycles as the reference by the model",
           {{"modelled cycles of the last step", chapter14::modelled_cycles_of}}};
  // The model rates what the source does with one value. This condition rates what the kernel does with all values.
  c.aim.conditions = {
      {"cycles on a block's longest path", "Group shuffles that do not wait for each other.",
       [](const outcome& o) { return o.main_launch().path.cycles / static_cast<double>(o.main_launch().path.blocks); },
       1.03, /*beside_previous=*/false}};
  return run_chapter(argc, argv, c);
}
