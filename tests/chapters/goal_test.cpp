// When a goal is reached: by made-up counts, so that each way around it stands alone.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "workbook/conditions.hpp"
#include "workbook/goal.hpp"
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
  CHECK(diluted.yours <= diluted.allowed);
  CHECK_FALSE(diluted.reached);
  CHECK_FALSE(evaluate(aim, beside({launch(1000, 0), launch(900, 45000)})).reached);
  const std::string said = goal_text(aim, diluted, 3);
  CHECK_THAT(said, ContainsSubstring("Over all launches it is 45360") && ContainsSubstring("Not reached"));
}

TEST_CASE("fewer and larger blocks reach it by what all of them need together") {
  const goal aim = no_conflicts();
  const std::vector<outcome> rows = beside({launch(10, 4000), launch(1, 0)});
  const goal_state g = evaluate(aim, rows);
  CHECK(g.yours > g.allowed);
  CHECK(g.reached);
  CHECK_THAT(goal_text(aim, evaluate(aim, rows), 3),
             ContainsSubstring("another way") && ContainsSubstring("Reached on this input"));
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
  // What is known of none of the others, or not of yours, is no condition.
  aim.conditions[0].at_least = 0;
  aim.conditions[0].value = [](const outcome& o) { return o.as == role::yours ? 1e9 : NAN; };
  CHECK(evaluate(aim, rows).reached);
  aim.conditions[0].value = [](const outcome& o) { return o.as == role::yours ? NAN : 1.0; };
  CHECK(evaluate(aim, rows).reached);
}

TEST_CASE("a library's kernel reaches no goal") {
  std::vector<emulator::launch_report> library = {launch(1000, 0)};
  library[0].kernel = "void cub::CUB_300000_SM_900::detail::reduce::DeviceReduceKernel<int>(int)";
  const std::vector<outcome> rows = beside(library);
  CHECK_FALSE(evaluate(no_conflicts(), rows).reached);
  CHECK_THAT(goal_text(no_conflicts(), evaluate(no_conflicts(), rows), 3),
             ContainsSubstring("A library's kernel does the work"));
}

TEST_CASE("chapter 0 asks for one thread, and no other chapter of the ladder takes one") {
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
    one_thread.count = 100;  // too few to be judged by
    CHECK(std::isnan(of_blocks->value(one_thread)));
    one_thread.count = 1 << 20;
    one_thread.launches[0].cooperative = true;  // its blocks may wait, and ask again and again
    CHECK(std::isnan(of_blocks->value(one_thread)));
  }
}

TEST_CASE("a judge's seeds are each drawn for themselves, and rubbish is refused") {
  seed_source people(7);
  CHECK(people.next() == 7);
  CHECK(people.next() == 8);
  seed_source judge = seed_source::of_judge("ffffffffffffffff 0 1a");
  CHECK(judge.next() == ~0ull);
  CHECK(judge.next() == 0);
  CHECK(judge.next() == 26);
  (void)judge.next();  // more than were given: still numbers
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t drawn = judge.between(3, 5);
    CHECK((drawn >= 3 && drawn <= 5));
  }
  for (const char* words : {"", "  ", "7 x", "-1", "10000000000000000"})
    CHECK_THROWS_AS(seed_source::of_judge(words), std::runtime_error);
}
