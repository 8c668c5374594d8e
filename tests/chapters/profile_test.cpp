// Tests the line profile of the chapters' kernels: the numbers next to each line, which were derived by hand for blocks
// of 128 threads, and the chapter that is named for each cost.

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "chapters/ladder.hpp"
#include "emulator/report/diagnosis.hpp"
#include "support/catch.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/profile.hpp"

using namespace workbook;
namespace kinds = emulator::report::kinds;

namespace {

constexpr const char* folders[] = {"",
                                   "01_interleaved_addressing",
                                   "02_strided_index",
                                   "03_sequential_addressing",
                                   "04_first_add_during_load",
                                   "05_unroll_last_warp",
                                   "06_complete_unrolling",
                                   "07_many_per_thread"};

outcome run(const reduction& rung, unsigned block_size = 128, unsigned host_threads = 0) {
  emulator::options o = emulator::current_options();
  o.host_threads = host_threads;
  emulator::set_options(o);
  laboratory lab({element_type::int32, std::size_t{1} << 16, block_size, 1});
  return lab.run(rung, effort{});
}

/// Returns the report of the first counted line of a chapter's solution that contains `words`. Fails if there is none.
emulator::line_report at(const outcome& o, int chapter, const std::string& words) {
  std::ifstream source(std::string(WORKBOOK_SOLUTIONS) + "/" + folders[chapter] + "/reduce.cuh");
  unsigned number = 0;
  for (std::string text; std::getline(source, text);) {
    ++number;
    if (text.find(words) == std::string::npos) continue;
    for (const emulator::line_report& l : o.launches.at(0).lines) {
      if (l.line == number && l.file == o.launches[0].file) return l;
    }
  }
  FAIL("chapter " << chapter << " has no counted line with " << words);
  return {};
}

std::vector<std::string> kinds_of(const outcome& o) {
  std::vector<std::string> found;
  for (const auto& d : emulator::report::diagnose(o.launches.at(0))) found.push_back(d.kind);
  return found;
}

bool has(const std::vector<std::string>& all, const char* kind) {
  return std::find(all.begin(), all.end(), kind) != all.end();
}

constexpr const char* tree = "tile[tid] += tile[tid + stride]";

}  // namespace

TEST_CASE("chapter 1's tree leaves 127 of 736 lanes at work, in 23 warp instructions a block") {
  const outcome o = run(chapter1_solution());
  const emulator::line_report line = at(o, 1, tree);
  const std::uint64_t blocks = 512;
  CHECK(line.counters.at("workbook__divergent_branches.sum") == 23 * blocks);
  CHECK(line.counters.at("workbook__combines.sum") == 23 * blocks);
  // The 7 steps have 64 + 32 + … + 1 = 127 workers, in 4 warps for each stride from 1 to 16, then in 2 and 1.
  CHECK(line.partial_executed % (23 * blocks) == 0);
  CHECK(line.partial_lanes * 23 == line.partial_executed * 127);
  CHECK(line.worst_conflict.degree == 0);
}

TEST_CASE("chapter 2's worst conflict is the 4-way one of stride 2, in the first block") {
  const outcome o = run(chapter2_solution());
  const emulator::line_report line = at(o, 2, "tile[index] += tile[index + stride]");
  CHECK(line.counters.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") == 45 * 512);
  // Step 2 is the first with 4-way conflicts: its 32 workers are 4 words apart, so the banks repeat after 8 lanes.
  CHECK(line.worst_conflict.degree == 4);
  CHECK(line.worst_conflict.stride_bytes == 16);
  CHECK(line.worst_conflict.lanes[1] - line.worst_conflict.lanes[0] == 8);
  CHECK(line.worst_conflict.block == 0);
}

TEST_CASE("with blocks of 1024 threads chapter 2 reaches a stride of 32 words, where all workers meet") {
  // Step s has 512 / s workers, 2s words apart. At s = 16 these are 32 workers, a whole warp in one bank.
  const outcome o = run(chapter2_solution(), 1024);
  const emulator::line_report line = at(o, 2, "tile[index] += tile[index + stride]");
  CHECK(line.worst_conflict.degree == 32);
  CHECK(line.worst_conflict.stride_bytes == 128);
  CHECK(line.worst_conflict.lanes[0] == 0);
  CHECK(line.worst_conflict.lanes[1] == 1);
}

TEST_CASE("the examples are the same for any number of host threads") {
  const outcome one = run(chapter2_solution(), 128, 1);
  const outcome four = run(chapter2_solution(), 128, 4);
  const auto& a = one.launches.at(0).lines;
  const auto& b = four.launches.at(0).lines;
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    CHECK(a[k].worst_conflict.degree == b[k].worst_conflict.degree);
    CHECK(a[k].worst_conflict.block == b[k].worst_conflict.block);
    CHECK(a[k].worst_conflict.lanes[1] == b[k].worst_conflict.lanes[1]);
    CHECK(a[k].partial_lanes == b[k].partial_lanes);
  }
}

