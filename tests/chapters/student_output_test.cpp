// Tests the output that a student sees from a chapter's program if the kernel prints, if the file has been saved since
// it was compiled, or if a number on the command line is too large.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/process.hpp"
#include "host/sha256.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

namespace {

using test_support::command_result;

/// \param before  text in front of the program, such as variables
command_result run(const std::string& arguments, const std::string& before = {}) {
  return test_support::shell(before + " '" WORKBOOK_PROGRAMS "/student_program' " + arguments);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::ptrdiff_t line_count(const command_result& r) {
  return std::count(r.output.begin(), r.output.end(), '\n');
}

/// Returns the position of the first line that the kernel printed.
std::size_t first_printed(const std::string& text) {
  return std::min(text.find("thread "), text.find("is no JSON"));
}

}  // namespace

TEST_CASE("the output of a kernel and its host code follows the verdict, named and folded") {
  const command_result r = run("reduce_talkative --test");
  INFO(r.output << r.errors);
  CHECK(r.status == 0);
  const std::size_t verdict = r.output.find("Passed: right, clean, and the goal reached.");
  const std::size_t name = r.output.find("\nPrinted by reduce_talkative:\n");
  REQUIRE(verdict != std::string::npos);
  REQUIRE(name != std::string::npos);
  CHECK(verdict < name);
  CHECK(name < first_printed(r.output));
  CHECK(std::regex_search(r.output, std::regex("… [0-9]+,[0-9,]+ more lines of printf from reduce_talkative;\n"
                                               "  --all-output shows them\n")));
  // The kernel's output appears nowhere else, and the rest is about as long as for a kernel that prints nothing.
  CHECK(r.errors.find("thread ") == std::string::npos);
  const command_result silent = run("reduce_sequential --test");
  CHECK(silent.output.find("Printed by") == std::string::npos);
  CHECK(line_count(r) <= line_count(silent) + 14);
}

TEST_CASE("--all-output shows all that was printed, and every line is counted") {
  const command_result r = run("reduce_talkative --device emulator --count 300 --all-output");
  INFO(r.output);
  CHECK(r.status == 0);
  // There are two blocks of 256 threads, and then one. The host's code is called twice.
  const std::vector<std::string> lines = lines_of(r.output);
  const auto said = [&](const std::string& words) {
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  CHECK(said("thread ") == 3 * 256);
  CHECK(said("is no JSON") == 2);
  CHECK(said("more line") == 0);
  const command_result folded = run("reduce_talkative --device emulator --count 300");
  CHECK_THAT(folded.output, ContainsSubstring("… 760 more lines of printf from reduce_talkative;"));
}

TEST_CASE("with --json - standard output is JSON, even if a kernel prints") {
  for (const char* words :
       {"--test --json -", "--device emulator --count 300 --json -", "--profile yours --count 300 --json -"}) {
    const command_result r = run(std::string("reduce_talkative ") + words);
    INFO(words << '\n' << r.output.substr(0, 300) << r.errors.substr(0, 300));
    CHECK(r.status == 0);
    const nlohmann::json j = nlohmann::json::parse(r.output, nullptr, false);
    REQUIRE_FALSE(j.is_discarded());
    const nlohmann::json said = j.contains("kernels") ? j.at("kernels").back().at("printed") : j.at("printed").at(0);
    CHECK(said.at("lines").size() == 10);
    CHECK(said.at("line_count") > 300);
  }
}

TEST_CASE("a program whose exercise is not the file's gives no verdict") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/chapters/03_sequential_addressing/reduce.cuh";
  std::filesystem::create_directories(folder.path() + "/chapters/03_sequential_addressing");
  std::ofstream(path) << "what is compiled";
  const auto with = [&](const std::string& compiled) {
    return "EXERCISE='" + path + "' EXERCISE_SHA256=" + host::sha256(compiled);
  };
  const command_result same = run("reduce_sequential --test", with("what is compiled"));
  CHECK(same.status == 0);
  const command_result other = run("reduce_sequential --test", with("what was compiled"));
  INFO(other.output << other.errors);
  CHECK(other.status == 2);
  CHECK(other.output.empty());
  CHECK(other.errors ==
        "This program was built from another version of\n"
        "chapters/03_sequential_addressing/reduce.cuh: run `make chapter3`.\n");
  const auto j = nlohmann::json::parse(run("reduce_sequential --test --json -", with("older")).output);
  CHECK(j.at("verdict") == "another version");
  CHECK(j.at("exercise_sha256") == host::sha256("older"));
  const command_result table = run("reduce_sequential --device emulator --count 100 --json -", with("older"));
  CHECK_THAT(table.errors, ContainsSubstring("another version"));
  CHECK(nlohmann::json::parse(table.output).at("exercise_sha256") == host::sha256("older"));
  // If the file is gone, nothing is compared.
  std::filesystem::remove(path);
  CHECK(run("reduce_sequential --test", with("older")).status == 0);
}

TEST_CASE("a file that is saved while the strict test runs gets no verdict of the version before") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/reduce.cuh";
  std::ofstream(path) << "before";
  const std::string said = folder.path() + "/said";
  // The file is saved after the test has printed something, so the test has read it before. This kernel prints for a
  // while.
  const command_result r = run("reduce_talkative --test >'" + said + "' & until [ -s '" + said +
                                   "' ]; do sleep 0.02; done; printf after >'" + path + "'; wait $!; status=$?; cat '" +
                                   said + "'; exit $status",
                               "EXERCISE='" + path + "' EXERCISE_SHA256=" + host::sha256("before"));
  INFO(r.output << r.errors);
  CHECK(r.status == 2);
  CHECK_THAT(r.output, ContainsSubstring("You have saved reduce.cuh during the test"));
}

TEST_CASE("more elements than the memory holds are refused at once, with the needed memory and the number that fits") {
  for (const char* count : {"2^36", "2^40"}) {
    const command_result r =
        run(std::string("reduce_sequential --device emulator --count ") + count, "ulimit -v 8000000; exec timeout 10");
    INFO(r.output << r.errors);
    CHECK(r.status == 2);
    CHECK(r.output.empty());
    CHECK(
        std::regex_search(r.errors, std::regex("takes about [0-9]+\\.[0-9]\\s+GiB\\s+of\\s+the\\s+host's\\s+memory")));
    CHECK(std::regex_search(r.errors, std::regex("[ \n][0-9]\\.[0-9]\\s+GiB\\s+are\\s+available")));
    CHECK(std::regex_search(r.errors, std::regex("fits:\\s+--count\\s+2\\^2[5-9]\n")));
    for (const std::string& line : lines_of(r.errors)) CHECK(line.size() <= 80);
  }
  // If the program says that a size would fit, it must fit.
  const command_result small = run("reduce_sequential --device emulator --count 2^20", "ulimit -v 8000000; exec");
  CHECK(small.status == 0);
  CHECK(
      run("reduce_sequential --device emulator --profile --count 2^36", "ulimit -v 8000000; exec timeout 10").status ==
      2);
}
