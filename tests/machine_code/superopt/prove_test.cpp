// Tests proofs: right programs are proved, wrong ones are refuted by an input that shows the error, and a proof that is
// given up is reported.

#include "machine_code/superopt/prove.hpp"
#include "machine_code/superopt/search.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

namespace {

/// r3 plus the bitwise AND of r3 over all lanes. The AND is 0 for nearly all inputs, so only a chosen input shows that
/// the program differs from r3.
const char* const sly = "REDUX.AND r5, r3\nIADD r4, r3, r5\n";

}  // namespace

TEST_CASE("the article's ten instructions are proved equal to the chain, for every operator that has a tree") {
  const target chain = load_target("sum16");
  program tree = load_target("sum16_tree").code;
  tree[9].destination = 4;
  CHECK(prove_equivalent(tree, chain).is == verdict::proved);
  for (const std::string& name : known_targets()) {
    const target t = load_target(name);
    INFO(name);
    CHECK(prove_equivalent(t.code, t).is == verdict::proved);
  }
  // The target is the largest of 16 values, with four of them combined per step.
  const target most = load_target("max16");
  std::string text;
  for (const char* step : {"3 12 8 4", "9 3 2 1"}) {
    unsigned from = 0, a = 0, b = 0, c = 0;
    REQUIRE(std::sscanf(step, "%u %u %u %u", &from, &a, &b, &c) == 4);
    const std::string r = "r" + std::to_string(from);
    text += "SHFL.DOWN r0, " + r + ", " + std::to_string(a) + "\nSHFL.DOWN r1, " + r + ", " + std::to_string(b) +
            "\nSHFL.DOWN r2, " + r + ", " + std::to_string(c) + "\nIMNMX.MAX r5, r0, r1\nIMNMX.MAX r6, r2, " + r +
            "\nIMNMX.MAX r9, r6, r5\n";
  }
  CHECK(prove_equivalent(parse_program(text + "MOV r4, r9\n"), most).is == verdict::proved);
}

TEST_CASE("a wrong program that passes all tests is refuted, and the counterexample is a test that it fails") {
  const target t = lane_zero("MOV r4, r3\n");
  const program wrong = parse_program(sly);
  test_suite tests(t, 1);
  const needed_lanes needed = find_needed(wrong, t).needed;
  REQUIRE(tests.failures(wrong, needed).none());
  const proof p = prove_equivalent(wrong, t);
  REQUIRE(p.is == verdict::refuted);
  REQUIRE(p.counterexample);
  CHECK(run(wrong, t, *p.counterexample, 4)[0] != run(t.code, t, *p.counterexample, 4)[0]);
  const unsigned before = tests.test_count();
  tests.add(*p.counterexample);
  CHECK(tests.test_count() == before + 1);
  CHECK_FALSE(tests.failures(wrong, needed).none());
  CHECK(tests.failures(t.code, find_needed(t.code, t).needed).none());
}

TEST_CASE("wrong in one lane, wrong for one value and wrong beyond the warp are refuted") {
  const auto is = [](const target& t, const char* code) { return prove_equivalent(parse_program(code), t).is; };
  const target all = parse_target("input r3\noutput r4\nSHFL.DOWN r4, r3, 1\n", "t");
  CHECK(is(all, "SHFL.DOWN r4, r3, 1") == verdict::proved);
  // Lane 31 must get its own value, not lane 0's.
  CHECK(is(all, "SHFL.DOWN r5, r3, 1\nSHFL.IDX r6, r3, 0\nSEL r4, r5, r6, 0x7fffffff") == verdict::refuted);
  CHECK(is(all, "SHFL.DOWN r5, r3, 1\nSEL r4, r5, r3, 0x7fffffff") == verdict::proved);
  const target least = parse_target("input r3\noutput r4\nIMNMX.MIN r4, r3, rz\n", "t");
  CHECK(is(least, "IMNMX.U32.MIN r4, r3, rz") == verdict::refuted);
  CHECK(is(least, "IMNMX.MAX r5, r3, rz\nIADD r4, r3, rz\nIMNMX.MIN r4, r4, rz") == verdict::proved);
  // These bitwise functions are given by their table: 0xe8 is the majority, (a & b) | (a & c) | (b & c).
  const target majority = parse_target("input r3\ninput r5\ninput r6\noutput r4\nLOP3 r4, r3, r5, r6, 0xe8\n", "t");
  const char* by_steps =
      "LOP3 r0, r3, r5, rz, 0xc0\nLOP3 r1, r3, r5, rz, 0xfc\nLOP3 r1, r1, r6, rz, 0xc0\nLOP3 r4, r0, r1, rz, 0xfc";
  CHECK(is(majority, by_steps) == verdict::proved);
  CHECK(is(majority, "LOP3 r4, r3, r5, r6, 0xe9") == verdict::refuted);
}

TEST_CASE("if Z3 gives up, the verdict is 'not proved', and the search keeps the proved program") {
  // Computes x + y in a different way. Z3 has no normal form for it, so it has to search, and the limit allows no steps
  // for that.
  const target sum = parse_target("input r3\ninput r5\noutput r4 lanes 0\nIADD r4, r3, r5\n", "t");
  const program other = parse_program("LOP3 r0, r3, r5, rz, 0xfc\nLOP3 r1, r3, r5, rz, 0xc0\nIADD r4, r0, r1");
  CHECK(prove_equivalent(other, sum).is == verdict::proved);
  proof_limits none;
  none.steps = 1;
  const proof gave_up = prove_equivalent(other, sum, none);
  CHECK(gave_up.is == verdict::unknown);
  CHECK_THAT(to_text(gave_up), ContainsSubstring("not proved: Z3 gave up"));

  search_settings s;
  s.budget = 400'000;
  s.proof = none;
  const target t = load_target("sum4");
  const search_result r = search(t, vocabulary_for(t), load_cost_table("turing"), s);
  CHECK(r.best.code == t.code);
  REQUIRE(r.unproved);
  CHECK(r.unproved->cycles < 54);
  CHECK_THAT(r.why_unproved, ContainsSubstring("gave up"));
}
