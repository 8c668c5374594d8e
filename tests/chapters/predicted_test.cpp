// Times without a GPU, as tables and profiles show them.

#include <algorithm>
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

/// Another GPU for the length of a test.
class as_gpu {
 public:
  explicit as_gpu(const std::string& gpu) : before_(emulator::current_options()) {
    emulator::options other = before_;
    other.gpu = gpu;
    emulator::set_options(other);
  }
  ~as_gpu() { emulator::set_options(before_); }
  as_gpu(const as_gpu&) = delete;
  as_gpu& operator=(const as_gpu&) = delete;

 private:
  emulator::options before_;
};

}  // namespace

TEST_CASE("a table names times, rates and limits, and what they are worth") {
  emulator::select_device(emulator::device_kind::emulator);
  const std::string text = predicted_table(result_of({element_type::int32, 65536, 128, 1}));
  CHECK_THAT(text, ContainsSubstring("on an NVIDIA H200"));
  CHECK_THAT(text, ContainsSubstring("reduce_sequential (reference)"));
  CHECK_THAT(text, ContainsSubstring("time* us"));
  CHECK_THAT(text, ContainsSubstring("* Predicted from the counts"));
  CHECK(widest(text) <= 80);
}

TEST_CASE("on the GPU that is predicted the measured times stand beside, and what is too far off is said") {
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

TEST_CASE("parts of a time are told by what they would take alone, the longest first") {
  emulator::select_device(emulator::device_kind::emulator);
  const std::string text = predicted_parts(result_of({element_type::int32, 65536, 32, 1}).rows[0]);
  for (const char* part : {"block starts", "latency", "memory", "instructions", "shared memory", "launches"})
    CHECK_THAT(text, ContainsSubstring(part));
  CHECK_THAT(text, ContainsSubstring(std::string(40, '#')));
  CHECK(widest(text) <= 80);
}

TEST_CASE("what is wrong has no time") {
  emulator::select_device(emulator::device_kind::emulator);
  run_result r = result_of({element_type::int32, 1000, 128, 1});
  r.rows[0].verified = false;
  CHECK_THAT(predicted_table(r), ContainsSubstring("it is wrong or unsafe"));
  CHECK_THAT(predicted_parts(r.rows[0]), ContainsSubstring("it is wrong or unsafe"));
}

TEST_CASE("a GPU that nobody has measured has no times, and a way to get them") {
  emulator::select_device(emulator::device_kind::emulator);
  const as_gpu other("t4");
  const run_result r = result_of({element_type::int32, 1000, 128, 1});
  CHECK_THAT(predicted_table(r), ContainsSubstring("nobody has measured this GPU (t4)"));
  CHECK_THAT(predicted_table(r), ContainsSubstring("make machine"));
  CHECK_THAT(predicted_parts(r.rows[0]), ContainsSubstring("nobody has measured"));
}

TEST_CASE("where nothing ran, nothing is said") {
  CHECK(predicted_table({}).empty());
  CHECK(predicted_parts({}).empty());
}
