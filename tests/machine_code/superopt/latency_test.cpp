// Tests the model: cycles that were computed by hand, and tables that are accepted or refused.

#include <nlohmann/json.hpp>

#include "machine_code/superopt/chain.hpp"
#include "machine_code/superopt/print.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

TEST_CASE("the chain takes 108 cycles and the article's ten instructions 62, with shuffles of 23 and additions of 4") {
  const cost_table turing = load_cost_table("turing");
  // The chain takes four times 23 + 4 cycles.
  const target chain = load_target("sum16");
  CHECK(cycles_of(chain.code, chain, turing) == 108);
  // Shuffles are issued at 0, 1 and 2. The first sum, at 23, uses the first of them, and the second, at 27, uses the
  // others and is ready at 31. Then the same again: 62.
  const target tree = load_target("sum16_tree");
  const schedule s = schedule_of(tree.code, tree, turing);
  const unsigned issue[] = {0, 1, 2, 23, 27, 31, 32, 33, 54, 58};
  for (unsigned k = 0; k < 10; ++k) CHECK(s.issue[k] == issue[k]);
  CHECK(s.cycles == 62);
}

TEST_CASE("the model knows widths, intervals, and registers that are still being written") {
  auto cycles = [](const char* table, const target& t) {
    return cycles_of(t.code, t, parse_cost_table(nlohmann::json::parse(table), "table"));
  };
  const target three =
      parse_target("input r3\noutput r4\noutput r5\noutput r6\nMOV r4, r3\nMOV r5, r3\nMOV r6, r3\n", "t");
  // The instructions issue at 0, 1, 2; with two per cycle at 0, 0, 1; and with one every 5 cycles at 0, 5, 10.
  CHECK(cycles(R"({"instructions": {"MOV": {"latency": 4}}})", three) == 6);
  CHECK(cycles(R"({"issue_width": 2, "instructions": {"MOV": {"latency": 4}}})", three) == 5);
  CHECK(cycles(R"({"instructions": {"MOV": {"latency": 4, "interval": 5}}})", three) == 14);
  // The second write to r4 waits for the first one: 20 cycles, then 4 more.
  const target twice = parse_target("input r3\noutput r4\nSHFL.DOWN r4, r3, 1\nMOV r4, r3\n", "t");
  CHECK(cycles(R"({"instructions": {"MOV": {"latency": 4}, "SHFL": {"latency": 20}}})", twice) == 24);
}

TEST_CASE("every cost table of the project names the source of each figure") {
  REQUIRE_FALSE(known_cost_tables().empty());
  for (const std::string& name : known_cost_tables()) {
    INFO(name);
    const cost_table table = load_cost_table(name);
    CHECK_FALSE(table.provenance.empty());
    for (unsigned k = 0; k < family_count; ++k) CHECK((table.latency[k] == 0 || !table.source[k].empty()));
  }
}

TEST_CASE("a cost table that cannot be used is refused in words") {
  struct expectation {
    const char* text;
    const char* words;
  };
  for (const auto& [text, words] :
       {expectation{"[]", "no \"instructions\""},
        {R"({"instructions": {"FADD": {"latency": 4}}})", "unknown instruction 'FADD'; there are SHFL"},
        {R"({"instructions": {"SHFL": {}}})", "SHFL has no \"latency\""},
        {R"({"instructions": {"SHFL": {"latency": 0}}})", "the latency of SHFL is 0"},
        {R"({"instructions": {"SHFL": {"latency": 2.5}}})", "whole number"},
        {R"({"issue_width": -1, "instructions": {}})", "issue_width"}}) {
    INFO(text);
    CHECK_THAT(message_of([&] { (void)parse_cost_table(nlohmann::json::parse(text), "t"); }), ContainsSubstring(words));
  }
  CHECK_THAT(message_of([] { (void)load_cost_table("pascal"); }), ContainsSubstring("turing"));
  const target redux = lane_zero("REDUX.SUM r4, r3\n");
  CHECK_THAT(message_of([&] { demand_known(redux.code, load_cost_table("turing")); }), ContainsSubstring("REDUX"));
}

TEST_CASE("the graph has an edge for each register that an instruction reads, and its longest path stands out") {
  const target t = load_target("sum4");
  const std::string dot = print_dot(t.code, t, load_cost_table("turing"));
  for (const char* edge :
       {"in3 -> i0;", "in3 -> i1;", "i0 -> i1;", "i1 -> i2;", "i1 -> i3;", "i2 -> i3;", "i3 -> out4;"})
    CHECK_THAT(dot, ContainsSubstring(edge));
  // All nodes on the critical path are marked.
  for (const char* node : {"SHFL.DOWN r4, r3, 2\\n0 to 23\", penwidth=3", "IADD r4, r4, r5\\n50 to 54\", penwidth=3"})
    CHECK_THAT(dot, ContainsSubstring(node));
}
