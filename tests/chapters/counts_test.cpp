// Tests the costs of the kernels of chapters 1 to 9, which were derived by hand for blocks of 256 threads.

#include <fstream>

#include "chapters/ladder.hpp"
#include "support/catch.hpp"
#include "workbook/chapter.hpp"
#include "workbook/laboratory.hpp"

using namespace workbook;

namespace {

const outcome& counted(int chapter) {
  static laboratory lab({element_type::int32, std::size_t{1} << 16, 256, 1});
  static std::vector<outcome> rows = [] {
    std::vector<outcome> all;
    for (const reduction& rung : {chapter1_solution(), chapter2_solution(), chapter3_solution(), chapter4_solution(),
                                  chapter5_solution(), chapter6_solution(), chapter7_solution()}) {
      all.push_back(lab.run(rung, effort{}));
    }
    return all;
  }();
  return rows.at(static_cast<std::size_t>(chapter - 1));
}

constexpr const char* adds = "workbook__combines.sum";
constexpr const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr const char* barriers = "workbook__barriers.sum";
constexpr const char* requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* shared_stores = "smsp__sass_inst_executed_op_shared_st.sum";
constexpr std::size_t n = std::size_t{1} << 16;

}  // namespace

TEST_CASE("chapter 1 makes 47 warp-level additions a block, chapter 2 makes 12") {
  // Chapter 1: strides 1 to 16 have a worker in each of 8 warps (40), stride 32 in 4 warps, 64 in 2, and 128 in warp 0.
  CHECK(per_block(counted(1), adds) == 47);
  // Chapter 2: 128 workers fill 4 warps, and 64 fill 2; 32, 16, 8, 4, 2 and 1 fit into one: 4 + 2 + 6.
  CHECK(per_block(counted(2), adds) == 12);
}

TEST_CASE("chapter 2 has 105 bank conflicts a block, chapter 3 none") {
  // Workers are 2s words apart. s = 1: 2-way in 4 warps; s = 2: 4-way in 2 warps; s = 4, 8, 16: 8-way; s = 32: 4-way;
  // s = 64: 2-way; s = 128: one worker. Each step reads twice and writes once: 3·(4·1 + 2·3 + 3·7 + 3 + 1) = 105.
  CHECK(per_block(counted(2), conflicts) == 105);
  CHECK(per_block(counted(3), conflicts) == 0);
}

TEST_CASE("every element is read once: a request a warp, four sectors a request") {
  for (const int chapter : {1, 2, 3}) {
    CHECK(total(counted(chapter), requests) == n / 32);
    CHECK(total(counted(chapter), sectors) == n * 4 / 32);
  }
  // Chapters 4 to 7 read the same number of sectors, with two loads in each thread.
  for (const int chapter : {4, 5, 6, 7}) CHECK(total(counted(chapter), sectors) == n * 4 / 32);
}

TEST_CASE("chapter 4 halves blocks and shared stores per element") {
  CHECK(total(counted(4), "workbook__blocks.sum") == total(counted(3), "workbook__blocks.sum") / 2);
  // In both chapters a block stores 8 times during the load, and 4 + 2 + 6 times in the tree.
  CHECK(per_block(counted(3), shared_stores) == 20);
  CHECK(total(counted(4), shared_stores) == total(counted(3), shared_stores) / 2);
}

TEST_CASE("chapter 5 needs 3 block barriers where chapter 4 needs 9") {
  CHECK(per_block(counted(4), barriers) == 9);  // one after the load, one for each of 8 steps
  CHECK(per_block(counted(5), barriers) == 3);  // one after the load, one each for strides 128 and 64
}

TEST_CASE("chapter 6 has no loop left and chapter 7 runs fewer instructions per element") {
  CHECK(per_warp(counted(6), "workbook__branches.sum") < per_warp(counted(5), "workbook__branches.sum"));
  // Chapter 5 leaves strides 128 and 64 in a loop. Chapters 1 to 4 do not handle the last warp separately.
  CHECK(per_warp(counted(6), "workbook__loop_branches.sum") == 0);
  CHECK(per_warp(counted(5), "workbook__loop_branches.sum") == 2);
  CHECK(per_warp(counted(4), "workbook__loop_branches.sum") == 8);
  CHECK(per_element(counted(6), "workbook__inst_executed.sum") <
        per_element(counted(5), "workbook__inst_executed.sum"));
}

TEST_CASE("chapter 7 runs less than a quarter of chapter 6's instructions per element if a thread has many") {
  laboratory lab({element_type::int32, std::size_t{1} << 22, 256, 1});
  const outcome six = lab.run(chapter6_solution(), effort{});
  const outcome seven = lab.run(chapter7_solution(), effort{});
  CHECK(per_element(seven, "workbook__inst_executed.sum") < 0.75 * per_element(six, "workbook__inst_executed.sum"));
}

