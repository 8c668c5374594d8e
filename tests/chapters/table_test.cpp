// Tests the width of the table of times on a GPU, filled with made-up times.

#include <algorithm>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "workbook/table.hpp"

using namespace workbook;

namespace {

timing of_ms(double ms) {
  timing t;
  t.median_ms = ms;
  t.repetitions = 21;
  t.queued = true;
  return t;
}

outcome timed(const std::string& name, role as, double ms) {
  outcome o;
  o.name = name;
  o.as = as;
  o.verified = true;
  o.bytes = 268435456;
  o.cold = of_ms(ms);
  o.warm = of_ms(ms);
  o.idle = of_ms(2 * ms);
  return o;
}

}  // namespace

TEST_CASE("the table of times fits into 80 columns, with all that it can say below") {
  chapter c;
  c.number = 3;
  c.title = "Sequential addressing: no bank conflicts";
  c.table.one_sum = true;
  c.table.first_count = column{"bank conflicts", "per block", [](const outcome&) { return 0.0; }};
  run_result r;
  r.device.kind = "gpu";
  r.device.name = "NVIDIA GeForce RTX 4070 Ti SUPER Laptop GPU";
  r.device.peak_gb_per_s = 4814;
  r.device.l2_bytes = std::size_t{1} << 30;
  r.device.most.read_gb_per_s = 4708;
  r.device.most.copy_gb_per_s = 4065;
  r.device.most.launch_us = 2.8;
  r.device.most.idle_launch_us = 123.4;
  r.device.most.array_bytes = std::size_t{1} << 30;
  r.given.count = std::size_t{1} << 26;
  // The last two are impossible: faster than the memory, and faster than an empty launch. The last one was not queued.
  r.rows = {timed("reduce_single_thread", role::previous, 1234.5), timed("reduce_interleaved", role::reference, 0.32),
            timed("reduce_interleaved", role::yours, 0.03), timed("cub::DeviceReduce::Sum", role::library, 0.001)};
  r.rows.back().cold->queued = false;
  for (const bool all_counts : {false, true}) {
    const std::string text = table_text(c, r, all_counts);
    INFO(text);
    CHECK_THAT(text, ContainsSubstring("time (ms)") && ContainsSubstring("above the memory's peak") &&
                         ContainsSubstring("below the time of an empty launch") && ContainsSubstring("an idle GPU"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
}
