// Tests when a goal is reached. The counts are made up, so that each way of missing the goal is tested separately.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "workbook/conditions.hpp"
#include "workbook/goal.hpp"
#include "workbook/mistakes.hpp"
#include "workbook/strict_groups.hpp"

using namespace workbook;

namespace {

constexpr const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr const char* blocks = "workbook__blocks.sum";
constexpr const char* executed = "workbook__inst_executed.sum";

emulator::launch_report launch(std::uint64_t block_count, std::uint64_t conflict_count) {
  emulator::launch_report r;
  r.kernel = "chapter3::exercise::reduce<int>(int const*, int*, unsigned long)";
  r.counters = {{blocks, block_count}, {conflicts, conflict_count}, {executed, 100 * block_count}};
  r.busiest_block = 100;
  return r;
}

outcome row(role as, std::vector<emulator::launch_report> launches) {
  outcome o;
  o.as = as;
  o.verified = true;
  o.count = 1 << 20;
  o.passes = launches.size();
  o.launches = std::move(launches);
  return o;
}

specimen kernel(role as) {
  specimen one;
  one.as = as;
  return one;
}

goal no_conflicts() {
  return goal_of("no two lanes meet", "bank conflicts per block", per_block, conflicts);
}

std::vector<outcome> beside(std::vector<emulator::launch_report> yours) {
  return {row(role::previous, {launch(1000, 45000), launch(8, 360)}),
          row(role::reference, {launch(1000, 0), launch(8, 0)}), row(role::yours, std::move(yours))};
}

}  // namespace

