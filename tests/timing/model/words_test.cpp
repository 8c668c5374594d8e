// Tests the texts of predictions: bars, the sentence below them, and the text for a program's report.

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "timing/model/reports.hpp"
#include "timing/model/words.hpp"

using namespace model;

namespace {

prediction made_up(const char* largest) {
  prediction p;
  p.us = 100;
  p.launch_us = 4;
  for (const char* name : {"block starts", "latency", "memory", "instructions", "L1 cache", "shared memory"})
    p.terms.push_back({name, std::string(name) == largest ? 97.0 : 10.0});
  std::stable_sort(p.terms.begin(), p.terms.end(), [](const term& a, const term& b) { return a.us > b.us; });
  return p;
}

/// Returns a launch as in the emulator's report.
nlohmann::json launch(const std::string& kernel, unsigned blocks) {
  return {{"kernel", kernel},
          {"grid", {blocks, 1, 1}},
          {"block", {128, 1, 1}},
          {"completed", true},
          {"cooperative", false},
          {"counters", {{"workbook__blocks.sum", blocks}, {"workbook__inst_executed.sum", 10 * blocks}}},
          {"occupancy", {{"blocks_per_multiprocessor", 16}}},
          {"path",
           {{"blocks", 1},
            {"cycles", 100.0},
            {"waits", 1.0},
            {"longest_cycles", 100.0},
            {"longest_waits", 1.0},
            {"last_cycles", 0.0},
            {"last_waits", 0.0},
            {"lines", 10},
            {"sectors_near", 0},
            {"sectors_again", 0},
            {"executed", 10},
            {"issued", 10}}},
          {"findings", nlohmann::json::array()}};
}

std::string text_of(const nlohmann::json& launches) {
  return predicted_text(chosen_gpu("h200"), {{"launches", launches}});
}

}  // namespace

TEST_CASE("the longest part has the longest bar, and the others in proportion") {
  const machine m = *chosen_gpu("h200").measured;
  const std::string text = parts_text(m, made_up("block starts"));
  CHECK_THAT(text, ContainsSubstring("Predicted for an NVIDIA H200: 100.0 us, cold."));
  CHECK_THAT(text, ContainsSubstring("block starts       97.00 us  " + std::string(40, '#') + "\n"));
  CHECK_THAT(text, ContainsSubstring("memory             10.00 us  ####\n"));
  CHECK(text.find("block starts") < text.find("memory"));
  prediction none;
  none.unknown = "a reason";
  CHECK(parts_text(m, none) == "No time on an NVIDIA H200: a reason.\n");
}

TEST_CASE("the sentence names the limit, its share and a remedy") {
  const std::pair<const char*, const char*> known[] = {
      {"block starts", "Block starts alone take 97 % of it: fewer blocks"},
      {"latency", "Latency alone takes 97 % of it: more loads at a time"},
      {"memory", "Memory alone takes 97 % of it: only moving fewer bytes"},
      {"instructions", "Instructions alone take 97 % of it: fewer"},
      {"L1 cache", "Looking up lines in L1 alone takes 97 % of it: warps whose lanes touch fewer lines"},
      {"shared memory", "Shared memory alone takes 97 % of it: fewer bank conflicts"}};
  for (const auto& [limit, words] : known) CHECK_THAT(advice_of(made_up(limit), limit), ContainsSubstring(words));
  prediction launching = made_up("latency");
  launching.launch_us = 60;
  CHECK_THAT(advice_of(launching, "launches"), ContainsSubstring("Launches alone take 60 % of it"));
  CHECK(advice_of({}, "latency").empty());
  CHECK(advice_of(launching, "the weather").empty());
}

TEST_CASE("a prediction as JSON contains the same as the text") {
  const machine m = *chosen_gpu("h200").measured;
  const nlohmann::json j = to_json(m, made_up("memory"));
  CHECK(j["gpu"] == "NVIDIA H200");
  CHECK(j["us"] == 100);
  CHECK(j["limits"] == nlohmann::json{"memory"});
  CHECK(j["terms"]["memory"] == 97);
  prediction none;
  none.unknown = "a reason";
  CHECK(to_json(m, none)["unknown"] == "a reason");
  CHECK_FALSE(to_json(m, none).contains("us"));
}

