// Tests the values that programs compute, the lanes that matter, and the tests that a target gets.

#include <numeric>

#include "machine_code/superopt/mutate.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

namespace {

test_case lanes(const target& t, std::uint64_t seed) {
  random_source random(seed);
  return random_test(t, random);
}

}  // namespace

TEST_CASE("the project's own reductions compute the requested operation") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto first = [&](const std::string& name, auto expected) {
      const target t = load_target(name);
      const test_case input = lanes(t, seed);
      unsigned count = 0;
      while (count < 32 && (t.inputs[0].lanes >> count & 1) != 0) ++count;
      INFO(name << ", seed " << seed);
      const auto got = run(t.code, t, input, t.outputs[0].reg);
      for (unsigned l = 0; l < 32; ++l) {
        if ((t.outputs[0].lanes >> l & 1) != 0) CHECK(got[l] == expected(input[0].data(), count));
      }
    };
    const auto sum = [](const std::uint32_t* x, unsigned n) { return std::accumulate(x, x + n, 0u); };
    for (const char* name : {"sum4", "sum16", "sum16_tree", "sum32", "sum32_all"}) first(name, sum);
    first("min8", [](const std::uint32_t* x, unsigned n) { return *std::min_element(x, x + n); });
    first("max16", [](const std::uint32_t* x, unsigned n) {
      return *std::max_element(
          x, x + n, [](auto a, auto b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b); });
    });
    first("and16", [](const std::uint32_t* x, unsigned n) { return std::accumulate(x, x + n, ~0u, std::bit_and<>()); });
    first("xor32", [](const std::uint32_t* x, unsigned n) { return std::accumulate(x, x + n, 0u, std::bit_xor<>()); });
  }
}

TEST_CASE("lanes that matter are those that an output depends on") {
  const target t = load_target("sum16");
  const liveness found = find_needed(t.code, t);
  CHECK_FALSE(found.undefined);
  // The sums of 16, 8, 4, 2 lanes are needed in 8, 4, 2, 1 lanes, and so are the shuffles before them.
  const std::uint32_t needed[] = {0xff, 0xff, 0x0f, 0x0f, 0x03, 0x03, 0x01, 0x01};
  for (unsigned k = 0; k < 8; ++k) CHECK(found.needed[k] == needed[k]);
  program with_dead = t.code;
  with_dead.insert(3, parse_instruction("SHFL.IDX r9, r3, 2"));
  CHECK(without_dead_code(with_dead, t) == t.code);
}

TEST_CASE("evaluating only the lanes that matter gives the same as evaluating all") {
  // Runs random programs, because the results of the tests must not depend on the shortcut.
  random_source random(7);
  for (const char* name : {"sum16", "sum32_all", "max16", "xor32"}) {
    const target t = load_target(name);
    vocabulary v = vocabulary_for(t);
    for (unsigned k = 0; k < opcode_count; ++k) add_opcode(v, static_cast<opcode>(k));
    const test_suite tests(t, 3);
    unsigned judged = 0;
    for (int k = 0; k < 2000; ++k) {
      program p = t.code;
      for (int moves = 0; moves < 1 + k % 6; ++moves) (void)mutate(p, t, v, random);
      const liveness found = find_needed(p, t);
      if (found.undefined) continue;
      ++judged;
      const test_case input = random_test(t, random);
      const auto all = run(p, t, input, t.outputs[0].reg), wanted = run(t.code, t, input, t.outputs[0].reg);
      const auto live = run(without_dead_code(p, t), t, input, t.outputs[0].reg);
      bool equal = true;
      for (unsigned l = 0; l < 32; ++l) {
        if ((t.outputs[0].lanes >> l & 1) == 0) continue;
        CHECK(all[l] == live[l]);
        equal = equal && all[l] == wanted[l];
      }
      if (tests.failures(p, found.needed).none()) CHECK(equal);
      if (!equal) CHECK_FALSE(tests.failures(p, found.needed).none());
    }
    CHECK(judged > 300);
  }
}

TEST_CASE("the share of failed lane tests shows the number of missing lanes") {
  const target t = load_target("sum16");
  const test_suite tests(t, 1);
  const auto missing = [&](const program& p) { return tests.failures(p, find_needed(p, t).needed).lane_tests * 16; };
  CHECK(missing(t.code) == 0);
  // Without the last step, the values of lanes 1, 3, 5, … are missing, which are 8. With lane 0 alone, 15 are missing.
  program p = t.code;
  p.pop_back();
  CHECK(missing(p) == 8);
  CHECK(missing(parse_program("MOV r4, r3")) == 15);
}

TEST_CASE("moves keep programs within the vocabulary, and never read an unwritten register") {
  const target t = load_target("sum16");
  const vocabulary v = vocabulary_for(t);
  CHECK(v.length == 16);
  random_source random(11);
  program p = t.code;
  std::array<unsigned, opcode_count> seen{};
  for (int k = 0; k < 20000; ++k) {
    (void)mutate(p, t, v, random);
    REQUIRE(p.size() <= v.length);
    for (const instruction& i : p) {
      ++seen[static_cast<std::size_t>(i.op)];
      REQUIRE(std::find(v.opcodes.begin(), v.opcodes.end(), i.op) != v.opcodes.end());
      REQUIRE(parse_instruction(to_text(i)) == i);
    }
  }
  for (const opcode op : v.opcodes) CHECK(seen[static_cast<std::size_t>(op)] > 1000);
}
