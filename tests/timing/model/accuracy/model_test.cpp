// Tests the time model alone, with made-up machines and launches, and with invalid files.

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "support/catch.hpp"
#include "timing/model/prediction.hpp"

using namespace model;

namespace {

machine made_up() {
  machine m;
  m.name = "made up";
  m.multiprocessors = 100;
  m.clock_ghz = 2;
  m.first_launch_us = 3;
  m.further_launch_us = 1;
  m.memory_ns = 400;
  m.l2_ns = 200;
  m.memory_gb_per_s = 1000;
  m.division_cycles = 6;
  m.block_turnover_ns = 100;
  m.starts = {{32, 1}, {1024, 2}};
  return m;
}

counts launch() {
  counts c;
  c.blocks = 1000;
  c.threads_per_block = 128;
  c.blocks_per_multiprocessor = 10;
  c.path_cycles = c.longest_cycles = 200;
  c.path_waits = c.longest_waits = 1;
  c.instructions = 1000;
  c.sectors = 1000;
  return c;
}

double term_of(const prediction& p, const std::string& name) {
  for (const term& t : p.terms)
    if (t.name == name) return t.us;
  return -1;
}

std::string refusal_of(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("machine_" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << text;
  std::string message;
  try {
    static_cast<void>(read_machine(path.string()));
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  std::filesystem::remove(path);
  return message;
}

}  // namespace

TEST_CASE("each term has the value that its line shows") {
  const prediction p = predict(made_up(), launch());
  // The sum of 100 ns for the turnover, 100 ns for 200 cycles at 2 GHz, and a wait of 400 ns.
  CHECK(term_of(p, "latency") == Approx(0.6));
  CHECK(term_of(p, "block starts") == Approx(1000 * 2e-3));
  CHECK(term_of(p, "memory") == Approx(32.0 * 1000 / 1000 * 1e-3));
  CHECK(term_of(p, "instructions") == Approx(1000 / constants().instructions_per_cycle / 100 / 2 * 1e-3));
  CHECK(p.limit() == "launches");
  CHECK(p.us > term_of(p, "block starts") + p.launch_us);
  CHECK(p.us < 1.2 * (term_of(p, "block starts") + term_of(p, "latency")) + p.launch_us);
}

TEST_CASE("a part that grows increases the time, and becomes the limit") {
  const double before = predict(made_up(), launch()).us;
  const auto grown = [&](double counts::*what, double value) {
    counts c = launch();
    c.*what = value;
    const prediction p = predict(made_up(), c);
    CHECK(p.us > 1.5 * before);
    return p.limit();
  };
  CHECK(grown(&counts::sectors, 1e7) == "memory");
  CHECK(grown(&counts::instructions, 1e8) == "instructions");
  CHECK(grown(&counts::divisions, 1e8) == "instructions");
  CHECK(grown(&counts::shared_passes, 1e8) == "shared memory");
  CHECK(grown(&counts::lines, 1e8) == "L1 cache");
  CHECK(grown(&counts::path_waits, 1e4) == "latency");
  CHECK(grown(&counts::path_cycles, 1e7) == "latency");
  CHECK(grown(&counts::blocks, 1e6) == "block starts");
}

TEST_CASE("parts of a multiprocessor work side by side, and blocks start meanwhile") {
  counts c = launch();
  c.instructions = 1e8;
  const double alone = predict(made_up(), c).us;
  c.shared_passes = 0.9 * c.instructions / constants().instructions_per_cycle;
  CHECK(predict(made_up(), c).us == Approx(alone));
  counts starts = launch();
  starts.blocks = 1e6;
  const double us = predict(made_up(), starts).us;
  starts.instructions = 0.5 * us * 1e3 * 2 * 100 * constants().instructions_per_cycle;
  CHECK(predict(made_up(), starts).us == Approx(us));
}

TEST_CASE("a division costs as much as measured on the machine") {
  counts c = launch();
  c.divisions = 1e6;
  const double before = term_of(predict(made_up(), c), "instructions");
  c.divisions = 2e6;
  // 10^6 divisions of 6 cycles on 100 SMs at 2 GHz.
  CHECK(term_of(predict(made_up(), c), "instructions") == Approx(before + 30));
}

TEST_CASE("the first launch pays for cold caches only if it reads memory") {
  counts c = launch();
  const double reads = predict(made_up(), c, true).launch_us;
  CHECK(reads == Approx(made_up().first_launch_us + constants().cold_us));
  c.path_waits = c.longest_waits = 0;
  CHECK(predict(made_up(), c, true).launch_us == made_up().first_launch_us);
  CHECK(predict(made_up(), launch(), false).launch_us == made_up().further_launch_us);
}

TEST_CASE("sectors that are still in the L1 cache are not read from memory again") {
  counts c = launch();
  c.sectors = 1e7;
  const double all = term_of(predict(made_up(), c), "memory");
  c.sectors_near = 0.75e7;
  CHECK(term_of(predict(made_up(), c), "memory") == Approx(all / 4));
  c.sectors_near = 2e7;  // these sectors are of blocks that were followed, but aren't representative
  CHECK(term_of(predict(made_up(), c), "memory") == 0);
}

TEST_CASE("two terms of a size are both named") {
  counts c = launch();
  c.instructions = 1e8;
  const double us = term_of(predict(made_up(), c), "instructions");
  c.sectors = us * 1e6 / 32 * 0.7;
  CHECK(predict(made_up(), c).limit() == "instructions");
  c.sectors = us * 1e6 / 32 * 0.8;
  CHECK(predict(made_up(), c).limit() == "instructions, memory");
}

TEST_CASE("a block that takes longer than the others comes on top") {
  counts c = launch();
  c.longest_cycles += 20'000;
  CHECK(predict(made_up(), c).us == Approx(predict(made_up(), launch()).us + 10));
  c.last_cycles = c.path_cycles + 40'000;
  c.last_waits = c.path_waits;
  CHECK(predict(made_up(), c).us == Approx(predict(made_up(), launch()).us + 20));
}

TEST_CASE("the last block waits for the others' results in L2, and every other block for memory") {
  counts last = launch(), other = launch();
  last.last_cycles = last.path_cycles;
  last.last_waits = last.path_waits + 100;
  other.longest_waits += 100;
  const double us = predict(made_up(), launch()).us;
  CHECK(predict(made_up(), last).us == Approx(us + 0.1 * made_up().l2_ns));
  CHECK(predict(made_up(), other).us == Approx(us + 0.1 * made_up().memory_ns));
}

TEST_CASE("a block that takes long is not an example of the others") {
  emulator::launch_report report;
  report.grid[0] = 4000;
  report.block[0] = 128;
  report.path.blocks = 4;
  report.path.cycles = 3 * 10 + 1000;
  report.path.longest_cycles = 1000;
  report.path.waits = 3 * 2 + 50;
  report.path.longest_waits = 50;
  const counts c = counts_of(report);
  CHECK(c.path_cycles == 10);
  CHECK(c.path_waits == 2);
  CHECK(c.longest_cycles == 1000);
}

TEST_CASE("consecutive launches cost less each, and read from L2") {
  const std::vector<counts> two = {launch(), launch()};
  const double first = predict(made_up(), launch(), true).us, second = predict(made_up(), launch(), false).us;
  CHECK(second < first);
  CHECK(predict(made_up(), two).us == Approx(first + second));
}

TEST_CASE("a kernel that the model does not cover gets no time, but a reason") {
  const auto reason = [](double counts::*what, double value) {
    counts c = launch();
    c.*what = value;
    const prediction p = predict(made_up(), {c});
    CHECK(p.us == 0);
    CHECK(p.terms.empty());
    CHECK(p.limit().empty());
    return p.unknown;
  };
  CHECK_THAT(reason(&counts::blocks, 0), ContainsSubstring("no block"));
  CHECK_THAT(reason(&counts::blocks_per_multiprocessor, 0), ContainsSubstring("machine code"));
  CHECK_THAT(reason(&counts::cooperative, 1), ContainsSubstring("cooperative"));
  CHECK_THAT(reason(&counts::global_atomics, 1e6), ContainsSubstring("atomics"));
  CHECK_THAT(reason(&counts::local_sectors, 1), ContainsSubstring("local memory"));
  CHECK_THAT(reason(&counts::sectors_again, 900), ContainsSubstring("caches"));
  CHECK_THAT(predict(made_up(), std::vector<counts>{}).unknown, ContainsSubstring("nothing"));
}

TEST_CASE("counts at other sizes grow as they did") {
  counts small = launch(), large = launch();
  large.blocks = 2000;
  large.path_waits = 3;
  const counts c = extrapolated(small, 1e6, large, 2e6, 4e6);
  CHECK(c.blocks == Approx(4000));
  CHECK(c.path_waits == Approx(7));
  CHECK(c.threads_per_block == 128);
  CHECK(with_blocks(launch(), 500).instructions == Approx(500));
  CHECK(with_blocks(launch(), 500).path_cycles == Approx(200));
}

TEST_CASE("files that do not describe a machine are refused with a message") {
  CHECK_THAT(refusal_of(""), ContainsSubstring("make machine"));
  CHECK_THAT(refusal_of("{}"), ContainsSubstring("make machine"));
  CHECK_THAT(refusal_of("[1, 2]"), ContainsSubstring("make machine"));
  CHECK_THAT(refusal_of(R"({"device": {"name": "x", "multiprocessors": -3}})"),
             ContainsSubstring("/device/multiprocessors is -3"));
  CHECK_THAT(refusal_of(R"({"device": {"name": "x", "multiprocessors": "many"}})"), ContainsSubstring("is missing"));
  CHECK_THROWS_AS(read_machine("/nowhere/machine_x.json"), std::runtime_error);
  CHECK_FALSE(known_machine("a100_that_nobody_has_measured"));
}

TEST_CASE("the machine that was measured is known") {
  const auto m = known_machine("h200");
  REQUIRE(m);
  CHECK(m->name == "NVIDIA H200");
  CHECK(m->multiprocessors == 132);
  CHECK(m->start_ns(100) == m->start_ns(128));
  CHECK(m->start_ns(2048) == m->start_ns(1024));
}
