// Tests how findings are printed: with their source lines, at most 100 columns wide.

#include "emulator/report/finding_report.hpp"

#include <fstream>
#include <sstream>

#include "host/process.hpp"
#include "host/source_text.hpp"
#include "support/catch.hpp"

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using emulator::finding;
using emulator::finding_kind;
using emulator::launch_report;
using emulator::report::finding_style;
using emulator::report::findings_text;
using emulator::report::short_kernel_name;
using emulator::report::summary_line;

namespace {

/// A source file with one statement per line.
class source_file {
 public:
  source_file() {
    std::ofstream file(path());
    file << "tile[tid] = in[tid];\n"
         << "\n"
         << "int sum = tile[tid + 1];  // the neighbour's\n";
  }
  [[nodiscard]] std::string path() const { return folder_.path() + "/a.cu"; }

 private:
  host::temporary_folder folder_;
};

finding race(const source_file& file) {
  finding f;
  f.kind = finding_kind::read_after_write_race;
  f.kernel = "sum(int*)";
  f.file = f.other_file = file.path();
  f.line = 3;
  f.other_line = 1;
  f.message = "Thread 0 reads tile[1] in a.cu:3.";
  f.cure = "Put a __syncthreads() between line 1 and line 3.";
  f.object = "tile";
  f.count = 31;
  f.parts = {.headline = "thread 0 reads tile[1] without waiting for thread 1, which writes it",
             .reason = "there is no barrier",
             .label = "thread 0 reads it",
             .other_label = "thread 1 writes it",
             .block = "block 2"};
  return f;
}

launch_report launch(std::vector<finding> findings, std::vector<finding> notes = {}) {
  launch_report report;
  report.kernel = "sum(int*)";
  report.findings = std::move(findings);
  report.notes = std::move(notes);
  return report;
}

finding narrow_index() {
  finding note;
  note.kind = finding_kind::narrow_index;
  note.kernel = "sum(int*)";
  note.message = "The index is computed in 32 bits.";
  return note;
}

}  // namespace

TEST_CASE("a finding has one sentence, both lines with marks, the reason and how to fix it") {
  const source_file file;
  CHECK(findings_text({launch({race(file)})}, {}, {}) ==
        "error[race]: thread 0 reads tile[1] without waiting for thread 1, which writes it\n"
        " --> " +
            file.path() +
            ":3, in block 2 of sum(int*)\n"
            "1 | tile[tid] = in[tid];\n"
            "  | --------- thread 1 writes it\n"
            "...\n"
            "3 | int sum = tile[tid + 1];  // the neighbour's\n"
            "  |           ^^^^^^^^^^^^^ thread 0 reads it\n"
            "  = cause: there is no barrier\n"
            "  = help: Put a __syncthreads() between line 1 and line 3.\n"
            "  = racecheck: read-after-write race, 31 times\n");
}

TEST_CASE("an expression whose place is known is marked, and the arrow has its column") {
  const source_file file;
  finding known = race(file);
  known.object.clear();
  known.parts.here = {.column = 20, .width = 3};
  const std::string text = findings_text({launch({known})}, {}, {});
  CHECK_THAT(text,
             ContainsSubstring("a.cu:3:20, in block 2") && ContainsSubstring("  |                    ^^^ thread 0"));
  CHECK_THAT(text, ContainsSubstring("  | -------------------- thread 1 writes it"));  // all of the code
}

TEST_CASE("with colour the text is the same, between escape sequences") {
  const source_file file;
  std::string text = findings_text({launch({race(file)})}, {}, {.color = true});
  CHECK_THAT(text, StartsWith("\033[1;31merror[race]\033[0m"));
  for (std::size_t at = 0; (at = text.find('\033')) != std::string::npos;) text.erase(at, text.find('m', at) + 1 - at);
  CHECK(text == findings_text({launch({race(file)})}, {}, {}));
}

TEST_CASE("no line is longer than 100 columns") {
  const source_file file;
  finding wordy = race(file);
  const std::string words =
      "a long sentence that goes on and on and names a lot of threads, lines and arrays, and then ";
  wordy.parts.headline = wordy.parts.label = wordy.parts.reason = wordy.cure = words + words + "ends";
  wordy.kernel = "void sum<" + words + ">(int*)";
  std::istringstream text(findings_text({launch({wordy})}, {}, {}));
  for (std::string line; std::getline(text, line);) {
    // Only the path has no place at which it could be broken.
    if (line.find(file.path()) == std::string::npos) CHECK(host::columns_of(line) <= 100);
  }
}

TEST_CASE("a finding without parts shows its message, and one without a line its kernel") {
  finding plain;
  plain.kind = finding_kind::refused_launch;
  plain.kernel = "sum(int*)";
  plain.message = "The kernel was not launched.";
  CHECK(findings_text({}, {plain}, {}) ==
        "error[refused launch]: The kernel was not launched.\n --> in sum(int*)\n  = memcheck: refused launch\n");
}

TEST_CASE("what follows from a finding is one line of it") {
  const source_file file;
  finding unwritten = race(file);
  unwritten.kind = finding_kind::uninitialized_shared;
  const std::vector<launch_report> launches = {launch({race(file), unwritten})};
  CHECK_THAT(findings_text(launches, {}, {}),
             ContainsSubstring("  = note: 1 finding follows from this one: uninitialised shared memory in line 3\n"));
  CHECK(summary_line(launches, {}, 4, 0.84, {}) ==
        "emulate: 1 kernel, 1 launch, 4 checks: 1 finding, and 1 that follows (0.8 s)\n");
}

TEST_CASE("a note is printed if it is requested, or if the launch is close to the overflow") {
  std::vector<launch_report> launches = {launch({}, {narrow_index()})};
  CHECK(findings_text(launches, {}, {}).empty());
  CHECK(summary_line(launches, {}, 2, 1, {}) ==
        "emulate: 1 kernel, 1 launch, 2 checks: no findings; 1 note with --notes (1.0 s)\n");
  finding_style all;
  all.notes = true;
  CHECK_THAT(findings_text(launches, {}, all), StartsWith("note[index of 32 bits]: The index"));
  CHECK_THAT(summary_line(launches, {}, 2, 1, all), !ContainsSubstring("--notes"));
  // 2^27 threads: 16 times as many are 2^31.
  launches[0].grid[0] = 1u << 20;
  launches[0].block[0] = 127;
  CHECK(findings_text(launches, {}, {}).empty());
  launches[0].block[0] = 128;
  CHECK_FALSE(findings_text(launches, {}, {}).empty());
}

TEST_CASE("the name of a kernel is shortened in the middle of its template arguments") {
  CHECK(short_kernel_name("sum(int*)") == "sum(int*)");
  const std::string name = "void sum<" + std::string(40, 'a') + std::string(40, 'b') + ">(int*)";
  const std::string shortened = short_kernel_name(name);
  CHECK(host::columns_of(shortened) == 60);
  CHECK_THAT(shortened, StartsWith("void sum<aaa") && ContainsSubstring("a…b") && EndsWith("bbb>(int*)"));
  const std::string many = "sum(" + std::string(80, 'p') + ")";
  CHECK(short_kernel_name(many) == "sum(…)");
  CHECK(host::columns_of(short_kernel_name("void sum<" + many + ">" + many)) <= 60);
}