TEST_CASE("chapter 8 loads the same sectors as chapter 7 with a quarter of the requests") {
  constexpr std::size_t many = std::size_t{1} << 22;
  laboratory lab({element_type::int32, many, 256, 1});
  const outcome seven = lab.run(chapter7_solution(), effort{});
  const outcome eight = lab.run(chapter8_solution(), effort{});
  // 2^22 ints are 2^24 bytes, in sectors of 32 bytes. A request of a warp loads 32 times 4 bytes, or 32 times 16 bytes.
  CHECK(total(seven, sectors) == 524288);
  CHECK(total(eight, sectors) == 524288);
  CHECK(total(seven, requests) == 131072);
  CHECK(total(eight, requests) == 32768);
}

TEST_CASE("an input that begins anywhere costs chapter 8 two requests more") {
  problem p{element_type::int32, n, 256, 1};
  p.offset = 1;
  laboratory lab(p);
  // 3 elements before the first vector and 1 after the last are one request of 4 lanes. Between them are 2^14 - 1
  // vectors, so the last thread has one vector although its neighbours have two, and loads it in its own request.
  CHECK(total(lab.run(chapter8_solution(), effort{}), requests) == n / 128 + 2);
}

TEST_CASE("chapter 9 needs one barrier a block, one shared store a warp, and one shared load a block") {
  for (const unsigned block_size : {32u, 96u, 128u, 1024u}) {
    // No instruction adds floats across a warp, so the kernel uses shuffles for them.
    for (const element_type type : {element_type::int32, element_type::float32}) {
      laboratory lab({type, n, block_size, 1});
      const outcome o = lab.run(chapter9_solution(), effort{});
      const double warps = block_size / 32;
      CHECK(per_block(o, barriers) == 1);
      CHECK(per_block(o, shared_stores) == warps);
      // The first lanes of warp 0 read the words of all warps in one instruction.
      CHECK(per_block(o, "smsp__sass_inst_executed_op_shared_ld.sum") == 1);
      CHECK(per_block(o, conflicts) == 0);
      // Each warp, and then the first one again, needs five shuffles or, for ints, one instruction.
      const bool by_shuffles = type == element_type::float32;
      CHECK(per_block(o, "workbook__shuffles.sum") == (by_shuffles ? 5 * (warps + 1) : 0));
      CHECK(per_block(o, "workbook__warp_reductions.sum") == (by_shuffles ? 0 : warps + 1));
    }
  }
}

TEST_CASE("chapter 9 loads as chapter 8 does, and two launches are enough") {
  constexpr std::size_t many = std::size_t{1} << 22;
  laboratory lab({element_type::int32, many, 256, 1});
  const outcome nine = lab.run(chapter9_solution(), effort{});
  CHECK(total(nine, requests) == 32768);
  CHECK(total(nine, sectors) == 524288);
  CHECK(nine.launches.size() == 2);
}

TEST_CASE("counts are the same with one host thread and two, run after run") {
  emulator::options o = emulator::current_options();
  laboratory lab({element_type::int32, 100003, 256, 1});
  std::vector<emulator::counter_map> seen;
  for (const unsigned threads : {1u, 2u, 2u}) {
    o.host_threads = threads;
    emulator::set_options(o);
    for (const reduction& rung : {chapter2_solution(), chapter6_solution()})
      seen.push_back(lab.run(rung, effort{}).launches.at(0).counters);
  }
  for (std::size_t k = 2; k < seen.size(); ++k) CHECK(seen[k] == seen[k % 2]);
  o.host_threads = 0;
  emulator::set_options(o);
}

TEST_CASE("the older, warp-synchronous form is caught by racecheck, at its line") {
  laboratory lab({element_type::int32, 1000, 128, 1});
  const outcome o = lab.run(chapter5_history(), effort{});
  REQUIRE_FALSE(o.findings().empty());
  std::ifstream source(std::string(WORKBOOK_CHAPTERS) + "/05_unroll_last_warp/history_2007.cuh");
  unsigned marked = 0, line = 0;
  for (std::string text; std::getline(source, text);) {
    ++line;
    if (text.find("<- finding") != std::string::npos) marked = line;
  }
  REQUIRE(marked != 0);
  bool at_its_line = false;
  for (const emulator::finding& f : o.findings()) {
    CHECK(name_of(f.check()) == "racecheck");
    at_its_line = at_its_line || f.line == marked;
  }
  CHECK(at_its_line);
}
