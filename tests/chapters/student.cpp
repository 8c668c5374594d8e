// A chapter's program with a student's kernel, which the first argument selects: the reference of a chapter, one of the
// wrong kernels, or one that prints. The other arguments are passed to the program. EXERCISE names the student's file,
// and EXERCISE_SHA256 is the hash of the text that was compiled.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "chapters/ladder.hpp"
#include "chapters/racy_at_goal.hpp"
#include "chapters/talkative_kernel.hpp"
#include "kernels/wrong_kernels/rungs.hpp"
#include "workbook/chapter.hpp"

int main(int argc, char** argv) {
  using namespace workbook;
  std::vector<reduction> known = all_references();
  const std::vector<reduction> wrong = wrong::zoo();
  known.insert(known.end(), wrong.begin(), wrong.end());
  known.push_back(workbook::make_rung("reduce_talkative", role::yours, 3, talkative_table()));
  known.push_back(workbook::make_rung("reduce_racy_at_goal", role::yours, 3, racy_at_goal_table()));
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
  if (const char* path = std::getenv("EXERCISE")) c.exercise_path = path;
  if (const char* compiled = std::getenv("EXERCISE_SHA256")) c.exercise_sha256 = compiled;
  c.aim = {"no two lanes of a warp use the same bank",
           {{"bank conflicts per block",
             [](const outcome& o) { return per_block(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }}}};
  c.table.first_count = column_of(c.aim);
  return run_chapter(argc - 1, argv + 1, c);
}
