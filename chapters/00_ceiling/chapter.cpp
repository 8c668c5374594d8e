#include "chapters/chapter0.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter0();
  c.ladder.insert(c.ladder.begin() + 1, chapter0_atomics());
  c.ladder.push_back(library_reduction());
  c.aim = {"one thread adds up all elements, and nothing else is wanted"};
  c.table.first_count = {"instructions", "per element",
                         [](const outcome& o) { return per_element(o, "workbook__inst_executed.sum"); }};
  c.remark =
      "One thread, one atomic per element, and the library: everything between them is "
      "this workbook.";
  return run_chapter(argc, argv, c);
}
