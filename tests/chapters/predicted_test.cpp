// Tests how tables and profiles show predicted times without a GPU.

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "chapters/rungs.hpp"
#include "emulator/emulator.hpp"
#include "support/catch.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/predicted.hpp"

using namespace workbook;

namespace {

run_result result_of(const problem& p) {
  run_result r;
  r.given = p;
  r.predicted_for = model::chosen_gpu("h200");
  for (const specimen& kernel : rows_of(ladder_solutions()))
    if (kernel.name == "reduce_sequential" || kernel.name == "reduce_shuffles")
      r.rows.push_back(examine(kernel, p, {.explains = false}));
  REQUIRE(r.rows.size() == 2);
  return r;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

}  // namespace

TEST_CASE("a table shows times, rates and limits, and how reliable they are") {
  emulator::select_device(emulator::device_kind::emulator);
  const std::string text = predicted_table(result_of({element_type::int32, 65536, 128, 1}));
  CHECK_THAT(text, ContainsSubstring("on an NVIDIA H200"));
  CHECK_THAT(text, ContainsSubstring("reduce_sequential (reference)"));
  CHECK_THAT(text, ContainsSubstring("time* us"));
  CHECK_THAT(text, ContainsSubstring("* Predicted from the counts"));
  CHECK(widest(text) <= 80);
}

TEST_CASE("on the predicted GPU, measured times are shown next to the predictions, and large deviations are reported") {
  emulator::select_device(emulator::device_kind::emulator);
  const run_result r = result_of({element_type::int32, 65536, 128, 1});
  run_result timed = r;
  timed.device.name = "NVIDIA H200";
  timing t;
  t.median_ms = 0.0085;
  timed.rows[0].cold = t;
  t.median_ms = 1;
  timed.rows[1].cold = t;
  const std::string text = predicted_table(r, &timed);
  CHECK_THAT(text, ContainsSubstring("measured"));
  CHECK_THAT(text, ContainsSubstring("8.5  "));
  CHECK_THAT(text, ContainsSubstring("1000.0  "));
  CHECK_THAT(text, !ContainsSubstring("reduce_sequential: predicted"));
  CHECK_THAT(text, ContainsSubstring("reduce_shuffles: predicted"));
  CHECK_THAT(text, ContainsSubstring("times as short as measured"));
  CHECK(widest(text) <= 80);
  timed.device.name = "another GPU";
  CHECK_THAT(predicted_table(r, &timed), !ContainsSubstring("measured "));
}

TEST_CASE("parts of a time are listed with their time alone, the longest first") {
  emulator::select_device(emulator::device_kind::emulator);
  const std::string text =
      predicted_parts(model::chosen_gpu("h200"), result_of({element_type::int32, 65536, 32, 1}).rows[0]);
  for (const char* part : {"block starts", "latency", "memory", "instructions", "shared memory", "launches"})
    CHECK_THAT(text, ContainsSubstring(part));
  CHECK_THAT(text, ContainsSubstring(std::string(40, '#')));
  CHECK(widest(text) <= 80);
}

TEST_CASE("a wrong kernel has no time") {
  emulator::select_device(emulator::device_kind::emulator);
  run_result r = result_of({element_type::int32, 1000, 128, 1});
  r.rows[0].verified = false;
  CHECK_THAT(predicted_table(r), ContainsSubstring("the kernel is wrong or unsafe"));
  CHECK_THAT(predicted_parts(r.predicted_for, r.rows[0]), ContainsSubstring("the kernel is wrong or unsafe"));
}

TEST_CASE("a GPU that was not measured has no times, and the output explains how to get them") {
  emulator::select_device(emulator::device_kind::emulator);
  run_result r = result_of({element_type::int32, 1000, 128, 1});
  r.predicted_for = model::chosen_gpu("t4");
  CHECK_THAT(predicted_table(r), ContainsSubstring("the Tesla T4 (t4) has not been measured"));
  CHECK_THAT(predicted_table(r), ContainsSubstring("make machine"));
  CHECK_THAT(predicted_parts(r.predicted_for, r.rows[0]), ContainsSubstring("has not been measured"));
}

TEST_CASE("the time is that of the chosen GPU, and special properties of its file are mentioned") {
  emulator::select_device(emulator::device_kind::emulator);
  run_result r = result_of({element_type::int32, 65536, 128, 1});
  const double before = prediction_of(*r.predicted_for.measured, r.rows[0]).us;
  r.predicted_for.measured->name = "Another GPU";
  r.predicted_for.measured->first_launch_us += 10;
  r.predicted_for.note = "A word on this machine.";
  CHECK(prediction_of(*r.predicted_for.measured, r.rows[0]).us == Approx(before + 10));
  for (const std::string& text : {predicted_table(r), predicted_parts(r.predicted_for, r.rows[0])}) {
    CHECK_THAT(text, ContainsSubstring("an Another GPU"));
    CHECK_THAT(text, ContainsSubstring("A word on this machine."));
  }
}

TEST_CASE("the sentence under the bars has the share of the limit and the chapters that lift it") {
  emulator::select_device(emulator::device_kind::emulator);
  const run_result r = result_of({element_type::int32, std::size_t{1} << 18, 32, 1});
  const model::prediction p = prediction_of(*r.predicted_for.measured, r.rows[0]);
  // 2^18 elements in blocks of 32 threads are 8192 blocks, followed by 256, 8 and 1.
  REQUIRE(p.limit() == "launches");
  const std::string text = predicted_parts(r.predicted_for, r.rows[0]);
  CHECK_THAT(text, ContainsSubstring(std::to_string(std::lround(100 * p.launch_us / p.us)) + " % of it"));
  CHECK_THAT(text, ContainsSubstring("Chapter 12"));
}

TEST_CASE("a chapter whose kernels are predicted less well says so, and allows a larger deviation") {
  emulator::select_device(emulator::device_kind::emulator);
  const run_result r = result_of({element_type::int32, 65536, 128, 1});
  CHECK_THAT(predicted_table(r), ContainsSubstring("off by 7 % on average, and by less than 17 %"));
  CHECK_THAT(predicted_table(r, nullptr, model::error_of_chapter(9)), ContainsSubstring("off by 7 % on average"));
  const model::chapter_error of_eleven = model::error_of_chapter(11);
  CHECK_THAT(predicted_table(r, nullptr, of_eleven),
             ContainsSubstring("off by 32 % on average, and by less than 64 %"));
  run_result timed = r;
  timed.device.name = "NVIDIA H200";
  // 1.5 times the prediction is too much for a kernel of the ladder, but usual in chapter 11.
  for (std::size_t row = 0; row < r.rows.size(); ++row) {
    timing t;
    t.median_ms = 1.5e-3 * prediction_of(*r.predicted_for.measured, r.rows[row]).us;
    timed.rows[row].cold = t;
  }
  CHECK_THAT(predicted_table(r, &timed), ContainsSubstring("reduce_shuffles: predicted 1.5 times"));
  CHECK_THAT(predicted_table(r, &timed, of_eleven), !ContainsSubstring("reduce_shuffles: predicted"));
}

TEST_CASE("if nothing ran, nothing is printed") {
  CHECK(predicted_table({}).empty());
  CHECK(predicted_parts(model::chosen_gpu("h200"), {}).empty());
}
