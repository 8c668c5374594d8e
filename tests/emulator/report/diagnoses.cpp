// Tests each rule of the diagnosis with a case to which it applies and a similar case to which it doesn't.

#include <algorithm>

#include "emulator/report/diagnosis.hpp"
#include "made_up.hpp"
#include "support/catch.hpp"

using namespace emulator;
using namespace emulator::report;
using made_up::counter;
using made_up::launch;
using made_up::line;

namespace {

/// Returns the message of the only diagnosis of that kind, or an empty string if there is none.
std::string said(const launch_report& r, const std::string& kind) {
  std::string message;
  for (const diagnosis& d : diagnose(r)) {
    if (d.kind != kind) continue;
    REQUIRE(message.empty());
    message = d.message;
  }
  return message;
}

}  // namespace

TEST_CASE("bank conflicts are reported with stride, lanes, bank, degree and cost") {
  launch_report r = launch();
  line_report& l = line(r, 14,
                        {{counter::warp_instructions, 400},
                         {counter::shared_loads, 20},
                         {counter::shared_bank_conflicts, 150},
                         {counter::shared_load_bank_conflicts, 150}});
  l.worst_conflict = {.degree = 16, .bank = 0, .lanes = {0, 2}, .stride_bytes = 64, .bytes_per_lane = 4, .block = 0};
  CHECK(said(r, kinds::bank_conflict) ==
        "stride of 16 words: lanes 0 and 2 hit bank 0, a 16-way conflict; 15 extra passes per block");
  l.worst_conflict.stride_bytes = 0;
  CHECK(said(r, kinds::bank_conflict) == "lanes 0 and 2 hit bank 0, a 16-way conflict; 15 extra passes per block");
}

TEST_CASE("a bank conflict in one access of a hundred is not worth a word") {
  launch_report r = launch();
  line(r, 14, {{counter::warp_instructions, 400}, {counter::shared_loads, 100}, {counter::shared_bank_conflicts, 1}})
      .worst_conflict = {.degree = 2, .lanes = {0, 16}};
  CHECK(said(r, kinds::bank_conflict).empty());
}

TEST_CASE("uncoalesced loads are reported with the number that would be enough") {
  launch_report r = launch();
  line_report& l = line(r, 9,
                        {{counter::warp_instructions, 400},
                         {counter::global_load_requests, 10},
                         {counter::global_load_sectors, 320},
                         {counter::global_load_ideal_sectors, 40},
                         {counter::global_store_requests, 10},
                         {counter::global_store_sectors, 40},
                         {counter::global_store_ideal_sectors, 40}});
  l.worst_request = {.sectors = 32, .ideal = 4, .lanes = 32, .stride_bytes = 32, .bytes_per_lane = 4};
  CHECK(said(r, kinds::uncoalesced) ==
        "32 sectors per request where 4 would do: neighbouring lanes read words that are 32 bytes apart");
  CHECK(said(r, kinds::misaligned).empty());
  l.worst_request.stride_bytes = 0;
  CHECK_THAT(said(r, kinds::uncoalesced), ContainsSubstring("words at irregular distances"));
}

TEST_CASE("a start inside a sector is called that, and full use is not spoken of") {
  launch_report r = launch();
  line(r, 9,
       {{counter::warp_instructions, 400},
        {counter::global_store_requests, 10},
        {counter::global_store_sectors, 50},
        {counter::global_store_ideal_sectors, 40}})
      .worst_request = {.sectors = 5, .ideal = 4, .lanes = 32, .stride_bytes = 4, .bytes_per_lane = 4};
  CHECK_THAT(said(r, kinds::misaligned),
             ContainsSubstring("5 sectors per request where 4 would do: neighbouring lanes write"));
  CHECK(said(r, kinds::uncoalesced).empty());

  launch_report good = launch();
  line(good, 9,
       {{counter::warp_instructions, 400},
        {counter::global_load_requests, 10},
        {counter::global_load_sectors, 40},
        {counter::global_load_ideal_sectors, 40}});
  CHECK(said(good, kinds::misaligned).empty());
  CHECK(said(good, kinds::uncoalesced).empty());
}

TEST_CASE("divergence is reported if most branches diverge and few lanes are left") {
  const auto with = [](std::uint64_t divergent, std::uint64_t partial_lanes, std::uint64_t threads) {
    launch_report r = launch();
    line_report& l = line(r, 12,
                          {{counter::warp_instructions, 1000},
                           {counter::thread_instructions, threads},
                           {counter::branches, 280},
                           {counter::divergent_branches, divergent}});
    l.partial_executed = 230;
    l.partial_lanes = partial_lanes;
    return said(r, kinds::divergence);
  };
  CHECK(with(230, 1270, 17000) ==
        "23 of 28 branches per block diverge, and where the line does its work a warp has 5.5 of its 32 lanes active "
        "on average");
  CHECK(with(50, 1270, 17000).empty());   // most branches are taken by whole warps
  CHECK(with(230, 4600, 17000).empty());  // 20 lanes remain active
  CHECK(with(230, 1270, 31000).empty());  // only a small part of the line runs with few lanes
}

