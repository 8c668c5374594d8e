// Selects and stores the tests of a target.

#include <algorithm>

#include "machine_code/superopt/evaluate.hpp"

namespace superopt {
namespace {

/// Returns a test in which every value of every input is `elsewhere`.
test_case constant_test(const target& t, std::uint32_t elsewhere) {
  test_case test(t.inputs.size());
  for (auto& lanes : test) lanes.fill(elsewhere);
  return test;
}

std::vector<std::uint32_t> outputs_of(const target& t, const test_case& test) {
  std::vector<std::uint32_t> values;
  for (const place& out : t.outputs) {
    const auto lanes = run(t.code, t, test, out.reg);
    for_lanes(out.lanes, [&](unsigned l) { values.push_back(lanes[l]); });
  }
  return values;
}

/// Returns one test for each defined lane. It has the value `there` in this lane, and `elsewhere` in all other lanes.
/// Sets `telling` to the number of tests whose outputs differ from those for `elsewhere` in all lanes.
std::vector<test_case> one_lane_tests(const target& t, std::uint32_t there, std::uint32_t elsewhere,
                                      unsigned& telling) {
  const std::vector<std::uint32_t> background = outputs_of(t, constant_test(t, elsewhere));
  std::vector<test_case> tests;
  telling = 0;
  for (std::size_t k = 0; k < t.inputs.size(); ++k) {
    for_lanes(t.inputs[k].lanes, [&](unsigned l) {
      test_case test = constant_test(t, elsewhere);
      test[k][l] = there;
      telling += outputs_of(t, test) != background ? 1 : 0;
      tests.push_back(std::move(test));
    });
  }
  return tests;
}

}  // namespace

test_case random_test(const target& t, random_source& random) {
  test_case test(t.inputs.size());
  for (auto& lanes : test) {
    const std::uint32_t kind = random.below(4);
    for (std::uint32_t& value : lanes) {
      const std::uint32_t any = static_cast<std::uint32_t>(random.bits() >> 32);
      value = kind == 0 ? any % 17 - 8 : kind == 1 ? any >> (any & 31) : any;
    }
  }
  return test;
}

test_suite::test_suite(const target& t, std::uint64_t seed) : target_(t), needed_(find_needed(t.code, t).needed) {
  // For a sum, a one among zeros makes a difference. For an unsigned minimum or
  // an AND, a zero among ones does.
  const std::uint32_t pairs[][2] = {{1, 0}, {0xffffffffu, 0}, {0, 0xffffffffu}};
  std::vector<test_case> best;
  unsigned most = 0;
  for (const auto& [there, elsewhere] : pairs) {
    unsigned telling = 0;
    std::vector<test_case> tests = one_lane_tests(t, there, elsewhere, telling);
    if (telling > most || best.empty()) best = std::move(tests);
    most = std::max(most, telling);
  }
  for (const place& out : t.outputs) output_lanes_ += static_cast<unsigned>(__builtin_popcount(out.lanes));
  // Fills the last block by repeating the first tests.
  for (std::size_t k = 0; best.size() % tests_per_block != 0; ++k) best.push_back(best[k]);
  lane_blocks_ = best.size() / tests_per_block;
  random_source random(seed);
  for (unsigned k = 0; k < tests_per_block; ++k) best.push_back(random_test(t, random));
  for (std::size_t from = 0; from < best.size(); from += tests_per_block) {
    add_block({best.begin() + static_cast<std::ptrdiff_t>(from),
               best.begin() + static_cast<std::ptrdiff_t>(from + tests_per_block)});
  }
}

void test_suite::add(const test_case& test) {
  if (last_.size() < tests_per_block) {
    last_.push_back(test);
    tests_ -= static_cast<unsigned>(last_.size()) - 1;
    blocks_.pop_back();
    add_block(std::vector<test_case>(last_));
  } else {
    add_block({test});
  }
}

void test_suite::add_block(const std::vector<test_case>& tests) {
  last_ = tests;
  tests_ += static_cast<unsigned>(tests.size());
  test_block block;
  register_file m;
  for (std::size_t k = 0; k < target_.inputs.size(); ++k) {
    rows in{};
    for_lanes(target_.inputs[k].lanes, [&](unsigned l) {
      for (unsigned j = 0; j < tests_per_block; ++j) in[l][j] = tests[j % tests.size()][k][l];
    });
    block.inputs.push_back(in);
    m.registers[target_.inputs[k].reg] = in;
  }
  for (unsigned k = 0; k < target_.code.size(); ++k) execute(m, target_.code[k], needed_[k]);
  for (const place& out : target_.outputs) block.expected.push_back(m.registers[out.reg]);
  blocks_.push_back(std::move(block));
}

}  // namespace superopt
