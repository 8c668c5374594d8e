// Tests the search through all programs of a small size.

#include "machine_code/superopt/exhaustive.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

namespace {

vocabulary of(std::initializer_list<opcode> opcodes) {
  vocabulary v;
  for (const opcode op : opcodes) add_opcode(v, op);
  return v;
}

}  // namespace

TEST_CASE("no program of five instructions sums four lanes in fewer than 31 cycles, and one of 31 is found") {
  // Three shuffles are issued at 0, 1 and 2. The sum of two starts at 23 and the sum of three at 27.
  const target t = load_target("sum4");
  const cost_table turing = load_cost_table("turing");
  const vocabulary v = of({opcode::shfl_down, opcode::iadd3});
  exhaustive_settings s;
  s.instructions = 5;
  const exhaustive_result r = search_exhaustively(t, v, turing, s);
  CHECK(r.complete);
  REQUIRE(r.best);
  CHECK(r.best->cycles == 31);
  CHECK(r.equivalence.is == verdict::proved);
  // With four instructions there is only one program, the chain of two shuffles and two additions.
  s.instructions = 4;
  s.below_cycles = 54;
  const exhaustive_result four = search_exhaustively(t, v, turing, s);
  CHECK(four.complete);
  CHECK_FALSE(four.best);
  s.below_cycles = 55;
  CHECK(search_exhaustively(t, v, turing, s).best->cycles == 54);
}

TEST_CASE("a non-linear target is searched without the shortcut, and Z3 judges programs that pass the tests") {
  const target t = lane_zero("SHFL.DOWN r5, r3, 1\nMOV r6, r5\nIMNMX.MAX r4, r3, r6\n");
  exhaustive_settings s;
  s.instructions = 3;
  vocabulary v = of({opcode::shfl_down, opcode::mov});
  CHECK(is_linear(v));
  add_opcode(v, opcode::imnmx);
  CHECK_FALSE(is_linear(v));
  const exhaustive_result r = search_exhaustively(t, v, load_cost_table("turing"), s);
  CHECK(r.complete);
  REQUIRE(r.best);
  CHECK(r.best->code.size() == 2);
  CHECK(r.best->cycles == 27);
}

TEST_CASE("a search that stops early proves nothing, and says so") {
  const target t = load_target("sum4");
  exhaustive_settings s;
  s.instructions = 5;
  s.max_nodes = 1000;
  const exhaustive_result r = search_exhaustively(t, vocabulary_for(t), load_cost_table("turing"), s);
  CHECK_FALSE(r.complete);
  CHECK_THAT(r.why_incomplete, ContainsSubstring("gave up after 1000"));
  s.instructions = 0;
  CHECK_THAT(message_of([&] { (void)search_exhaustively(t, vocabulary_for(t), load_cost_table("turing"), s); }),
             ContainsSubstring("0 instructions"));
}
