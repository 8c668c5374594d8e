// Tests how findings are grouped by root cause, and how a project can suppress them.

#include "emulator/report/causes.hpp"

#include "emulator/report/suppressions.hpp"
#include "support/catch.hpp"

using emulator::finding;
using emulator::finding_kind;
using emulator::launch_report;
using emulator::report::bad_suppression;
using emulator::report::cause;
using emulator::report::causes_of;
using emulator::report::matches;
using emulator::report::read_suppressions;
using emulator::report::root_cause;
using emulator::report::root_causes_of;
using emulator::report::suppression;

namespace {

finding race(std::uint32_t line, std::uint64_t count) {
  finding f;
  f.kind = finding_kind::read_after_write_race;
  f.kernel = "void sum<int>(int*)";
  f.file = "/home/src/sum.cu";
  f.line = line;
  f.other_file = "/home/src/tile.cuh";
  f.other_line = 7;
  f.message = "block " + std::to_string(count);
  f.count = count;
  return f;
}

launch_report launch(std::vector<finding> findings) {
  launch_report report;
  report.findings = std::move(findings);
  return report;
}

suppression only(const std::string& line) {
  return read_suppressions(line, "list.txt").at(0);
}

}  // namespace

TEST_CASE("the same lines of the same kernel are one cause, with all counts and the first few places") {
  const std::vector<cause> causes = causes_of(
      {launch({race(5, 1), race(6, 10)}), launch({race(5, 2)}), launch({race(5, 3)}), launch({race(5, 4)})}, {});
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].first.line == 5);
  CHECK(causes[0].first.count == 1 + 2 + 3 + 4);
  CHECK(causes[0].launches == 4);
  REQUIRE(causes[0].occurrences.size() == 3);
  CHECK(causes[0].occurrences[2].launch == 3);
  CHECK(causes[0].occurrences[2].message == "block 3");
  CHECK(causes[1].first.count == 10);
}

TEST_CASE("a launch with several findings of one cause is counted once") {
  const std::vector<cause> causes = causes_of({launch({race(5, 1), race(5, 2)}), launch({race(5, 4)})}, {});
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].launches == 2);
  CHECK(causes[0].first.count == 1 + 2 + 4);
}

TEST_CASE("findings behind a barrier that some threads don't reach follow from it, in that launch only") {
  finding barrier = race(9, 2);
  barrier.kind = finding_kind::divergent_barrier;
  barrier.other_file.clear();
  barrier.other_line = 0;
  finding unwritten = barrier;
  unwritten.kind = finding_kind::uninitialized_shared;
  unwritten.line = 12;
  finding outside = barrier;
  outside.kind = finding_kind::out_of_bounds_read;
  finding elsewhere = race(6, 1);
  elsewhere.kernel = "other(int*)";
  const std::vector<root_cause> roots = root_causes_of(
      {launch({race(5, 1), race(6, 1), barrier, unwritten, outside, elsewhere}), launch({race(6, 4)})}, {});
  REQUIRE(roots.size() == 4);
  CHECK(roots[0].root.first.line == 6);  // it also occurs without the barrier
  CHECK(roots[1].root.first.kind == finding_kind::divergent_barrier);
  REQUIRE(roots[1].following.size() == 2);
  CHECK(roots[1].following[0].first.line == 5);
  CHECK(roots[1].following[1].first.kind == finding_kind::uninitialized_shared);
  CHECK(roots[2].root.first.kind == finding_kind::out_of_bounds_read);
  CHECK(roots[3].root.first.kernel == "other(int*)");
}

TEST_CASE("an uninitialised element follows from a race at the same line and array, or from an earlier one") {
  finding raced = race(5, 1), same = race(5, 1), later = race(8, 1), other = race(6, 1);
  same.kind = later.kind = other.kind = finding_kind::uninitialized_shared;
  raced.object = same.object = later.object = "tile";
  other.object = "flags";
  const std::vector<root_cause> roots = root_causes_of({launch({raced, same, other, later})}, {});
  REQUIRE(roots.size() == 2);
  REQUIRE(roots[0].following.size() == 2);
  CHECK(roots[0].following[1].first.line == 8);
  CHECK(roots[1].root.first.object == "flags");

  const std::vector<root_cause> skipped = root_causes_of({launch({same, later})}, {});
  REQUIRE(skipped.size() == 1);
  CHECK(skipped[0].following.size() == 1);
}

