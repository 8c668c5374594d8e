// Tests the chapters' programs as a user runs them: exit statuses, messages, JSON.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <sys/resource.h>
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
  const std::string command = "'" WORKBOOK_PROGRAMS "/" + program + "' " + arguments + " " + redirect;
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns the number of characters in a line of UTF-8.
std::ptrdiff_t columns_of(const std::string& line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// Returns the words of the text with one blank between them, so that line breaks don't matter.
std::string in_one_line(const std::string& text) {
  std::string joined;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) joined += joined.empty() ? word : ' ' + word;
  return joined;
}

}  // namespace

TEST_CASE(
    "every chapter runs on the emulator, and its exercise falls short of the goal as it is shipped, without a crash") {
  for (int chapter = 0; chapter <= 13; ++chapter) {
    const std::string program = "chapter" + std::to_string(chapter);
    const result r = run("--device emulator --count 10007", "2>&1", program);
    INFO(r.output);
    CHECK_THAT(r.output, ContainsSubstring("Goal:"));
    const bool ladder = chapter <= 9 || chapter == 12;
    if (ladder) CHECK_THAT(r.output, ContainsSubstring("cub::DeviceReduce::Sum"));
    // The count is large enough that chapter 7 gives each thread many elements.
    const result data =
        run(std::string("--device emulator --json -") + (ladder ? " --count 1000003" : ""), "2>/dev/null", program);
    const auto j = nlohmann::json::parse(data.output);
    const auto& rows = j.at("kernels");
    const auto yours =
        std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.at("role") == "yours"; });
    REQUIRE(yours != rows.end());
    if (yours->at("attempted")) {
      WARN("the exercise of chapter " << chapter << " has been edited: `make test" << chapter << "` judges it");
      continue;
    }
    CHECK(r.status == 0);
    CHECK_THAT(r.output, ContainsSubstring("as the chapter gave it"));
    CHECK(yours->at("failure").is_null());
    CHECK(yours->at("findings").empty());
    const auto& counts = j.at("goal").at("counts");
    if (counts.empty())
      CHECK_FALSE(yours->at("verified"));
    else
      CHECK(std::ranges::any_of(counts, [](const auto& one) { return one.at("yours") > one.at("target"); }));
    const result strict = run("--test", "2>&1", program);
    CHECK(strict.status == 1);
    CHECK_THAT(strict.output, ContainsSubstring("as the chapter gave it"));
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
  for (const auto& one : j.at("goal").at("counts")) CHECK(one.at("target") == 0);
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
  CHECK(j.at("goal").at("counts").at(0).at("target") == 0);
}

TEST_CASE("the output of the first chapters fits a plain terminal for every kernel") {
  const auto fits = [](const result& r) {
    INFO(r.output);
    for (const std::string& line : lines_of(r.output)) {
      INFO(line);
      CHECK(columns_of(line) <= 80);
    }
    CHECK(lines_of(r.output).size() <= 24);
    CHECK_THAT(r.output, ContainsSubstring("ARGS=--all"));
  };
  for (int chapter = 0; chapter <= 3; ++chapter) {
    const std::string number = std::to_string(chapter);
    INFO("chapter " << chapter);
    fits(run("--device emulator", "2>/dev/null", "chapter" + number));
    const std::string handed_in = "handed_in" + number;
    const result right = run("--device emulator", "2>/dev/null", handed_in);
    CHECK(right.status == 0);
    CHECK_THAT(right.output, ContainsSubstring("Reached on this input."));
    fits(right);
    for (const char* kernel : {"off_by_one", "dropped_tail", "missing_barrier_between_steps", "uninitialised_tile",
                               "divergent_barrier", "volatile_warp", "block_too_large", "changes_its_input"}) {
      INFO(kernel);
      setenv("HANDED_IN", kernel, 1);
      const result wrong = run("--device emulator", "2>/dev/null", handed_in);
      unsetenv("HANDED_IN");
      CHECK(wrong.status == 1);
      fits(wrong);
    }
  }
}

