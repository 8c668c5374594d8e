// Tests the program as students meet it: what it prints, which files it writes, and its exit status.

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "machine_code/superopt/target.hpp"
#include "support/catch.hpp"

namespace {

struct result {
  int status = 0;
  std::string output;
};

result run_line(const std::string& arguments, const std::string& errors = "2>&1") {
  FILE* pipe = popen(("'" SUPEROPT "' " + arguments + " " + errors).c_str(), "r");
  REQUIRE(pipe != nullptr);
  result r;
  std::array<char, 4096> part{};
  while (std::size_t n = fread(part.data(), 1, part.size(), pipe)) r.output.append(part.data(), n);
  r.status = WEXITSTATUS(pclose(pipe));
  return r;
}

/// A folder that is removed at the end of the test.
class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "superopt-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~folder() { std::filesystem::remove_all(path_); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name, const std::string& text = "") const {
    const std::string path = path_ + "/" + name;
    if (!text.empty()) std::ofstream(path) << text;
    return path;
  }

 private:
  std::string path_;
};

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a search prints listing, cycles and verdict, and writes the same as JSON") {
  const folder here;
  const result r = run_line("--target sum4 --budget 1M --json " + here.file("found.json"));
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("sum4: 4 instructions, 54 cycles by the table turing."));
  CHECK_THAT(r.output, ContainsSubstring("31 cycles, 5 instructions, proved."));
  const auto j = nlohmann::json::parse(contents(here.file("found.json")));
  CHECK(j.at("best").at("cycles") == 31);
  CHECK(j.at("equivalence") == "proved");
  CHECK(j.at("target").at("cycles") == 54);
  CHECK(j.at("search").at("seed") == 1);
  std::string code;
  for (const std::string line : j.at("best").at("instructions")) code += line + "\n";
  CHECK(superopt::parse_program(code).size() == 5);
}

TEST_CASE("--json - and --cuda - write that and nothing else to standard output") {
  const result json = run_line("--target sum4 --budget 1k --json -", "2>/dev/null");
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.output).at("schema") == 1);
  const result cuda = run_line("--target sum4 --as-is --cuda - --name add_four", "2>/dev/null");
  CHECK(cuda.status == 0);
  CHECK(cuda.output.rfind("#pragma once\n", 0) == 0);
  CHECK_THAT(cuda.output, ContainsSubstring("unsigned add_four(unsigned in3) {"));
  CHECK_THAT(cuda.output, ContainsSubstring("const unsigned v0 = __shfl_down_sync(0xffffffffu, in3, 2);"));
}

TEST_CASE("a search can use a student's own target and cost table, and REDUX beats every tree if it is cheap") {
  const folder here;
  const std::string target = here.file("mine.txt",
                                       "input r3\noutput r4 lanes 0\nSHFL.DOWN r5, r3, 16\nIADD r4, r3, r5\n"
                                       "SHFL.DOWN r5, r4, 8\nIADD r4, r4, r5\nSHFL.DOWN r5, r4, 4\nIADD r4, r4, r5\n"
                                       "SHFL.DOWN r5, r4, 2\nIADD r4, r4, r5\nSHFL.DOWN r5, r4, 1\nIADD r4, r4, r5\n");
  const result r = run_line("--target " + target + " --cost '" MADE_UP_TABLE "' --budget 2M --opcodes all");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("30 cycles, 1 instructions, proved."));
  CHECK_THAT(r.output, ContainsSubstring("REDUX.SUM r4, r3"));
}

TEST_CASE("--exhaustive prints what it has proved, and for which vocabulary") {
  const result r = run_line("--target sum4 --exhaustive 4 --opcodes SHFL.DOWN,IADD3");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("No program of at most 4 instructions out of SHFL.DOWN, IADD3 takes fewer "
                                         "than 54 cycles: all were tried."));
}

TEST_CASE("a drawing is made, or the graph is left and the missing program named") {
  const folder here;
  const std::string svg = here.file("graph.svg");
  const result r = run_line("--target sum4 --as-is --svg " + svg);
  INFO(r.output);
  CHECK(r.status == 0);
  if (std::filesystem::exists(svg)) {
    CHECK_THAT(contents(svg), ContainsSubstring("<svg"));
  } else {
    CHECK_THAT(r.output, ContainsSubstring("no Graphviz here"));
    CHECK_THAT(contents(svg + ".dot"), ContainsSubstring("digraph program"));
  }
}

TEST_CASE("bad input is reported and gives exit status 2") {
  const folder here;
  struct expectation {
    std::string arguments;
    const char* words;
  };
  for (const auto& [arguments, words] :
       {expectation{"--budget 0", "budget of 0 proposals"},
        {"--budget many", "500k, 16M and 2^24"},
        {"--budget -5", "isn't a number of proposals"},
        {"--target nowhere", "neither a file, nor one of"},
        {"--target " + here.file("opcode.txt", "input r3\noutput r4\nFADD r4, r3, r3\n"), "unknown opcode 'FADD'"},
        {"--target " + here.file("lanes.txt", "input r3 lanes 0-7\noutput r4 lanes 0\nSHFL.DOWN r4, r3, 8\n"),
         "reads lanes 8 of r3, which nothing defines"},
        {"--cost nowhere", "no cost table 'nowhere'"},
        {"--cost " + here.file("broken.json", "{"), "is no JSON"},
        {"--opcodes SHFL.DOWN,FADD", "unknown opcode 'FADD'"},
        {"--opcodes all", "no latency for REDUX"},
        {"--chains 0", "from 1 to 4096"},
        {"--temperature=-1", "from 0 to 1000000"},
        {"--length 1000", "at most 48"},
        {"--as-is --cuda /no/such/folder/x.cuh", "cannot be written"},
        {"--exhaustive 3 --target " + here.file("two.txt", "input r3\noutput r4\noutput r5\nMOV r4, r3\nMOV r5, r3\n"),
         "one output only"},
        {"--frobnicate", "frobnicate"}}) {
    const result r = run_line(arguments);
    INFO(arguments << "\n" << r.output);
    CHECK(r.status == 2);
    CHECK_THAT(r.output, ContainsSubstring(words));
  }
}