TEST_CASE("another kind, kernel, line or other line is another cause") {
  std::vector<finding> all(5, race(5, 1));
  all[1].kind = finding_kind::write_after_write_race;
  all[2].kernel = "void sum<float>(float*)";
  all[3].other_line = 8;
  all[4].file = "/home/src/other.cu";
  CHECK(causes_of({launch(all)}, {}).size() == 5);
}

TEST_CASE("calls without a known line are distinguished by their text") {
  finding a, b;
  a.kind = b.kind = finding_kind::failed_call;
  a.message = "cudaMalloc failed";
  b.message = "cudaFree failed";
  const std::vector<cause> causes = causes_of({}, {a, b, a});
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].first.count == 2);
  CHECK(causes[0].launches == 0);
}

TEST_CASE("a suppression matches by check and kind, the end of a path, kernel and line") {
  const finding f = race(42, 1);
  for (const char* line :
       {"racecheck: read-after-write race | /home/src/sum.cu | void sum<int>(int*) | 42", "racecheck: * | sum.cu | *",
        "* | src/sum.cu | *sum<*", "* | * | *", "racecheck:*race | */src/*.cu | * | 42", "* | tile.cuh | * | 7"}) {
    INFO(line);
    CHECK(matches(only(line), f));
  }
  for (const char* line : {"racecheck: write-after-write race | * | *", "memcheck: * | * | *", "* | um.cu | *",
                           "* | lib/sum.cu | *", "* | * | sum", "* | sum.cu | * | 7", "* | * | * | 43"}) {
    INFO(line);
    CHECK_FALSE(matches(only(line), f));
  }
}

TEST_CASE("characters of a path or a kernel match themselves: only stars are special") {
  finding f = race(1, 1);
  f.file = "/a/[b]?.cu";
  CHECK(matches(only("* | [b]?.cu | *"), f));
  f.file = "/a/bc.cu";
  CHECK_FALSE(matches(only("* | [b]?.cu | *"), f));
}

TEST_CASE("comments and empty lines mean nothing, and a wrong line is refused with its place") {
  const std::vector<suppression> read =
      read_suppressions("# why\n\n  limit: * | a.cu | *   \r\n* | b.cu | * | 3\n", "list.txt");
  REQUIRE(read.size() == 2);
  CHECK(read[0].place == "list.txt:3");
  CHECK(read[0].kernel == "*");
  CHECK(read[1].line == 3);
  for (const auto& [line, message] : {std::pair{"racecheck: *", "list.txt:2: 1 field instead of 3 or 4"},
                                      {"a | b | c | 1 | e", "5 fields"},
                                      {"* || *", "an empty field"},
                                      {"rasecheck: * | * | *", "'rasecheck: *' does not begin with memcheck:"},
                                      {"racecheck | * | *", "'racecheck' does not begin with"},
                                      {"* | * | * | 12a", "'12a' is not a line number"},
                                      {"* | * | * | 0", "'0' is not a line number"}}) {
    INFO(line);
    CHECK_THROWS_AS(read_suppressions(std::string("\n") + line + "\n", "list.txt"), bad_suppression);
    CHECK_THROWS_WITH(read_suppressions(std::string("\n") + line + "\n", "list.txt"), ContainsSubstring(message));
  }
}

TEST_CASE("suppressed findings are removed from launches and calls, and the uses of each line are counted") {
  std::vector<suppression> all = read_suppressions("* | sum.cu | * | 5\n* | gone.cu | *\n", "list.txt");
  std::vector<launch_report> launches = {launch({race(5, 1), race(6, 1)}), launch({race(5, 1)})};
  std::vector<finding> in_calls = {race(5, 1), race(9, 1)};
  const std::vector<finding> taken = emulator::report::suppress(all, launches, in_calls);
  CHECK(taken.size() == 3);
  CHECK(launches[0].findings.size() == 1);
  CHECK(launches[0].findings[0].line == 6);
  CHECK(launches[1].findings.empty());
  CHECK(in_calls.size() == 1);
  CHECK(all[0].used == 3);
  CHECK(all[1].used == 0);
}
