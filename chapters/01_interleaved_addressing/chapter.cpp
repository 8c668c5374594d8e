#include "chapters/chapter1.hpp"
#include "workbook/library.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  chapter c = make_chapter1();
  c.ladder.push_back(library_reduction());
  c.aim = {"the sum is right for every size and type, and no check has a finding", "", {}};
  return run_chapter(argc, argv, c);
}
