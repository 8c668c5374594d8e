// Tests the text of a profile: its table, its sections and its width.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "emulator/report/json.hpp"
#include "emulator/report/profile.hpp"
#include "host/source_text.hpp"
#include "made_up.hpp"
#include "support/catch.hpp"

using namespace emulator;
using namespace emulator::report;
using host::columns_of;
using made_up::counter;
using made_up::line;

namespace {

/// A source file that is removed at the end of the test.
struct source {
  std::string path = std::filesystem::temp_directory_path() / ("profile_" + std::to_string(getpid()) + ".cu");
  source() {
    std::ofstream file(path);
    file << "// before\n__global__ void kernel(int* out) {\n  int x = 0;\n\n";
    for (int k = 0; k < 20; ++k) file << "  // far\n";
    file << "  out[threadIdx.x] = x;  // where the store is\n}\n";
  }
  ~source() { std::filesystem::remove(path); }
};

launch_report stores(const std::string& file) {
  launch_report r = made_up::launch();
  r.file = file;
  line(r, 3, {{counter::warp_instructions, 40}, {counter::thread_instructions, 1280}}, file);
  line(r, 25,
       {{counter::warp_instructions, 60},
        {counter::thread_instructions, 960},
        {counter::global_store_requests, 40},
        {counter::global_store_sectors, 320},
        {counter::global_store_ideal_sectors, 80}},
       file)
      .worst_request = {.sectors = 8, .ideal = 2, .lanes = 16, .stride_bytes = 16, .bytes_per_lane = 4};
  return r;
}

}  // namespace

TEST_CASE("each line is shown with its counts per block, costly lines are marked, and long gaps are left out") {
  const source file;
  const launch_report r = stores(file.path);
  const std::string text = profile_text({&r, 1, 1}, {});
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("10 blocks of 4 warps; counts by line are averages per block"));
  // The lines have 40 and 60 warp instructions in 10 blocks, with 32 and 16 lanes, and 8 sectors although 2 would be
  // enough.
  CHECK_THAT(text, ContainsSubstring("    2                           __global__ void kernel(int* out) {\n"
                                     "    3      4  32.0                int x = 0;\n"
                                     "  ...\n"
                                     ">  25      6  16.0     8     2    out[threadIdx.x] = x;  // where the store is\n"
                                     "   26                           }\n"));
  CHECK_THAT(text, ContainsSubstring("  line 25: 8 sectors per request where 2 would do: neighbouring lanes write "
                                     "words that are 16\n    bytes apart.\n"));
  CHECK_THAT(text, !ContainsSubstring("before"));
}

TEST_CASE("columns without a count are left out, and the others are shown") {
  launch_report r = made_up::launch();
  line(r, 3, {{counter::warp_instructions, 40}, {counter::thread_instructions, 1280}});
  CHECK_THAT(profile_text({&r, 1, 1}, {}), !ContainsSubstring("confl") && !ContainsSubstring("riers") &&
                                               !ContainsSubstring("ideal") && !ContainsSubstring("ld+st"));
  line(r, 4, {{counter::warp_instructions, 40}, {counter::local_loads, 20}, {counter::block_barriers, 10}});
  CHECK_THAT(profile_text({&r, 1, 1}, {}), ContainsSubstring("riers") && ContainsSubstring("ld+st"));
}

TEST_CASE("if the source cannot be read, only the numbers are printed, with the reason") {
  const launch_report r = stores("nowhere/kernel.cu");
  const std::string text = profile_text({&r, 1, 1}, {});
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("The source nowhere/kernel.cu cannot be read"));
  CHECK_THAT(text, ContainsSubstring("\n>  25      6  16.0     8     2\n"));
}

TEST_CASE("counts from other files are one row per file") {
  const source file;
  launch_report r = stores(file.path);
  line(r, 7, {{counter::warp_instructions, 10}, {counter::thread_instructions, 320}}, "include/helper.cuh");
  line(r, 9, {{counter::warp_instructions, 20}, {counter::thread_instructions, 640}}, "include/helper.cuh");
  line(r, 0, {{counter::warp_instructions, 5}, {counter::thread_instructions, 160}}, "");
  const std::string text = profile_text({&r, 1, 1}, {});
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("           3  32.0              + include/helper.cuh (lines: 2)\n"));
  CHECK_THAT(text, ContainsSubstring("        0.50  32.0              + code without a line\n"));
}

TEST_CASE("no line is wider than 80 columns, if that is the width") {
  const source file;
  launch_report r = stores(file.path);
  r.kernel =
      "void a_namespace::kernel_with_a_long_name<int, unsigned long long, 128u, (bool)1>(int const*, int*, unsigned "
      "long)";
  line(r, 26,
       {{counter::warp_instructions, 12345678901},
        {counter::thread_instructions, 12345678901},
        {counter::shared_loads, 99999999},
        {counter::shared_bank_conflicts, 999999999},
        {counter::local_loads, 99999999},
        {counter::block_barriers, 99999999},
        {counter::branches, 99999999999},
        {counter::divergent_branches, 99999999},
        {counter::global_atomic_requests, 99999999}},
       file.path)
      .worst_conflict = {.degree = 32, .bank = 31, .lanes = {0, 31}, .stride_bytes = -1, .bytes_per_lane = 1};
  for (const std::size_t width : {80u, 100u, 120u}) {
    profile_style style;
    style.width = width;
    style.advice = [](const diagnosis& d) { return "More on " + d.kind + " stands in the chapter on it."; };
    std::istringstream text(profile_text({&r, 1, 1}, style));
    for (std::string row; std::getline(text, row);) {
      INFO(row);
      CHECK(columns_of(row) <= width);
    }
  }
}

