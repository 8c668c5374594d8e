// Command lines that CLI11 reads: one line where something is wrong, and a status.

#include <CLI/CLI.hpp>

#include "host/command_line.hpp"
#include "host/program.hpp"
#include "support/catch.hpp"

namespace {

/// Runs a program of one option with `words` as its command line.
int status_of(std::vector<std::string> words, const std::function<int()>& body) {
  int number = 0;
  CLI::App app("Counts", "counter");
  app.add_option("--number", number, "How far")->check(CLI::Range(0, 9));
  words.insert(words.begin(), "counter");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return host::run_program(app, static_cast<int>(pointers.size()), pointers.data(), 3, body);
}

}  // namespace

TEST_CASE("a program's status is its body's, 2 for a wrong command line, or what a failure says") {
  CHECK(status_of({"--number", "5"}, [] { return 7; }) == 7);
  CHECK(status_of({"--help"}, [] { return 7; }) == 0);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--number", "10"}, {"--number", "five"}, {"--number"}, {"--frobnicate"}, {"word"}}) {
    bool called = false;
    CHECK(status_of(wrong, [&] { return called = true, 0; }) == 2);
    CHECK_FALSE(called);
  }
  CHECK(status_of({}, []() -> int { throw host::usage_error("no"); }) == 2);
  CHECK(status_of({}, []() -> int { throw host::failure("no", 5); }) == 5);
  CHECK(status_of({}, []() -> int { throw std::runtime_error("no"); }) == 3);
}

TEST_CASE("what is wrong is said in one line that names the option") {
  int number = 0;
  CLI::App app("Counts", "counter");
  app.add_option("--number", number, "How far")->check(CLI::Range(0, 9));
  CHECK_THROWS_WITH(host::parse(app, {"--number", "10"}),
                    ContainsSubstring("--number") && ContainsSubstring("10") &&
                        ContainsSubstring("`counter --help` lists what there is") && !ContainsSubstring("\n"));
  CHECK_THROWS_WITH(host::parse(app, {"--frobnicate"}), ContainsSubstring("--frobnicate"));
}

TEST_CASE("records show the command as it was typed") {
  char name[] = "/somewhere/bin/ladder", option[] = "--type", value[] = "int";
  char* words[] = {name, option, value};
  CHECK(host::command_text("ladder", 3, words) == "build/bin/ladder --type int");
  CHECK(host::utc_now().size() == std::string("2025-01-31T12:00:00Z").size());
}
