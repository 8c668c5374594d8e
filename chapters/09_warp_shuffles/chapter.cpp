#include "chapters/chapter9.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter9();
  c.ladder.push_back(library_reduction());
  c.aim = {"one word of shared memory per warp, and one barrier", "shared loads, shared stores and barriers per block",
           [](const outcome& o) {
             return per_block(o, "smsp__sass_inst_executed_op_shared_ld.sum") +
                    per_block(o, "smsp__sass_inst_executed_op_shared_st.sum") + per_block(o, "workbook__barriers.sum");
           },
           0.25};
  return run_chapter(argc, argv, c);
}
