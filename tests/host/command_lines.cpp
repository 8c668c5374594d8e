// Tests of command lines: values are read into variables, errors are reported in one line, and the exit status is set.

#include <optional>
#include <string>
#include <vector>

#include "host/command_line.hpp"
#include "host/program.hpp"
#include "host/version.hpp"
#include "support/catch.hpp"

namespace {

/// Runs a program that has one option, with `words` as its arguments.
int status_of(std::vector<std::string> words, const std::function<int()>& body) {
  int number = 0;
  host::parser app("Counts", "counter");
  app.add_option("--number", number, "How far").check(host::number_from(0, 9));
  words.insert(words.begin(), "counter");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return host::run_program(app, static_cast<int>(pointers.size()), pointers.data(), 3, body);
}

}  // namespace

TEST_CASE("a program's status is its body's, 2 for a wrong command line, or that of a failure") {
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

TEST_CASE("--version is no error, even if a required argument is missing, and ends the program before its body") {
  std::string file;
  host::parser app("Counts", "some/folder/counter");
  app.add_option("file", file, "What to count").required();
  CHECK_FALSE(host::parse(app, {"--version"}));
  CHECK(status_of({"--version"}, [] { return 7; }) == 0);
}

TEST_CASE("the version is printed with the program's name, without its folder") {
  CHECK_THAT(host::version_text("some/folder/counter"),
             ContainsSubstring("counter ") && ContainsSubstring(" (Reduction Workbook)"));
  CHECK(host::version_text("some/folder/counter") == host::version_text("counter"));
}

TEST_CASE("a mistake is reported in one line that names the option") {
  int number = 0;
  host::parser app("Counts", "counter");
  app.add_option("--number", number, "How far").check(host::number_from(0, 9));
  CHECK_THROWS_WITH(host::parse(app, {"--number", "10"}),
                    ContainsSubstring("--number") && ContainsSubstring("10") &&
                        ContainsSubstring("`counter --help` lists what there is") && !ContainsSubstring("\n"));
  CHECK_THROWS_WITH(host::parse(app, {"--frobnicate"}), ContainsSubstring("--frobnicate"));
}

TEST_CASE("words become text, numbers and enumerations, one, several, or none") {
  enum class colour { red = 3, green = 5 };
  const host::word_rule a_colour{[](std::string& word) -> std::string {
                                   if (word != "red" && word != "green") return "'" + word + "' is no colour";
                                   word = word == "red" ? "3" : "5";
                                   return {};
                                 },
                                 "red, green"};
  struct {
    std::string text = "before", place;
    double real = 0;
    bool flag = false, called = false;
    colour one = colour::red;
    std::optional<colour> perhaps, never;
    std::vector<colour> all = {colour::green};
    std::optional<unsigned> number, none;
    std::vector<std::size_t> sizes;
    std::vector<std::string> again;
  } w;
  const auto read = [&](const std::vector<std::string>& words) {
    host::parser app("Reads", "reader");
    app.add_option("-t,--text", w.text, "");
    app.add_option("place", w.place, "");
    app.add_option("--real", w.real, "").check(host::real_from(0, 9));
    app.add_flag("--flag", w.flag, "");
    app.add_option("--one", w.one, "").transform(a_colour);
    app.add_option("--perhaps", w.perhaps, "").transform(a_colour);
    app.add_option("--never", w.never, "").transform(a_colour);
    app.add_option("--all", w.all, "").delimiter(',').transform(a_colour);
    app.add_option("--number", w.number, "").check(host::number_from(1, 9));
    app.add_option("--none", w.none, "").excludes({"--number"});
    app.add_option("--sizes", w.sizes, "").delimiter(',').needs("--number");
    app.add_option("--again", w.again, "").may_be_repeated();
    app.add_flag_call(
        "--call", [&] { w.called = true; }, "");
    return host::parse(app, words);
  };
  CHECK(read({"-t",        "after",   "--real", "0.5",           "--flag",   "--one",  "green",
              "--perhaps", "red",     "--all",  "red,green,red", "--number", "7",      "--sizes",
              "1,2",       "--again", "a",      "--again",       "b",        "--call", "here"}));
  CHECK(w.text == "after");
  CHECK(w.place == "here");
  CHECK(w.real == 0.5);
  CHECK((w.flag && w.called));
  CHECK(w.one == colour::green);
  CHECK(w.perhaps == colour::red);
  CHECK(w.all == std::vector<colour>{colour::red, colour::green, colour::red});
  CHECK((w.number == 7u && !w.none && !w.never));
  CHECK(w.sizes == std::vector<std::size_t>{1, 2});
  CHECK(w.again == std::vector<std::string>{"a", "b"});
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--one", "blue"},
                                                {"--all", "red,blue"},
                                                {"--real", "nan"},
                                                {"--real", "1x"},
                                                {"--number", "0"},
                                                {"--number", "-1"},
                                                {"--none", "1", "--number", "1"},
                                                {"--sizes", "1"},
                                                {"--again", "a", "b", "c"},
                                                {"--one", "red", "--one", "red"}}) {
    INFO(wrong.back());
    CHECK_THROWS_AS(read(wrong), host::usage_error);
  }
  CHECK_THROWS_WITH(read({"--all", "red,blue"}), ContainsSubstring("--all: 'blue' is no colour; `reader --help`"));
}

TEST_CASE("unknown arguments are left over if others are allowed, and the program's own help is an option") {
  bool help = false;
  host::parser app("Leaves", "leaver");
  app.has_own_help_and_version();
  app.allow_others();
  app.footer("below");
  app.add_flag("-h,--help", help, "Print this");
  const host::option asked = app.add_option("--asked").expected(0, 1);
  const host::option secret = app.add_option("--secret").expected(0, 1).hidden();
  int ended = 0;
  app.at_end([&] { ++ended; });
  CHECK(app.read({"a", "--asked", "--help", "--what", "b"}));
  CHECK((help && ended == 1));
  CHECK(app.remaining() == std::vector<std::string>{"a", "--what", "b"});
  CHECK((asked.count() == 1 && app.count("--asked") == 1 && secret.count() == 0));
  CHECK(asked.name() == "--asked");
  CHECK_THAT(app.help(), ContainsSubstring("--asked") && ContainsSubstring("below") && !ContainsSubstring("--secret"));
}

TEST_CASE("one of some words, an existing file or folder, or else a message with what is possible") {
  std::string word = "on", file = "/dev/null", folder = "/", gone = "/gone/nowhere";
  CHECK(host::one_of_words({"on", "off"}).read(word).empty());
  CHECK(host::one_of_words({"on", "off"}).read(file) == "'/dev/null' is not one of on, off");
  CHECK(host::an_existing_file().read(file).empty());
  CHECK(host::an_existing_file().read(folder) == "there is no file /");
  CHECK(host::an_existing_folder().read(folder).empty());
  CHECK(host::an_existing_folder().read(gone) == "there is no folder /gone/nowhere");
}

TEST_CASE("records show the command as it was typed") {
  char name[] = "/somewhere/bin/ladder", option[] = "--type", value[] = "int";
  char* words[] = {name, option, value};
  CHECK(host::command_text("ladder", 3, words) == "build/bin/ladder --type int");
  CHECK(host::utc_now().size() == std::string("2025-01-31T12:00:00Z").size());
}
