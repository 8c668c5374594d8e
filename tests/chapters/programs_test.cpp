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
  for (int chapter = 2; chapter <= 9; ++chapter) {
    const result r = run("--device emulator --count 10007", "2>&1", "chapter" + std::to_string(chapter));
    INFO(r.output);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, ContainsSubstring("Goal:"));
    CHECK_THAT(r.output, ContainsSubstring("cub::DeviceReduce::Sum"));
  }
}

TEST_CASE("a chapter that sets kernels side by side has the same command line, statuses and JSON") {
  const result r =
      run("--device emulator --count 300 --block-size 8x4x2 --type float --json -", "2>/dev/null", "chapter10");
  CHECK(r.status == 0);
  const auto j = nlohmann::json::parse(r.output);
  CHECK(j.at("schema") == 1);
  CHECK(j.at("chapter") == 10);
  CHECK(j.at("input").at("count") == 300);
  CHECK(j.at("input").at("block_shape") == nlohmann::json({8, 4, 2}));
  for (const auto& kernel : j.at("kernels")) {
    INFO(kernel.at("name"));
    CHECK(kernel.at("verified") == true);
    CHECK(kernel.at("findings").empty());
    CHECK(kernel.at("compiled").at("registers") > 0);
    CHECK(kernel.at("compiled").at("blocks_per_multiprocessor") > 0);
    CHECK(kernel.at("launches").at(0).at("block") == nlohmann::json({8, 4, 2}));
  }
  CHECK(j.at("goal").at("target") == 0);
  CHECK(run("--device emulator --count 10 --type double --block-size 1024", "2>&1", "chapter10").status == 0);
  for (const char* shape : {"8x", "x8", "8x8x8x8", "0x4", "64x32", "1x1x65", "8y4"}) {
    const result bad = run(std::string("--block-size ") + shape, "2>&1", "chapter10");
    INFO(shape << "\n" << bad.output);
    CHECK(bad.status == 2);
    CHECK_THAT(bad.output, ContainsSubstring("--block-size"));
  }
  const result ladder = run("--block-size 8x4", "2>&1", "chapter3");
  CHECK(ladder.status == 2);
  CHECK_THAT(ladder.output, ContainsSubstring("one dimension"));
}

TEST_CASE("chapter 11 reports what the compiler decided, and refuses blocks that its kernels cannot have") {
  const result r =
      run("--device emulator --count 301 --type double --block-size 1024 --json -", "2>/dev/null", "chapter11");
  CHECK(r.status == 0);
  const auto j = nlohmann::json::parse(r.output);
  CHECK(j.at("chapter") == 11);
  int refused = 0;
  for (const auto& kernel : j.at("kernels")) {
    INFO(kernel.at("name"));
    CHECK(kernel.at("compiled").at("local_bytes") == 0);
    CHECK_FALSE(kernel.at("compiled").at("limiter").get<std::string>().empty());
    refused += !kernel.at("rejected").is_null();
    CHECK(kernel.at("verified").get<bool>() == kernel.at("rejected").is_null());
  }
  CHECK(refused == 4);  // three versions with bounds of 512 threads, and the reference
  const result shaped = run("--device emulator --block-size 16x8", "2>&1", "chapter11");
  CHECK(shaped.status == 2);
  CHECK_THAT(shaped.output, ContainsSubstring("one dimension"));
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
