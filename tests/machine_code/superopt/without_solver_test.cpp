// Tests a build without Z3. It can search, but does not claim that anything is proved.

#include "machine_code/superopt/exhaustive.hpp"
#include "machine_code/superopt/search.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

TEST_CASE("without a solver the found program is 'not proved', and the target stays the best known one") {
  REQUIRE_FALSE(can_prove());
  const target t = load_target("sum4");
  const cost_table turing = load_cost_table("turing");
  search_settings s;
  s.budget = 1'600'000;
  const search_result r = search(t, vocabulary_for(t), turing, s);
  CHECK(r.best.code == t.code);
  REQUIRE(r.unproved);
  CHECK(r.unproved->cycles < 54);
  CHECK_THAT(r.why_unproved, ContainsSubstring("no Z3 (package libz3-dev)"));
  exhaustive_settings e;
  e.instructions = 5;
  vocabulary v;
  add_opcode(v, opcode::shfl_down);
  add_opcode(v, opcode::iadd3);
  const exhaustive_result all = search_exhaustively(t, v, turing, e);
  CHECK_FALSE(all.complete);
  CHECK_THAT(all.why_incomplete, ContainsSubstring("not proved"));
}