TEST_CASE("the table of the first chapters has one count, and with --all every count") {
  for (int chapter = 0; chapter <= 3; ++chapter) {
    const auto printed = [&](const std::string& words) {
      return run("--device emulator --count 1000 " + words, "2>/dev/null", "chapter" + std::to_string(chapter)).output;
    };
    const std::string shown = printed(""), all = printed("--all");
    INFO(shown << all);
    CHECK_THAT(shown, ContainsSubstring("(reference)") && !ContainsSubstring("instr."));
    CHECK_THAT(all, ContainsSubstring("adds conflicts  barriers    instr.") && !ContainsSubstring("--all"));
    CHECK(printed("--json -") == printed("--all --json -"));
  }
  // From chapter 4 on, every count is shown.
  const std::string later = run("--device emulator --count 1000", "2>/dev/null", "chapter4").output;
  CHECK_THAT(later, ContainsSubstring("adds conflicts  barriers    instr.") && !ContainsSubstring("--all"));
}

TEST_CASE("--profile shows a kernel's lines, sections and diagnosis, and ends with 0") {
  const result r = run("--device emulator --count 2^12 --profile previous", "2>/dev/null");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("reduce_strided (previous)"));
  // 105 conflicts per block, next to the line that causes them.
  CHECK_THAT(r.output, ContainsSubstring("  105    5          "));
  for (const char* section : {"Launch Statistics", "Occupancy", "Memory Workload Analysis", "Source Counters"})
    CHECK_THAT(r.output, ContainsSubstring(section));
  CHECK_THAT(r.output, ContainsSubstring("stride of 8 words: lanes 0 and 4 hit bank 0, an 8-way conflict"));
  CHECK_THAT(r.output, !ContainsSubstring("\033"));
}

TEST_CASE("without a name --profile shows no solution, but the student's kernel, even if it was not edited") {
  const result r = run("--device emulator --count 1000 --profile", "2>&1", "chapter1");
  INFO(r.output);
  CHECK(r.status == 0);
  CHECK_THAT(r.output, ContainsSubstring("reduce_interleaved (yours)") && !ContainsSubstring("solutions/"));
  CHECK_THAT(r.output, ContainsSubstring("`make profile1 ARGS=reference` shows the reference"));
  const result asked = run("--device emulator --count 1000 --profile reference", "2>&1", "chapter1");
  CHECK(asked.status == 0);
  CHECK_THAT(asked.output, ContainsSubstring("reduce_interleaved (reference)") &&
                               ContainsSubstring("Chapter 2 removes this.") && !ContainsSubstring("ARGS=reference"));
}