TEST_CASE("the launches of a kernel are predicted together, in the order in which kernels came") {
  const nlohmann::json report = {launch("b()", 100), launch("a()", 100), launch("b()", 100)};
  const std::string text = text_of(report);
  CHECK(text.find("b(), 2 launches together\n") < text.find("a()\n"));
  counts c;
  c.blocks = 100;
  c.threads_per_block = 128;
  c.blocks_per_multiprocessor = 16;
  c.path_cycles = c.longest_cycles = 100;
  c.path_waits = c.longest_waits = 1;
  c.instructions = 1000;
  c.lines = 1000;
  const machine m = *chosen_gpu("h200").measured;
  CHECK_THAT(text, ContainsSubstring("b(), 2 launches together\n" + parts_text(m, predict(m, {c, c}))));
  CHECK_THAT(text, ContainsSubstring("a()\n" + parts_text(m, predict(m, {c}))));
  CHECK_THAT(text, ContainsSubstring("off by " + std::to_string(mean_error_percent) + " % on average"));
}

TEST_CASE("kernels that are wrong, unfinished or not known have no time and a reason") {
  nlohmann::json wrong = launch("wrong()", 1), endless = launch("endless()", 1), opaque = launch("opaque()", 1);
  wrong["findings"].push_back({{"check", "memcheck"}});
  endless["completed"] = false;
  opaque["occupancy"] = nullptr;
  const std::string text = text_of({wrong, endless, opaque});
  CHECK_THAT(text, ContainsSubstring("wrong()\nNo time on an NVIDIA H200: the kernel is wrong or unsafe.\n"));
  CHECK_THAT(text, ContainsSubstring("endless()\nNo time on an NVIDIA H200: the kernel is wrong or unsafe.\n"));
  CHECK_THAT(text, ContainsSubstring("opaque()\nNo time on an NVIDIA H200: without the machine code"));
  CHECK_THAT(text, !ContainsSubstring("% on average"));
}

TEST_CASE("no prediction is printed without a kernel, and no time for a GPU that was not measured") {
  CHECK(text_of(nlohmann::json::array()).empty());
  CHECK_THAT(predicted_text(chosen_gpu("t4"), {{"launches", {launch("a()", 1)}}}),
             ContainsSubstring("the Tesla T4 (t4) has not been measured"));
}

TEST_CASE("the predictions of a report as data have a time or a reason for each kernel") {
  nlohmann::json wrong = launch("wrong()", 1);
  wrong["findings"].push_back({{"check", "memcheck"}});
  const nlohmann::json report = {{"launches", {launch("b()", 100), wrong, launch("b()", 100)}}};
  const gpu h200 = chosen_gpu("h200");
  const nlohmann::json predictions = predictions_of(h200, report);
  REQUIRE(predictions.size() == 2);
  CHECK(predictions[0]["kernel"] == "b()");
  CHECK(predictions[0]["launches"] == 2);
  const counts c = counts_of(report["launches"][0]);
  CHECK(predictions[0]["us"] == predict(*h200.measured, {c, c}).us);
  CHECK(predictions[0]["gpu"] == "NVIDIA H200");
  CHECK(predictions[0]["limits"].is_array());
  CHECK_FALSE(predictions[0].contains("unknown"));
  CHECK_FALSE(predictions[0].contains("note"));
  CHECK(predictions[1]["unknown"] == "the kernel is wrong or unsafe");
  CHECK_FALSE(predictions[1].contains("us"));

  const nlohmann::json unmeasured = predictions_of(chosen_gpu("t4"), report);
  REQUIRE(unmeasured.size() == 2);
  CHECK(unmeasured[0]["gpu"] == "t4");
  CHECK_THAT(unmeasured[0]["unknown"].get<std::string>(), ContainsSubstring("the Tesla T4 (t4) has not been measured"));
  CHECK(predictions_of(h200, {{"launches", nlohmann::json::array()}}) == nlohmann::json::array());
}