TEST_CASE("advice follows the diagnosis that it belongs to") {
  const launch_report r = stores("kernel.cu");
  profile_style style;
  style.width = 120;
  style.advice = [](const diagnosis& d) { return d.kind == kinds::uncoalesced ? "Read on." : ""; };
  CHECK_THAT(profile_text({&r, 1, 1}, style), ContainsSubstring("16 bytes apart. Read on.\n"));
}

TEST_CASE("colour marks what the sign before the line marks too, and is off for files and pipes") {
  const launch_report r = stores("kernel.cu");
  profile_style style;
  CHECK_THAT(profile_text({&r, 1, 1}, style), !ContainsSubstring("\033"));
  style.color = true;
  CHECK_THAT(profile_text({&r, 1, 1}, style), ContainsSubstring("\033[1m>  25") && ContainsSubstring("\033[0m\n"));
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK_FALSE(style_for(ends[1]).color);
  for (const auto& [columns, width] : {std::pair{"90", 90u}, {"10", 80u}, {"500", 120u}, {"wide", 100u}, {"", 100u}}) {
    setenv("COLUMNS", columns, 1);
    CHECK(style_for(ends[1]).width == width);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("the sections contain all known facts: registers and occupancy only with machine code") {
  launch_report r = stores("kernel.cu");
  CHECK_THAT(sections_text(r),
             ContainsSubstring("Unknown: there is no machine code") && !ContainsSubstring("Registers Per Thread"));
  r.registers_per_thread = 128;
  r.occupancy = {.known = true,
                 .blocks = 4,
                 .by_device = 32,
                 .by_warps = 16,
                 .by_registers = 4,
                 .by_shared = 0xffffffffu,
                 .warps_per_block = 4,
                 .warps_at_most = 64,
                 .multiprocessors = 132};
  const std::string text = sections_text(r);
  INFO(text);
  for (const char* words :
       {"Launch Statistics\n", "\nOccupancy\n", "\nMemory Workload Analysis\n",
        "\nWarp State Statistics (of PTX instructions)\n", "\nInstruction Statistics (of PTX instructions)\n"}) {
    CHECK_THAT(text, ContainsSubstring(words));
  }
  CHECK_THAT(text, ContainsSubstring("Theoretical Occupancy                                   25.00 %"));
  CHECK_THAT(text, ContainsSubstring("Limited by                                          Registers"));
  CHECK_THAT(text, ContainsSubstring("Block Limit Shared Mem                                   none block"));
  // There are 320 sectors in 40 requests, although 80 would be enough, and 2240 lanes in 100 instructions.
  CHECK_THAT(text, ContainsSubstring("Global Store                    40           320         8.00    2.00\n"));
  CHECK_THAT(text, ContainsSubstring("Avg. Not Predicated Off Threads Per Warp                22.40 thread"));
  CHECK_THAT(text, !ContainsSubstring("Source Counters"));  // no branch was executed
}

TEST_CASE("of several launches of a kernel the one with the most instructions is shown") {
  std::vector<launch_report> all(4, made_up::launch());
  all[1].kernel = all[1].mangled = "other";
  line(all[0], 3, {{counter::warp_instructions, 10}});
  line(all[1], 3, {{counter::warp_instructions, 10}});
  line(all[2], 3, {{counter::warp_instructions, 30}});
  line(all[3], 3, {{counter::warp_instructions, 30}});
  const auto chosen = choose_launches(all);
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0].launch == &all[2]);
  CHECK(chosen[0].number == 2);
  CHECK(chosen[0].of == 3);
  CHECK(chosen[1].launch == &all[1]);
  CHECK_THAT(profile_text(all, {}), ContainsSubstring("launch 2 of 3 of this kernel"));
}

TEST_CASE("without a launch, or without counts, there are words instead of a table") {
  CHECK_THAT(profile_text(std::span<const launch_report>(), {}), ContainsSubstring("nothing to profile"));
  const launch_report r;
  CHECK_THAT(profile_text({&r, 1, 1}, {}), ContainsSubstring("Nothing was counted"));
}

TEST_CASE("the JSON carries examples, occupancy and diagnoses, and null where they are not known") {
  launch_report r = stores("kernel.cu");
  nlohmann::json j = to_json(r);
  CHECK(j["file"] == "kernel.cu");
  CHECK(j["occupancy"].is_null());
  CHECK(j["lines"][1]["worst_request"]["stride_bytes"] == 16);
  CHECK_FALSE(j["lines"][0].contains("worst_request"));
  CHECK(j["diagnoses"][0]["kind"] == kinds::uncoalesced);
  CHECK(j["diagnoses"][0]["line"] == 25);
  r.occupancy = {.known = true,
                 .blocks = 4,
                 .by_device = 32,
                 .by_warps = 16,
                 .by_registers = 4,
                 .by_shared = 0xffffffffu,
                 .warps_per_block = 4,
                 .warps_at_most = 64,
                 .multiprocessors = 132};
  j = to_json(r);
  CHECK(j["occupancy"]["limiter"] == "Registers");
  CHECK(j["occupancy"]["theoretical_occupancy"] == 0.25);
  CHECK(j["occupancy"]["block_limits"]["shared_mem"].is_null());
}