TEST_CASE("a profile fits into 80 columns, for every kernel of a chapter") {
  for (const char* kernel : {"previous", "reference", "yours", "library"}) {
    const std::string set = "env COLUMNS=80 '" WORKBOOK_PROGRAMS "/chapter3' ";
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

TEST_CASE("bad usage is reported and gives exit status 2") {
  struct expectation {
    const char* arguments;
    const char* words;
  };
  for (const auto& [arguments, words] : {expectation{"--count -1", "--count"},
                                         {"--count 2^99", "from 0 to 2^40"},
                                         {"--type banana", "int, unsigned"},
                                         {"--block-size 33", "power of two"},
                                         {"--block-size 0", "32 to 1024"},
                                         {"--block-size 2048", "32 to 1024"},
                                         {"--device toaster", "auto, gpu, emulator"},
                                         {"--json /no/such/folder/x.json", "cannot be written"},
                                         {"--count", "--count"},
                                         {"--profile banana", "reduce_sequential (reference)"},
                                         {"--profile --device gpu", "leave out --device gpu"},
                                         {"--profile --benchmark", "leave one out"},
                                         {"--test --profile", "leave one out"},
                                         {"--profile --block-size 96", "power of two"},
                                         {"--frobnicate", "frobnicate"}}) {
    const result r = run(arguments);
    INFO(arguments << "\n" << r.output);
    CHECK(r.status == 2);
    CHECK_THAT(r.output, ContainsSubstring(words));
  }
}

TEST_CASE("an input that neither the reference nor the exercise can run is bad usage") {
  const result r = run("--device emulator --block-size 48", "2>&1", "chapter12");
  INFO(r.output);
  CHECK(r.status == 2);
  CHECK_THAT(in_one_line(r.output), ContainsSubstring("the block size must be a multiple of 32 up to 1024, not 48."));
  CHECK_THAT(r.output, !ContainsSubstring("Goal"));
}

TEST_CASE("every chapter with an input refuses one that no machine holds, at once") {
  for (int chapter = 0; chapter <= 13; ++chapter) {
    const result r = run("--device emulator --count 2^40", "2>&1", "chapter" + std::to_string(chapter));
    INFO("chapter " << chapter << '\n' << r.output);
    CHECK(r.status == 2);
    CHECK_THAT(r.output, ContainsSubstring("--count"));
    CHECK(lines_of(r.output).size() < 10);
  }
}

TEST_CASE("a GPU that is not there is status 3") {
  if (std::getenv("WORKBOOK_GPU") != nullptr) return;
  const result r = run("--device gpu");
  if (r.status == 0) return;  // the machine has a GPU
  INFO(r.output);
  CHECK(r.status == 3);
  CHECK_THAT(r.output, ContainsSubstring("--device emulator"));
}

TEST_CASE("the strict test distinguishes a right kernel from each kind of wrong one") {
  struct expectation {
    const char* kernel;
    int status;
    const char* words;
  };
  for (const auto& [kernel, status, words] :
       {expectation{"reduce_sequential", 0, "Passed: right, clean, and the goal reached."},
        {"reduce_first_add", 0, "Passed"},  // a different kernel, but equally good
        {"reduce_strided", 1, "the goal is not reached"},
        {"dropped_tail", 1, "that do not fill a whole block of 256 elements (the tail)"},
        {"wrong_for_one_size", 1, "--count 1000 --type int --block-size 256"},
        {"volatile_warp", 1, "volatile makes no thread wait, not even in one warp"},
        {"missing_barrier_after_load", 1, "__syncthreads()"},
        {"nothing_for_nothing", 1, "no thread wrote the result"},
        {"changes_its_input", 1, "changed its input"},
        {"endless_loop", 1, "An endless loop"},
        {"block_too_large", 1, "A launch is refused: the block's x dimension is 2048"}}) {
    const result r = run(std::string(kernel) + " --test", "2>&1", "student_program");
    INFO(kernel << "\n" << r.output);
    CHECK(r.status == status);
    CHECK_THAT(in_one_line(r.output), ContainsSubstring(words));
    for (const std::string& line : lines_of(r.output)) {
      INFO(line);
      CHECK((line.size() <= 80 || line.find("make ") != std::string::npos));
    }
  }
}

TEST_CASE("a chapter's program exits with 1 if the student's kernel is wrong or unsafe") {
  for (const char* kernel :
       {"off_by_one", "missing_barrier_between_steps", "uninitialised_tile", "divergent_barrier"}) {
    const result r = run(std::string(kernel) + " --device emulator --count 1000", "2>&1", "student_program");
    INFO(r.output);
    CHECK(r.status == 1);
  }
  CHECK(run("reduce_sequential --device emulator --count 1000", "2>&1", "student_program").status == 0);
}

TEST_CASE("a race on the goal's own input is reported, and a kernel with a race is never called clean") {
  const result r = run("reduce_racy_at_goal --test", "2>&1", "student_program");
  INFO(r.output);
  CHECK(r.status == 1);
  CHECK_THAT(r.output, ContainsSubstring("the goal's input") && ContainsSubstring("UNSAFE") &&
                           ContainsSubstring("--count 1048576") && ContainsSubstring("Not passed.") &&
                           !ContainsSubstring("Right and clean"));
}

TEST_CASE("a goal that was reached on one input, or on none, is not reported as more than that") {
  const auto said = [](const std::string& words) {
    return run("reduce_sequential --device emulator " + words, "2>&1", "student_program").output;
  };
  CHECK_THAT(said("--count 4096"), ContainsSubstring("Reached on this input. `make test"));
  CHECK_THAT(said("--count 0"), !ContainsSubstring("Reached") && ContainsSubstring("Not judged: the input is empty"));
}

TEST_CASE("one, two and three host threads give the same results, counts and findings, run after run") {
  for (int chapter = 0; chapter <= 12; ++chapter) {
    const std::string program = "chapter" + std::to_string(chapter);
    std::string first;
    for (const char* threads : {"1", "2", "3", "2"}) {
      setenv("EMULATOR_HOST_THREADS", threads, 1);
      const result r = run("--device emulator --count 30011 --json -", "2>/dev/null", program);
      CHECK(r.status == 0);
      if (first.empty()) first = r.output;
      INFO(program << " with " << threads << " host threads");
      CHECK(r.output == first);
    }
    unsetenv("EMULATOR_HOST_THREADS");
  }
}

TEST_CASE("a program needs its own arrays and less than 200 MB more") {
  // 2^24 ints are 64 MiB on the device, and 64 MiB on the host while they are copied to the device and back.
  CHECK(run("--device emulator --count 2^24", "2>&1", "chapter7").status == 0);
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_CHILDREN, &usage) == 0);
  CHECK(usage.ru_maxrss * 1024L < (128L << 20) + 200'000'000L);
}