TEST_CASE("integer division is reported if it is more than a fiftieth of the instructions") {
  launch_report r = launch();
  line(r, 3, {{counter::warp_instructions, 1000}, {counter::integer_divides, 280}});
  CHECK_THAT(said(r, kinds::integer_division), ContainsSubstring("28 integer divisions or remainders per block"));
  launch_report rare = launch();
  line(rare, 3, {{counter::warp_instructions, 1000}, {counter::integer_divides, 10}});
  CHECK(said(rare, kinds::integer_division).empty());
}

TEST_CASE("four or more barriers per block are reported") {
  const auto with = [](std::uint64_t opened) {
    launch_report r = launch();
    line(r, 3,
         {{counter::warp_instructions, 1000}, {counter::barriers, 4 * opened}, {counter::block_barriers, opened}});
    return said(r, kinds::barriers);
  };
  CHECK(with(70) == "7 barriers per block, at each of which all 4 warps wait for the slowest");
  CHECK(with(20).empty());
}

TEST_CASE("loop control is a line that jumps and does nothing else") {
  launch_report r = launch();
  line(r, 3, {{counter::warp_instructions, 200}, {counter::branches, 160}});
  line(r, 4, {{counter::warp_instructions, 800}});
  CHECK(said(r, kinds::loop_control) == "20 % of the warp instructions count, compare and jump: 4 branches per warp");
  made_up::add(r.lines[0].counters, {{counter::global_load_requests, 40}});
  CHECK(said(r, kinds::loop_control).empty());
}

TEST_CASE("local memory is reported with accesses per warp") {
  launch_report r = launch();
  line(r, 3, {{counter::warp_instructions, 200}, {counter::local_loads, 80}, {counter::local_stores, 40}});
  CHECK_THAT(said(r, kinds::local_memory), ContainsSubstring("3 accesses to local memory per warp"));
  launch_report none = launch();
  line(none, 3, {{counter::warp_instructions, 200}, {counter::shared_loads, 80}});
  CHECK(said(none, kinds::local_memory).empty());
}

TEST_CASE("atomics on the same word are reported, and those on different words are not") {
  const auto with = [](std::uint64_t sectors) {
    launch_report r = launch();
    line(r, 3,
         {{counter::warp_instructions, 200},
          {counter::global_reduction_requests, 10},
          {counter::global_atomic_distinct_sectors, sectors},
          {counter::global_atomic_operations, 320}});
    return said(r, kinds::atomic_contention);
  };
  CHECK(with(10) == "a request brings the atomics of 32 lanes to 1 sector: lanes that change the same word take turns");
  CHECK(with(40).empty());
}

TEST_CASE("the launch as a whole: warps with empty lanes, little work, low occupancy, a small grid") {
  launch_report r = launch();
  line(r, 3, {{counter::warp_instructions, 4000}, {counter::global_load_requests, 40}});
  CHECK(said(r, kinds::little_work) == "a warp executes 100 instructions for 1 load request to global memory");
  made_up::add(r.counters, {{counter::global_load_requests, 360}});
  CHECK(said(r, kinds::little_work).empty());

  CHECK(said(r, kinds::unfilled_warps).empty());
  r.block[0] = 1;
  CHECK(said(r, kinds::unfilled_warps) == "blocks of 1 thread: 97 % of the lanes of their warps never run");

  CHECK(said(r, kinds::low_occupancy).empty());
  CHECK(said(r, kinds::small_grid).empty());
  r.occupancy = {.known = true,
                 .blocks = 4,
                 .by_device = 32,
                 .by_warps = 16,
                 .by_registers = 4,
                 .by_shared = 152,
                 .warps_per_block = 4,
                 .warps_at_most = 64,
                 .multiprocessors = 8};
  CHECK(said(r, kinds::low_occupancy) ==
        "16 of the 64 warps of a multiprocessor can be there at a time; the limit is: Registers");
  CHECK(said(r, kinds::small_grid).empty());
  r.occupancy.blocks = r.occupancy.by_registers = 16;
  r.occupancy.multiprocessors = 132;
  CHECK(said(r, kinds::low_occupancy).empty());
  CHECK(occupancy_limiter(r.occupancy) == "Registers, Warps");
  CHECK(said(r, kinds::small_grid) == "10 blocks for 132 multiprocessors: the others have nothing to do");
}

TEST_CASE("nothing is printed if nothing was counted") {
  CHECK(diagnose(launch_report()).empty());
  CHECK(occupancy_limiter({}).empty());
}

TEST_CASE("counts are printed as short as possible") {
  CHECK(format_short(45) == "45");
  CHECK(format_short(3.744) == "3.74");
  CHECK(format_short(119.75) == "119.8");
  CHECK(format_short(213014) == "213k");
  CHECK(format_short(999600) == "1M");
  CHECK(format_short(2.5e9) == "2.5G");
  CHECK(format_short(1.0 / 8192) == "0.0001");
}