TEST_CASE("each chapter's cost is seen in the chapters before it, and gone in its own solution") {
  struct step {
    const char* kind;
    int removed_in;
  };
  const reduction solutions[] = {chapter1_solution(), chapter2_solution(), chapter3_solution(), chapter4_solution(),
                                 chapter5_solution(), chapter6_solution(), chapter7_solution()};
  std::vector<std::vector<std::string>> seen;
  for (const reduction& rung : solutions) seen.push_back(kinds_of(run(rung)));
  for (const auto& [kind, removed_in] : {step{kinds::divergence, 2}, step{kinds::integer_division, 2},
                                         step{kinds::bank_conflict, 3}, step{kinds::barriers, 5}}) {
    INFO(kind);
    CHECK(has(seen.at(static_cast<std::size_t>(removed_in) - 2), kind));
    for (std::size_t chapter = static_cast<std::size_t>(removed_in); chapter <= 7; ++chapter) {
      INFO("chapter " << chapter);
      CHECK_FALSE(has(seen.at(chapter - 1), kind));
    }
  }
  for (std::size_t chapter = 1; chapter <= 4; ++chapter) CHECK(has(seen.at(chapter - 1), kinds::loop_control));
  CHECK_FALSE(has(seen.at(5), kinds::loop_control));
}

TEST_CASE("a kernel's own file and the occupancy are read from nvcc's output") {
  const outcome o = run(chapter2_solution());
  const emulator::launch_report& l = o.launches.at(0);
  CHECK_THAT(l.file, ContainsSubstring("02_strided_index/reduce.cuh"));
  REQUIRE(l.occupancy.known);
  CHECK(l.registers_per_thread != 0);
  // An H200's SM holds 64 warps, which are 16 blocks of 4. The kernel's registers and shared memory would allow more.
  CHECK(l.occupancy.by_warps == 16);
  CHECK(l.occupancy.blocks == 16);
  CHECK(emulator::report::occupancy_limiter(l.occupancy) == "Warps");
}

TEST_CASE("advice names the next chapter that removes a cost, this one, or the one that did") {
  CHECK(advice_for(kinds::bank_conflict, 2) == "Chapter 3 removes this.");
  CHECK(advice_for(kinds::bank_conflict, 3) == "This chapter removes it.");
  CHECK(advice_for(kinds::bank_conflict, 7) == "Chapter 3 has shown what removes this.");
  CHECK(advice_for(kinds::little_work, 3) == "Chapter 4 lessens this.");
  CHECK(advice_for(kinds::little_work, 5) == "Chapter 7 lessens this.");
  CHECK(advice_for("no such kind", 1).empty());
}

TEST_CASE("a rung is chosen by name or role; without either the student's, touched or not, and never the solution") {
  reduction previous = chapter1_solution(), reference = chapter2_solution(), yours = chapter2_solution();
  previous.as = role::previous;
  yours.as = role::yours;
  yours.attempted = false;
  std::vector<specimen> rows = rows_of({previous, reference, yours});
  rows[2].name = "mine";
  CHECK(chosen_of(rows, "").at(0).name == "mine");
  rows[2].attempted = true;
  CHECK(chosen_of(rows, "").at(0).name == "mine");
  CHECK(chosen_of(rows, "reference").at(0).as == role::reference);
  CHECK(chosen_of(rows, "mine").size() == 1);
  CHECK(chosen_of(rows, "previous").at(0).name == "reduce_interleaved");
  CHECK_THROWS_WITH(chosen_of(rows, "banana"), ContainsSubstring("banana") && ContainsSubstring("mine (yours)"));
}
