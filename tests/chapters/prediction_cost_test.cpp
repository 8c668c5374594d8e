// Compares the cost of predicting a time with the cost of the emulated run that makes the counts for it.

#include <chrono>
#include <string>

#include "chapters/rungs.hpp"
#include "emulator/emulator.hpp"
#include "emulator/report/counts.hpp"
#include "support/catch.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/predicted.hpp"

using namespace workbook;

namespace {

using clock_type = std::chrono::steady_clock;

const problem large{.type = element_type::int32, .count = std::size_t{1} << 20, .block_size = 128};

double executed(const emulator::launch_report& launch) {
  return emulator::report::count_of(launch.counters, emulator::observers::counter::warp_instructions);
}

}  // namespace

TEST_CASE("of a launch of many blocks so few are followed that it costs next to nothing") {
  emulator::select_device(emulator::device_kind::emulator);
  for (const specimen& kernel : rows_of(ladder_solutions())) {
    const outcome o = examine(kernel, large, {.explains = false});
    INFO(kernel.name);
    REQUIRE(o.passed());
    const emulator::launch_report& first = o.launches.front();
    // Eight blocks, evenly spread over the grid, are followed, or a few more if its size isn't a multiple of eight.
    CHECK(first.path.blocks >= 1);
    CHECK(first.path.blocks <= 16);
    CHECK(first.path.issued > 0);
    if (first.grid[0] >= 1000) CHECK(50 * static_cast<double>(first.path.issued) < executed(first));
  }
}

TEST_CASE("a hundred predictions take less time than the run that they are made of") {
  emulator::select_device(emulator::device_kind::emulator);
  const model::machine machine = *model::chosen_gpu("h200").measured;
  for (const specimen& kernel : rows_of(ladder_solutions())) {
    if (kernel.name != "reduce_interleaved") continue;
    const auto begin = clock_type::now();
    const outcome o = examine(kernel, large, {.explains = false});
    const auto counted = clock_type::now();
    double sum = 0;
    for (int k = 0; k < 100; ++k) sum += prediction_of(machine, o).us;
    const auto predicted = clock_type::now();
    CHECK(sum > 0);
    CHECK(predicted - counted < counted - begin);
    return;
  }
  FAIL("there is no reduce_interleaved");
}
