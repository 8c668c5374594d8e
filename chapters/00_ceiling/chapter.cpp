// Chapter 0: The ceiling: what a sum costs before any thought.

#include "workbook/chapter.hpp"
#include "workbook/library.hpp"

namespace workbook {
reduction chapter0_solution();
reduction chapter0_exercise();
reduction chapter0_atomics();
}  // namespace workbook

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c;
  c.number = 0;
  c.title = "The ceiling: what a sum costs before any thought";
  // One thread adds one element after the other: the longest way there is.
  const auto chain = [](std::size_t n, unsigned) { return n; };
  reduction solution = chapter0_solution(), exercise = chapter0_exercise(), atomics = chapter0_atomics();
  solution.depth = exercise.depth = atomics.depth = chain;
  c.ladder = {solution, atomics, exercise, library_reduction()};
  c.aim = {"one thread adds up all elements, and nothing else is wanted", "", {}};
  c.remark = "One thread, one atomic an element, and the library: everything between them is this workbook.";
  return run_chapter(argc, argv, c);
}
