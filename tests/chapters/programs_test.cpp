// The chapter programs as a user meets them: exit statuses, messages, JSON.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace {

struct result {
  int status = -1;
  std::string output;
};

result run(const std::string& arguments, const std::string& redirect = "2>&1",
           const std::string& program = "chapter3") {
  const std::string command = std::string(WORKBOOK_PROGRAMS) + "/" + program + " " + arguments + " " + redirect;
  result r;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    r.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return r;
}

}  // namespace

TEST_CASE("every chapter runs on the emulator and ends with 0 as it is shipped") {
  for (int chapter = 2; chapter <= 7; ++chapter) {
    const result r = run("--device emulator --count 10007", "2>&1", "chapter" + std::to_string(chapter));
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, ContainsSubstring("Goal:"));
    CHECK_THAT(r.output, ContainsSubstring("cub::DeviceReduce::Sum"));
  }
}

TEST_CASE("an exercise that nobody has touched is no failure of the program") {
  for (const char* chapter : {"chapter0", "chapter1"}) {
    const result r = run("--device emulator --count 1000", "2>&1", chapter);
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, ContainsSubstring("not yet"));
  }
}

TEST_CASE("--json - writes JSON and nothing else to standard output") {
  const result r = run("--device emulator --count 2^12 --json -", "2>/dev/null");
  CHECK(r.status == 0);
  const auto j = nlohmann::json::parse(r.output);
  CHECK(j.at("schema") == 1);
  CHECK(j.at("chapter") == 3);
  CHECK(j.at("input").at("count") == 4096);
  CHECK(j.at("kernels").size() == 4);
  CHECK(j.at("kernels").at(0).at("role") == "previous");
  CHECK(
      j.at("kernels").at(1).at("launches").at(0).at("counters").at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") ==
      128);
  CHECK(j.at("goal").at("target") == 0);
}

TEST_CASE("--profile shows a kernel's lines, sections and diagnosis, and ends with 0") {
  const result r = run("--device emulator --count 2^12 --profile previous", "2>/dev/null");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("reduce_strided (previous)"));
  // 45 conflicts a block, beside the line that has them.
  CHECK_THAT(r.output, ContainsSubstring("   45    5          "));
  for (const char* section : {"Launch Statistics", "Occupancy", "Memory Workload Analysis", "Source Counters"})
    CHECK_THAT(r.output, ContainsSubstring(section));
  CHECK_THAT(r.output, ContainsSubstring("stride of 4 words: lanes 0 and 8 hit bank 0, a 4-way conflict"));
  CHECK_THAT(r.output, !ContainsSubstring("\033"));
}

TEST_CASE("without a name --profile takes the reference of an exercise that nobody has touched") {
  const result r = run("--device emulator --count 1000 --profile", "2>&1", "chapter1");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("reduce_interleaved (reference)"));
  CHECK_THAT(r.output, ContainsSubstring("Chapter 2 removes this."));
}

TEST_CASE("a profile fits into 80 columns, for every kernel of a chapter") {
  for (const char* kernel : {"previous", "reference", "yours", "library"}) {
    const std::string set = "env COLUMNS=80 " + std::string(WORKBOOK_PROGRAMS) + "/chapter3 ";
    FILE* pipe = popen((set + "--device emulator --count 10007 --profile " + kernel + " 2>/dev/null").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> line{};
    int lines = 0;
    while (fgets(line.data(), line.size(), pipe) != nullptr) {
      ++lines;
      INFO(kernel << ": " << line.data());
      CHECK(std::string(line.data()).size() <= 81);  // with the newline
    }
    CHECK(pclose(pipe) == 0);
    CHECK(lines > 30);
  }
}

TEST_CASE("the profile's JSON has the one kernel, with examples, occupancy, and advice for each diagnosis") {
  const result r = run("--device emulator --count 2^12 --profile=previous --json -", "2>/dev/null");
  CHECK(r.status == 0);
  const auto j = nlohmann::json::parse(r.output);
  REQUIRE(j.at("kernels").size() == 1);
  const auto& launch = j.at("kernels").at(0).at("launches").at(0);
  CHECK(launch.at("occupancy").at("limiter") == "Warps");
  bool conflict = false;
  for (const auto& d : launch.at("diagnoses")) {
    if (d.at("kind") != "bank conflict") continue;
    conflict = true;
    CHECK(d.at("advice") == "Chapter 3 removes this.");
  }
  CHECK(conflict);
}

TEST_CASE("bad usage is told in words and ends with 2") {
  struct expectation {
    const char* arguments;
    const char* words;
  };
  for (const auto& [arguments, words] : {expectation{"--count -1", "--count"},
                                         {"--count 2^99", "too large"},
                                         {"--type banana", "int, unsigned"},
                                         {"--block-size 33", "power of two"},
                                         {"--block-size 0", "32 to 1024"},
                                         {"--block-size 2048", "32 to 1024"},
                                         {"--device toaster", "auto, gpu and emulator"},
                                         {"--json /no/such/folder/x.json", "cannot be written"},
                                         {"--count", "--count"},
                                         {"--profile banana", "reduce_sequential (reference)"},
                                         {"--profile --device gpu", "leave out --device gpu"},
                                         {"--profile --benchmark", "leave one out"},
                                         {"--profile --block-size 96", "power of two"},
                                         {"--frobnicate", "frobnicate"}}) {
    const result r = run(arguments);
    INFO(arguments << "\n" << r.output);
    CHECK(r.status == 2);
    CHECK_THAT(r.output, ContainsSubstring(words));
  }
}

TEST_CASE("a GPU that is not there is status 3") {
  if (std::getenv("WORKBOOK_GPU") != nullptr) return;
  const result r = run("--device gpu");
  if (r.status == 0) return;  // there is one
  INFO(r.output);
  CHECK(r.status == 3);
  CHECK_THAT(r.output, ContainsSubstring("--device emulator"));
}
