// Tests findings in the formats of other services: SARIF, and GitHub's annotations.

#include <nlohmann/json.hpp>

#include "emulator/emulate/sarif.hpp"
#include "support/catch.hpp"

using nlohmann::json;

namespace {

json finding(const std::string& check, const std::string& kind, const std::string& file, unsigned line) {
  return {{"check", check},    {"kind", kind}, {"kernel", "sum(int*)"},
          {"file", file},      {"line", line}, {"message", "It is wrong."},
          {"cure", "Fix it."}, {"count", 12},  {"launches", 3}};
}

json report_of(json findings, json suppressed = json::array()) {
  return {{"schema", 1}, {"findings", std::move(findings)}, {"suppressed", std::move(suppressed)}};
}

json run_of(const json& report) {
  const json log = json::parse(emulate::sarif_text(report, "/home/my project", "1.2.3", 86));
  CHECK(log["version"] == "2.1.0");
  CHECK_THAT(log["$schema"].get<std::string>(), ContainsSubstring("sarif-schema-2.1.0.json"));
  REQUIRE(log["runs"].size() == 1);
  return log["runs"][0];
}

}  // namespace

TEST_CASE("a log without a finding has everything that the format requires") {
  const json run = run_of(report_of(json::array()));
  CHECK(run["tool"]["driver"]["name"] == "emulate");
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  CHECK(run["results"].is_array());
  CHECK(run["results"].empty());
  CHECK(run["invocations"][0]["exitCode"] == 86);
}

TEST_CASE("a result has a rule, a text, a count and a place, and each rule is listed once") {
  const json run = run_of(report_of({finding("racecheck", "read-after-write race", "/home/my project/a.cu", 3),
                                     finding("limit", "too long", "/home/my project/a.cu", 4),
                                     finding("racecheck", "read-after-write race", "/home/my project/a.cu", 5)}));
  const json& rules = run["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 2);
  CHECK(rules[0]["id"] == "racecheck/read-after-write-race");
  CHECK(rules[0]["shortDescription"]["text"] == "racecheck: read-after-write race");
  REQUIRE(run["results"].size() == 3);
  for (const json& result : run["results"]) CHECK(rules[result["ruleIndex"].get<int>()]["id"] == result["ruleId"]);
  const json& first = run["results"][0];
  CHECK(first["level"] == "error");
  CHECK(first["occurrenceCount"] == 12);
  CHECK(first["message"]["text"] == "It is wrong. 12 times, in 3 launches. Fix it.");
  CHECK(first["locations"][0]["physicalLocation"]["region"]["startLine"] == 3);
  CHECK(first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "sum(int*)");
}

TEST_CASE("a path below the root is relative, any other path is absolute, and a blank is escaped in a URI") {
  const auto artifact = [](const std::string& file) {
    const json run = run_of(report_of({finding("memcheck", "read", file, 1)}));
    return run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  CHECK(artifact("/home/my project/my src/\xc3\xa4.cu") ==
        json({{"uri", "my%20src/%C3%A4.cu"}, {"uriBaseId", "SRCROOT"}}));
  CHECK(artifact("/home/my project 2/a.cu") == json({{"uri", "file:///home/my%20project%202/a.cu"}}));
  CHECK(run_of(report_of(json::array()))["originalUriBaseIds"]["SRCROOT"]["uri"] == "file:///home/my%20project/");
}

TEST_CASE("a race has a flow with both accesses, each in a thread of its own") {
  json race = finding("racecheck", "read-after-write race", "/home/my project/a.cu", 5);
  race["other_file"] = "/home/my project/b.cuh";
  race["other_line"] = 9;
  const json result = run_of(report_of({race}))["results"][0];
  REQUIRE(result["codeFlows"].size() == 1);
  const json& threads = result["codeFlows"][0]["threadFlows"];
  REQUIRE(threads.size() == 2);
  CHECK(threads[0]["id"] != threads[1]["id"]);
  const auto line = [](const json& thread) {
    return thread["locations"][0]["location"]["physicalLocation"]["region"]["startLine"].get<int>();
  };
  CHECK(line(threads[0]) == 9);
  CHECK(line(threads[1]) == 5);
  CHECK(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b.cuh");
}

TEST_CASE("a finding without a place has none in the log, and suppressed findings are marked") {
  json lost = finding("memcheck", "leak", "", 0);
  lost["kernel"] = "";
  const json run = run_of(report_of({lost}, {finding("memcheck", "leak", "/home/my project/a.cu", 1)}));
  CHECK_FALSE(run["results"][0].contains("locations"));
  CHECK_FALSE(run["results"][0].contains("suppressions"));
  CHECK(run["results"][1]["suppressions"][0]["kind"] == "external");
}

TEST_CASE("an annotation of GitHub is one line, and the characters that separate its parts are escaped") {
  json wrong = finding("memcheck", "out of bounds", "/home/my project/a,b:c%.cu", 8);
  wrong["message"] = "100 % wrong:\nyes, all\r.";
  wrong["launches"] = 1;
  wrong["cure"] = "";
  json nowhere = finding("limit", "too long", "", 0);
  CHECK(emulate::github_annotations(report_of({wrong, nowhere}), "/home/my project") ==
        "::error file=a%2Cb%3Ac%25.cu,line=8,title=memcheck%3A out of bounds::100 %25 wrong:%0Ayes, all%0D.\n"
        "::error title=limit%3A too long::It is wrong. 12 times, in 3 launches. Fix it.\n");
}
