// `--gpu` of a chapter's program selects the GPU whose times are predicted in its table, its profile and its JSON.

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "host/process.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

namespace {

test_support::command_result run(const std::string& words, const std::string& program = "chapter3") {
  return test_support::shell("'" WORKBOOK_PROGRAMS "/" + program + "' --device emulator --count 2^16 " + words);
}

/// Returns the row of a role in the output of `--json -`.
nlohmann::json row_of(const std::string& words, const std::string& role = "reference") {
  const test_support::command_result done = run("--json - " + words);
  INFO(done.errors);
  REQUIRE(done.status == 0);
  const nlohmann::json report = nlohmann::json::parse(done.output);
  for (const nlohmann::json& row : report.at("kernels"))
    if (row.at("role") == role) return row;
  return {};
}

nlohmann::json recorded_machine() {
  std::ifstream file(RECORDED_MACHINE);
  return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("the JSON has the predicted time, its terms, and the limit") {
  const nlohmann::json row = row_of("");
  const nlohmann::json& p = row.at("predicted");
  CHECK(p.at("gpu") == "NVIDIA H200");
  CHECK(p.at("us") > p.at("launch_us"));
  CHECK(p.at("terms").size() == 6);
  CHECK(p.at("limits") == nlohmann::json{"launches"});
  for (const nlohmann::json& us : p.at("terms")) CHECK(us < p.at("us"));
  CHECK(row_of("--profile reference").at("predicted") == p);
}

TEST_CASE("a file's facts change the times, and not the counts") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/my machine.json";
  nlohmann::json facts = recorded_machine();
  facts["launches"]["queued_us"] = facts["launches"]["queued_us"].get<double>() + 100;
  std::ofstream(path) << facts;
  const nlohmann::json before = row_of(""), row = row_of("--gpu '" + path + "'");
  CHECK(row.at("predicted").at("us").get<double>() == Approx(before.at("predicted").at("us").get<double>() + 100));
  CHECK(row.at("launches") == before.at("launches"));
  CHECK_THAT(run("--all --gpu '" + path + "'").output, ContainsSubstring("on an NVIDIA H200"));
}

TEST_CASE("a GPU that was not measured is emulated without times, and the output explains how to measure it") {
  const auto all = run("--all --gpu t4");
  CHECK(all.status == 0);
  CHECK_THAT(all.output, ContainsSubstring("on the emulator as Tesla T4") &&
                             ContainsSubstring("the Tesla T4 (t4) has not been measured") &&
                             ContainsSubstring("\n  make machine ARGS=\"--json t4.json\"\n"));
  CHECK_THAT(run("--profile reference --gpu t4").output, ContainsSubstring("the Tesla T4 (t4) has not been measured"));
  CHECK_FALSE(row_of("--gpu t4").contains("predicted"));
}

TEST_CASE("the path of a block has the latencies of the file") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/slow.json";
  nlohmann::json facts = recorded_machine();
  facts["latencies"]["chains"]["LDS"] = 500;
  std::ofstream(path) << facts;
  const auto cycles = [&](const std::string& words) {
    return row_of(words).at("launches").at(0).at("path").at("cycles").get<double>();
  };
  CHECK(cycles("--gpu '" + path + "'") > 3 * cycles(""));
}

TEST_CASE("chapters that set kernels side by side take --gpu, too") {
  const auto done = test_support::shell("'" WORKBOOK_PROGRAMS "/chapter10' --device emulator --count 300 --gpu a100");
  CHECK(done.status == 0);
  CHECK_THAT(done.output, ContainsSubstring("on the emulator as NVIDIA A100"));
}

TEST_CASE("--gpu refuses an unknown GPU, with status 2 and the reason") {
  const host::temporary_folder folder;
  const std::string garbage = folder.path() + "/garbage.json", partly = folder.path() + "/partly measured.json";
  std::ofstream(garbage) << "{\"device\":";
  nlohmann::json facts = recorded_machine();
  facts.erase("latencies");
  std::ofstream(partly) << facts;
  const std::pair<std::string, std::string> refused[] = {{"banana", "there is no GPU 'banana'; it can be h200"},
                                                         {"nowhere.json", "There is no file nowhere.json"},
                                                         {garbage, "no JSON from byte"},
                                                         {partly, "/latencies/clock_ghz is missing"},
                                                         {folder.path(), "that can be read"},
                                                         {"", "there is no GPU ''"}};
  for (const auto& [choice, words] : refused) {
    const auto done = run("--gpu '" + choice + "'");
    INFO(choice);
    CHECK(done.status == 2);
    CHECK(done.output.empty());
    CHECK_THAT(done.errors, ContainsSubstring("--gpu: ") && ContainsSubstring(words));
  }
  for (const char* other : {"--limit", "--benchmark", "--device gpu"}) {
    const auto done = test_support::shell(std::string("'" WORKBOOK_PROGRAMS "/chapter3' --gpu h200 ") + other);
    INFO(other);
    CHECK(done.status == 2);
    CHECK_THAT(done.errors, ContainsSubstring("leave"));
  }
  CHECK(test_support::shell("'" WORKBOOK_PROGRAMS "/chapter3' --gpu h200 --test").status == 2);
}

TEST_CASE("chapters that compare kernels have times by group, but not if the host waits in between") {
  const auto pipelines = run("", "chapter13");
  CHECK(pipelines.status == 0);
  CHECK_THAT(pipelines.output, ContainsSubstring("time* us") && ContainsSubstring("-- the sum of each of many bags"));
  CHECK_THAT(pipelines.output, ContainsSubstring("the program waits for the GPU between its launches"));
  CHECK_THAT(run("", "chapter12").output, ContainsSubstring("blocks of a cooperative launch wait for each other"));
  CHECK_THAT(run("", "chapter14").output, ContainsSubstring("32, REDUX (compared)"));
}

TEST_CASE("with --gpu-rounds a chapter has a longer predicted time") {
  const auto us = [](const std::string& words) {
    const auto done = run("--json - " + words, "chapter10");
    REQUIRE(done.status == 0);
    return nlohmann::json::parse(done.output).at("kernels").at(0).at("predicted").at("us").get<double>();
  };
  CHECK(us("--gpu-rounds") > us("") + 0.1);
  const auto refused = run("--gpu-rounds", "chapter3");
  CHECK(refused.status != 0);
  CHECK_THAT(refused.errors, ContainsSubstring("--gpu-rounds"));
}