TEST_CASE("an average that falls by idle blocks, or by work in another launch, reaches no goal") {
  const goal aim = no_conflicts();
  CHECK(evaluate(aim, beside({launch(1000, 0), launch(8, 0)})).reached);
  CHECK_FALSE(evaluate(aim, beside({launch(1000, 45000), launch(8, 360)})).reached);
  const goal_state diluted = evaluate(aim, beside({launch(100'000, 45000), launch(8, 360)}));
  CHECK(diluted.counts[0].yours <= diluted.counts[0].allowed);
  CHECK_FALSE(diluted.reached);
  CHECK_FALSE(evaluate(aim, beside({launch(1000, 0), launch(900, 45000)})).reached);
  const std::string said = goal_text(aim, diluted, 3);
  CHECK_THAT(said, ContainsSubstring("Over all launches it is 45360") && ContainsSubstring("Not reached"));
}

TEST_CASE("fewer and larger blocks reach the goal by the total of all blocks") {
  const goal aim = no_conflicts();
  const std::vector<outcome> rows = beside({launch(10, 4000), launch(1, 0)});
  const goal_state g = evaluate(aim, rows);
  CHECK(g.counts[0].yours > g.counts[0].allowed);
  CHECK(g.reached);
  CHECK_THAT(goal_text(aim, evaluate(aim, rows), 3),
             ContainsSubstring("another solution") && ContainsSubstring("Reached on this input"));
}

TEST_CASE("each of several counts has its own target and its own room, and all must be low enough") {
  const goal aim{"few conflicts and few blocks",
                 {{"bank conflicts", [](const outcome& o) { return total(o, conflicts); }, 0.25},
                  {.metric = "blocks", .value = [](const outcome& o) { return total(o, blocks); }, .room = 3},
                  {.metric = "launches", .value = [](const outcome&) { return 1.0; }, .at_least = 2}}};
  const auto judged = [&](std::uint64_t block_count, std::uint64_t conflict_count) {
    return evaluate(aim, {row(role::previous, {launch(10, 400)}), row(role::reference, {launch(10, 0)}),
                          row(role::yours, {launch(block_count, conflict_count)})});
  };
  CHECK(judged(13, 100).reached);
  // If one count is below its limit, another one may still not exceed its own.
  CHECK_FALSE(judged(10, 101).reached);
  CHECK_FALSE(judged(14, 0).reached);
  const std::string missed = goal_text(aim, judged(14, 0), 3);
  CHECK_THAT(missed, ContainsSubstring("  bank conflicts: wanted 0, before 400, yours 0.\n"
                                       "  blocks: wanted 10, before 10, yours 14.\n"
                                       "  launches: wanted 2, before 1, yours 1.\n"));
  CHECK_THAT(goal_text(aim, judged(13, 100), 3), ContainsSubstring("Up to 100 is as good for bank conflicts") &&
                                                     ContainsSubstring("Up to 13 is as good for blocks") &&
                                                     !ContainsSubstring("for launches"));
  const nlohmann::json data = goal_json(aim, judged(14, 0));
  CHECK(data.at("counts").size() == 3);
  CHECK(data.at("counts").at(1).at("allowed") == 13);
  CHECK_FALSE(data.at("reached").get<bool>());
}

TEST_CASE("a condition allows a multiple of the larger of reference and chapter before, and always so much") {
  goal aim = no_conflicts();
  aim.conditions = {{"warp instructions", "Do less.", [](const outcome& o) { return over_all(o, executed); }, 2}};
  CHECK(evaluate(aim, beside({launch(2016, 0)})).reached);
  const std::vector<outcome> rows = beside({launch(2017, 0)});
  CHECK_FALSE(evaluate(aim, rows).reached);
  CHECK_THAT(goal_text(aim, evaluate(aim, rows), 3),
             ContainsSubstring("But warp instructions: at most 201600 wanted, yours 201700. Do less."));
  aim.conditions[0].at_least = 300'000;
  CHECK(evaluate(aim, rows).reached);
  // A condition is ignored if its value is unknown for all other rows, or for the student's.
  aim.conditions[0].at_least = 0;
  aim.conditions[0].value = [](const outcome& o) { return o.as == role::yours ? 1e9 : NAN; };
  CHECK(evaluate(aim, rows).reached);
  aim.conditions[0].value = [](const outcome& o) { return o.as == role::yours ? NAN : 1.0; };
  CHECK(evaluate(aim, rows).reached);
}

TEST_CASE("a chapter can name the source of a count only if the count is too large") {
  goal aim = no_conflicts();
  aim.why = [](const outcome&) { return std::string("They are all in the first step."); };
  const std::vector<outcome> rows = beside({launch(1000, 45000), launch(8, 360)});
  // Further conditions are reported only after the count is low enough.
  aim.conditions = {{"warp instructions", "Do less.", [](const outcome& o) { return over_all(o, executed); }, 0.5}};
  const std::string told = goal_text(aim, evaluate(aim, rows), 3);
  CHECK_THAT(told, ContainsSubstring("They are all in the first step.") && !ContainsSubstring("But warp"));
  const std::vector<outcome> good = beside({launch(1000, 0), launch(8, 0)});
  CHECK(evaluate(aim, good).why.empty());
}

TEST_CASE("a library's kernel reaches no goal") {
  std::vector<emulator::launch_report> library = {launch(1000, 0)};
  library[0].kernel = "void cub::CUB_300000_SM_900::detail::reduce::DeviceReduceKernel<int>(int)";
  const std::vector<outcome> rows = beside(library);
  CHECK_FALSE(evaluate(no_conflicts(), rows).reached);
  CHECK_THAT(goal_text(no_conflicts(), evaluate(no_conflicts(), rows), 3),
             ContainsSubstring("A library's kernel does the work"));
}

TEST_CASE("chapter 0 requires one thread, and no other chapter of the ladder uses only one") {
  CHECK(ladder_conditions(0, 0, {}).empty());
  for (const int chapter : {1, 2, 5, 9, 12}) {
    const std::vector<condition> all = ladder_conditions(chapter, chapter - 1, {});
    const auto of_blocks = std::find_if(all.begin(), all.end(), [](const condition& c) {
      return c.metric == "warp instructions of the block with the most";
    });
    REQUIRE(of_blocks != all.end());
    outcome one_thread = row(role::yours, {launch(1, 0)});
    one_thread.launches[0].busiest_block = 5 << 20;
    CHECK(of_blocks->value(one_thread) == 5 << 20);
    one_thread.count = 100;  // too few elements to judge the busiest block
    CHECK(std::isnan(of_blocks->value(one_thread)));
    one_thread.count = 1 << 20;
    one_thread.launches[0].cooperative = true;  // its blocks may wait and poll repeatedly
    CHECK(std::isnan(of_blocks->value(one_thread)));
  }
}

TEST_CASE("in chapter 7 and later ones, idle blocks, trees in the loop and leftover sums reach no goal") {
  const std::vector<condition> all = ladder_conditions(7, 6, {});
  const auto of = [&all](const std::string& metric) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const condition& c) { return c.metric == metric; });
    REQUIRE(found != all.end());
    return *found;
  };
  // 2^20 elements in 2048 blocks of 4 warps. Only one block in eight does any work.
  emulator::launch_report idle = launch(2048, 0);
  idle.counters[executed] = 256 * 800;
  idle.busiest_block = 800;
  outcome o = row(role::yours, {idle});
  CHECK(of("blocks for each that is busy").value(o) == 8);
  CHECK(of("blocks for each that is busy").at_least < 8);
  // Now the working blocks have a tree of 11 stores and 2 barriers for every 256 elements.
  idle.counters["smsp__sass_inst_executed_op_shared_st.sum"] = 4096 * 11;
  idle.counters["workbook__barriers.sum"] = 4096 * 2;
  idle.counters["workbook__shuffles.sum"] = 0;
  idle.counters["workbook__warps.sum"] = 8192;
  o = row(role::yours, {idle});
  const condition per_element = of("shared stores, half of the shuffles and barriers per 32 elements");
  CHECK(per_element.value(o) == 4096 * 13.0 / 32768);
  CHECK(per_element.value(o) > per_element.at_least);
  CHECK(of("shared stores, half of the shuffles and barriers per warp").value(o) == 6.5);
  // Each tree leaves a partial sum.
  o.returned = {4096, 8, 1};
  const condition left = of("partial sums per 32 elements");
  CHECK(left.value(o) == 0.125);
  CHECK(left.times < 1);  // fewer than in chapter 6
  o.returned.clear();
  CHECK(std::isnan(left.value(o)));
  for (const condition& c : ladder_conditions(6, 5, {})) CHECK(c.metric != "blocks for each that is busy");
}

TEST_CASE("the goal's inputs reveal kernels made for one type, one start or one shape alone") {
  seed_source seeds(5);
  study ladder;
  ladder.one_sum = true;
  ladder.kernels = {kernel(role::yours)};
  const std::size_t n = ladder.default_count_emulator;
  const std::vector<goal_problem> small = goal_problems(ladder, ladder.kernels, {}, seeds);
  REQUIRE(small.size() == 4);
  for (const int drawn : {1, 2}) {
    const problem& p = small[drawn].input;
    CHECK((p.type == element_type::float32 && p.offset == 0 && p.block_size == (drawn == 1 ? 256 : 512)));
  }
  CHECK(small[3].input.type == element_type::float64);
  CHECK((!small[0].other && !small[1].other && !small[2].other && small[3].other && !small[3].large));
  for (int k = 0; k < 20; ++k) {
    const std::vector<goal_problem> large =
        goal_problems(ladder, ladder.kernels, {.offsets = true, .large_shares = true}, seeds);
    REQUIRE(large.size() == 5);
    CHECK(large[0].input.offset == 0);
    for (const goal_problem& one : {large[1], large[2], large[4]})
      CHECK((one.input.offset >= 1 && one.input.offset <= 3));
    CHECK((large[3].input.type == element_type::float64 && large[3].input.count > n / 2));
    CHECK((large[4].input.count >= 7 * n && large[4].input.count <= 8 * n));
    CHECK((!large[3].large && large[4].large && large[4].other));
  }
  study side_by_side;
  side_by_side.takes_shapes = true;
  side_by_side.kernels = ladder.kernels;
  for (int k = 0; k < 20; ++k) {
    const std::vector<goal_problem> shaped = goal_problems(side_by_side, side_by_side.kernels, {}, seeds);
    REQUIRE(shaped.size() == 2);
    const problem& p = shaped[1].input;
    CHECK(p.type != element_type::int32);
    CHECK(p.block_size == p.block_shape[0] * p.block_shape[1]);
    CHECK(p.block_size % 32 != 0);
    CHECK(p.random_indices);
  }
  side_by_side.takes_shapes = false;
  side_by_side.goal_types = {element_type::int64, element_type::float64};
  CHECK(goal_problems(side_by_side, side_by_side.kernels, {}, seeds).size() == 3);
}

TEST_CASE("an input that the reference accepts is tried, even if a kernel's own host code refuses it") {
  seed_source seeds(5);
  study s;
  s.kernels = {kernel(role::reference), kernel(role::yours)};
  s.kernels[1].rejects = [](const problem& p) -> std::optional<std::string> {
    return p.block_size > 128 ? std::optional<std::string>("too much") : std::nullopt;
  };
  const auto larger = [&] {
    std::size_t count = 0;
    for (const strict_group& g : groups_for(s, s.kernels[1], seeds, false))
      count += std::count_if(g.problems.begin(), g.problems.end(), [](const problem& p) { return p.block_size > 128; });
    return count;
  };
  CHECK(larger() > 0);
  s.kernels[0].rejects = s.kernels[1].rejects;
  CHECK(larger() == 0);
}

TEST_CASE("a student who did not choose the block is not advised to choose a smaller one") {
  const problem p{element_type::int32, 1000, 256};
  const std::string why = "300000 bytes, and a block can have 232448";
  specimen kernel;
  kernel.rejects = [&](const problem&) { return std::optional(obstacle(why, true)); };
  CHECK(kernel.why_not(p) == why + ": give a smaller --block-size");
  CHECK(asks_for_too_much(p, kernel.obstacle_to(p)->text).cause.ends_with(why + "."));
}

TEST_CASE("a judge's seeds are each drawn for themselves, and rubbish is refused") {
  seed_source people(7);
  CHECK(people.next() == 7);
  CHECK(people.next() == 8);
  seed_source judge = seed_source::of_judge("ffffffffffffffff 0 1a");
  CHECK(judge.next() == ~0ull);
  CHECK(judge.next() == 0);
  CHECK(judge.next() == 26);
  (void)judge.next();  // all given values are used up, but this is still a number
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t drawn = judge.between(3, 5);
    CHECK((drawn >= 3 && drawn <= 5));
  }
  for (const char* words : {"", "  ", "7 x", "-1", "10000000000000000"})
    CHECK_THROWS_AS(seed_source::of_judge(words), std::runtime_error);
}
