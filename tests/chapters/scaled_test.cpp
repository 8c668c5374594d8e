// Tests times at a size that is too large for the emulator, predicted from counts at smaller sizes, next to measured
// times.

#include <algorithm>
#include <sstream>
#include <string>

#include "chapters/rungs.hpp"
#include "emulator/emulator.hpp"
#include "support/catch.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/library.hpp"
#include "workbook/predicted.hpp"
#include "workbook/scaled.hpp"

using namespace workbook;

namespace {

constexpr std::size_t many = std::size_t{1} << 29;
constexpr int last_chapter = 9;

/// Returns the results of a program of the ladder for the kernels of all its chapters.
run_result result_of(const problem& p) {
  emulator::select_device(emulator::device_kind::emulator);
  std::vector<reduction> rungs = ladder_solutions();
  std::erase_if(rungs, [](const reduction& rung) { return rung.chapter > last_chapter; });
  rungs.push_back(library_reduction());
  const std::vector<specimen> kernels = rows_of(rungs);
  run_result r;
  r.given = p;
  r.predicted_for = model::chosen_gpu("h200");
  for (const specimen& kernel : kernels) r.rows.push_back(examine(kernel, p, {.explains = false}));
  r.scaled = scaled_times(kernels, p, r.rows, r.predicted_for, many);
  return r;
}

model::counts launch_of(double blocks, double path_cycles) {
  model::counts c;
  c.blocks = blocks;
  c.threads_per_block = 256;
  c.blocks_per_multiprocessor = 8;
  c.path_cycles = path_cycles;
  c.instructions = blocks * path_cycles;
  return c;
}

}  // namespace

TEST_CASE("every step from chapter 2 to 8 pays, measured on an H200 and predicted without a GPU") {
  constexpr double least = 1.05;
  const run_result r = result_of({element_type::int32, std::size_t{1} << 20, 256, 1});
  REQUIRE(r.scaled.size() == last_chapter + 1);
  for (std::size_t row = 0; row < last_chapter; ++row) {
    INFO(r.rows[row].name);
    REQUIRE(r.scaled[row].predicted);
    REQUIRE(r.scaled[row].measured_us);
    const double predicted = r.scaled[row].predicted->us, measured = *r.scaled[row].measured_us;
    CHECK(std::max(predicted / measured, measured / predicted) < 1.25);
    if (row == 0 || row >= 8) continue;
    CHECK(r.scaled[row - 1].predicted->us >= least * predicted);
    CHECK(*r.scaled[row - 1].measured_us >= least * measured);
  }
  // A library chooses its kernels depending on the size.
  CHECK_FALSE(r.scaled[last_chapter].predicted);
  CHECK(r.scaled[last_chapter].measured_us);
}

TEST_CASE("the prediction for a size does not depend on the size that was run") {
  const run_result small = result_of({element_type::float32, std::size_t{1} << 16, 256, 1});
  const run_result large = result_of({element_type::float32, std::size_t{1} << 22, 256, 1});
  for (std::size_t row = 0; row < last_chapter; ++row) {
    INFO(small.rows[row].name);
    CHECK(small.scaled[row].predicted->us == Approx(large.scaled[row].predicted->us).epsilon(0.03));
  }
}

TEST_CASE("a grid that grows has more blocks, and passes for their sums; one that has stopped has longer ones") {
  const auto growing =
      scaled_launches({launch_of(2000, 10), launch_of(8, 10), launch_of(1, 10)},
                      {launch_of(4000, 10), launch_of(16, 10), launch_of(1, 10)}, 1 << 20, 1 << 24, 1056);
  REQUIRE(growing);
  REQUIRE(growing->size() == 3);
  CHECK(growing->at(0).blocks == 64000);
  CHECK(growing->at(0).path_cycles == 10);
  CHECK(growing->at(0).instructions == 640000);
  CHECK(growing->at(1).blocks == 245);
  CHECK(growing->at(2).blocks == 1);
  const auto stopped = scaled_launches({launch_of(1056, 20), launch_of(3, 5)}, {launch_of(1056, 30), launch_of(3, 5)},
                                       1 << 20, 1 << 24, 1056);
  REQUIRE(stopped);
  REQUIRE(stopped->size() == 2);
  CHECK(stopped->at(0).blocks == 1056);
  CHECK(stopped->at(0).path_cycles == 30 + 15 * 20);
  CHECK(stopped->at(1) == launch_of(3, 5));
  // In the first case the grid grows, but to fewer blocks than the GPU holds. In the second it doesn't grow in
  // proportion.
  CHECK_FALSE(scaled_launches({launch_of(500, 1)}, {launch_of(1000, 1)}, 1 << 20, 1 << 24, 1056));
  CHECK_FALSE(scaled_launches({launch_of(5000, 1)}, {launch_of(7000, 1)}, 1 << 20, 1 << 24, 1056));
}

TEST_CASE("the table has the times at the other size, and not those of launches") {
  run_result r = result_of({element_type::int32, std::size_t{1} << 16, 256, 1});
  const std::string text = scaled_table(r);
  CHECK_THAT(text, ContainsSubstring("on an NVIDIA H200, us* for") && ContainsSubstring("2^29 ints measured") &&
                       !ContainsSubstring("2^16 ints") && !ContainsSubstring("launches"));
  CHECK_THAT(scaled_columns(r).first(), ContainsSubstring("2^29 ints, us"));
  CHECK(scaled_columns(r).of_row(0).size() == scaled_columns(r).width());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  // The student's kernel has not been measured, even if it has the same name as a kernel that has been.
  std::vector<specimen> kernels = rows_of({chapter1_solution()});
  r.rows.resize(1);
  r.rows[0].as = role::yours;
  const std::vector<scaled_time> yours = scaled_times(kernels, r.given, r.rows, r.predicted_for, many);
  CHECK(yours.at(0).predicted);
  CHECK_FALSE(yours.at(0).measured_us);
  r.rows[0].verified = false;
  CHECK_FALSE(scaled_times(kernels, r.given, r.rows, r.predicted_for, many).at(0).predicted);
}
