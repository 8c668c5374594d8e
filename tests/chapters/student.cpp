// A chapter's program whose student handed in the kernel that the first argument names: the reference of a chapter, or
// one of the wrong kernels. The other arguments are the program's.

#include <algorithm>
#include <cstdio>
#include <string>

#include "chapters/ladder.hpp"
#include "workbook/chapter.hpp"
#include "wrong_kernels/rungs.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  std::vector<reduction> known = all_references();
  const std::vector<reduction> wrong = wrong::zoo();
  known.insert(known.end(), wrong.begin(), wrong.end());
  const auto named = [&](const std::string& name) {
    return std::find_if(known.begin(), known.end(), [&](const reduction& r) { return r.name == name; });
  };
  const auto handed_in = named(argc > 1 ? argv[1] : "");
  if (handed_in == known.end()) {
    std::fprintf(stderr, "no such kernel\n");
    return 2;
  }
  chapter c;
  c.number = 3;
  c.title = "Sequential addressing, by a student";
  reduction previous = *named("reduce_strided"), reference = *named("reduce_sequential"), yours = *handed_in;
  previous.as = role::previous;
  yours.as = role::yours;
  yours.chapter = 3;
  yours.rejects = reference.rejects;
  c.ladder = {previous, reference, yours};
  c.aim = {"no two lanes of a warp meet in a bank", "bank conflicts per block",
           [](const outcome& o) { return per_block(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }};
  return run_chapter(argc - 1, argv + 1, c);
}
