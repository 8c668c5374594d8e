// Tests that the search finds the programs of the article, has the same result for any number of threads, and reports
// what it cannot do.

#include "machine_code/superopt/search.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

namespace {

search_result search_for(const std::string& name, const search_settings& s) {
  const target t = load_target(name);
  return search(t, vocabulary_for(t), load_cost_table("turing"), s);
}

}  // namespace

TEST_CASE("with the default seed it finds a proved program of at most 62 cycles for the sum of 16 lanes") {
  search_settings s;
  s.stop_at = 62;
  const search_result r = search_for("sum16", s);
  CHECK(r.start.cycles == 108);
  CHECK(r.best.cycles <= 62);
  CHECK(r.equivalence.is == verdict::proved);
  // Proves the returned program once more.
  const target t = load_target("sum16");
  CHECK(prove_equivalent(r.best.code, t).is == verdict::proved);
  CHECK(cycles_of(r.best.code, t, load_cost_table("turing")) == r.best.cycles);
  CHECK(r.proposals < s.budget);
}

TEST_CASE("the result does not depend on the number of threads, but on the seed") {
  search_settings s;
  s.budget = 400'000;
  s.threads = 1;
  const search_result one = search_for("max16", s);
  for (const unsigned threads : {2u, 5u}) {
    s.threads = threads;
    const search_result more = search_for("max16", s);
    CHECK(more.best.code == one.best.code);
    CHECK(more.evaluated == one.evaluated);
    CHECK(more.accepted == one.accepted);
    CHECK(more.counterexamples == one.counterexamples);
  }
  s.seed = 2;
  CHECK(search_for("max16", s).accepted != one.accepted);
}

TEST_CASE("counterexamples become tests, and the returned program is still proved") {
  search_settings s;
  s.budget = 1'000'000;
  const search_result r = search_for("and16", s);
  CHECK(r.counterexamples > 0);
  CHECK(r.equivalence.is == verdict::proved);
  CHECK(r.tests == 32 + r.counterexamples);
}

TEST_CASE("a search without budget, chains, opcodes or latencies is refused in words") {
  const target t = load_target("sum16");
  const cost_table turing = load_cost_table("turing");
  const auto said = [&](const vocabulary& v, const search_settings& s) {
    return message_of([&] { (void)search(t, v, turing, s); });
  };
  search_settings none;
  none.budget = 0;
  CHECK_THAT(said(vocabulary_for(t), none), ContainsSubstring("budget of 0 proposals"));
  search_settings no_chain;
  no_chain.chains = 0;
  CHECK_THAT(said(vocabulary_for(t), no_chain), ContainsSubstring("at least one chain"));
  CHECK_THAT(said(vocabulary{}, {}), ContainsSubstring("no opcode"));
  vocabulary redux = vocabulary_for(t);
  add_opcode(redux, opcode::redux);
  CHECK_THAT(said(redux, {}), ContainsSubstring("no latency for REDUX"));
}
