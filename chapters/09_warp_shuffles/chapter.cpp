#include "chapters/chapter9.hpp"
#include "workbook/library.hpp"

namespace {

double shared_work(const workbook::outcome& o) {
  using workbook::total;
  return total(o, "smsp__sass_inst_executed_op_shared_ld.sum") + total(o, "smsp__sass_inst_executed_op_shared_st.sum") +
         total(o, "workbook__barriers.sum");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter9();
  c.ladder.push_back(library_reduction());
  // How many blocks share the elements is the student's choice, and blocks with nothing to do are none.
  c.aim = {"one word of shared memory per warp, and one barrier", "shared loads, shared stores and barriers per block",
           [](const outcome& o) { return shared_work(o) / total(o, "workbook__blocks.sum"); }, 0.25,
           [](const outcome& o) { return shared_work(o) / busy_blocks(o); }};
  return run_chapter(argc, argv, c);
}
