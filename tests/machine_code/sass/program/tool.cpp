// Tests the program `sass` as users run it: every kind of file, messages, exit statuses, and the control fields of
// every solution.

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/shell.hpp"

namespace {

using result = test_support::command_result;
using test_support::contents;
using test_support::shell;

result sass_line(const std::string& line) {
  return shell("'" SASS_UNDER_TEST "' " + line);
}

/// Runs `sass` on the solutions' kernels, with options.
result solutions(const std::string& options) {
  return sass_line(SASS_SOLUTIONS " " + options);
}

nlohmann::json data_of(const result& ran) {
  INFO(ran.errors);
  REQUIRE(ran.status == 0);
  return nlohmann::json::parse(ran.output);
}

}  // namespace

TEST_CASE("the control fields of every solution make sense on sm_75, sm_80 and sm_90") {
  const host::temporary_folder folder;
  const std::string file = folder.path() + "/all.json";
  const result ran = solutions("--arch all --check --json " + file);
  INFO(ran.output << ran.errors);
  REQUIRE(ran.status == 0);
  CHECK_THAT(ran.output, ContainsSubstring("0 findings"));
  const nlohmann::json data = nlohmann::json::parse(std::ifstream(file));
  CHECK(data["kernels"].size() == 81);  // 27 instances for three architectures
  for (const nlohmann::json& kernel : data["kernels"]) {
    for (const nlohmann::json& i : kernel["instructions"]) {
      REQUIRE(i["control"]["stall"] <= 15);
      REQUIRE(i["control"]["wait_mask"] < 64);
    }
  }
}

TEST_CASE("a program, an object file, a fat binary and a cubin are read, and hold the same kernel") {
  const host::temporary_folder folder;
  const std::string name = " --kernel 'chapter8::solution::reduce_vector_loads<256u, int>' --arch sm_90 --json -";
  const auto code = [&](const std::string& file) {
    const nlohmann::json data = data_of(sass_line(file + name));
    REQUIRE(data["kernels"].size() == 1);
    CHECK(data["kernels"][0]["architecture"] == "sm_90");
    std::string text;
    for (const nlohmann::json& i : data["kernels"][0]["instructions"]) text += i["encoding"].dump() + "\n";
    return text;
  };
  const std::string program = code("'" SASS_PROGRAM "'");
  CHECK(program == code("'" SASS_OBJECT "'"));
  CHECK(program == code(SASS_SOLUTIONS));
}

TEST_CASE("code that nvcc packed is unpacked, and a cubin is read as it is") {
  const host::temporary_folder folder;
  const std::string source = folder.path() + "/k.cu", nvcc = "'" SASS_NVCC "' ", out = folder.path() + "/k.";
  std::ofstream(source) << "__global__ void fill(int* p) { p[threadIdx.x] = 1; }\n";
  const std::string compile = nvcc + source + " -arch=sm_90 -o " + out;
  // Tests the compiler's default, no compression, and compression for the smallest size. Compilers that don't know the
  // last option compress in a different way by default.
  for (const std::string options : {"o -c", "o -c --no-compress", "o -c --compress-mode=size", "cubin -cubin"}) {
    const result compiled = shell(compile + options);
    if (compiled.status != 0 && options.find("mode") != std::string::npos) continue;
    INFO(options << compiled.errors);
    REQUIRE(compiled.status == 0);
    const result ran = sass_line(out + options.substr(0, options.find(' ')));
    INFO(ran.errors);
    CHECK(ran.status == 0);
    CHECK_THAT(ran.output, ContainsSubstring("STG.E"));
    CHECK_THAT(ran.output, ContainsSubstring("sm_90"));
  }
}

TEST_CASE("an instruction is printed with its control field and its source line") {
  const result ran = solutions("--kernel reduce_sequential --arch sm_90");
  REQUIRE(ran.status == 0);
  CHECK_THAT(ran.output, ContainsSubstring("BAR.SYNC"));
  CHECK_THAT(ran.output, ContainsSubstring(" 23 if (tid < stride) tile[tid] +="));
  CHECK_THAT(ran.output, ContainsSubstring("instructions that only prepare"));
  CHECK_THAT(ran.output, ContainsSubstring("assembled by CUDA "));
  CHECK(ran.output.find('\033') == std::string::npos);
  std::size_t begin = 0;
  for (std::size_t end = ran.output.find('\n'); end != std::string::npos; end = ran.output.find('\n', begin)) {
    CHECK(end - begin <= 120);
    begin = end + 1;
  }
}

TEST_CASE("without a name a table of all kernels is shown, and how to see one") {
  const result ran = solutions("--arch sm_80");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.output, ContainsSubstring("chapter2::solution::reduce_strided<int>"));
  CHECK_THAT(ran.output, ContainsSubstring("--kernel NAME shows one"));
}

TEST_CASE("the step from chapter 8 to 9 adds warp reductions and removes shared memory") {
  const nlohmann::json step = data_of(
      solutions("--arch sm_90 --diff chapter8:: 'chapter9::solution::reduce_shuffles<int, workbook::plus>' --json -"))
      ["difference"];
  const auto lines = [&](const std::string& change, const std::string& opcode) {
    return std::count_if(step["steps"].begin(), step["steps"].end(), [&](const nlohmann::json& one) {
      return one["change"] == change && one["text"].get<std::string>().find(opcode) != std::string::npos;
    });
  };
  CHECK(lines("+", "REDUX.SUM") == 2);
  CHECK(lines("-", "REDUX.SUM") == 0);
  CHECK(lines("-", "LDS") > lines("+", "LDS"));
  CHECK(lines("-", "BAR.SYNC") + lines(" ", "BAR.SYNC") == 3);
}

TEST_CASE("the step from chapter 6 to 7 adds a loop, and is described in words") {
  const result ran = solutions("--arch sm_75 --diff chapter6:: chapter7::");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.output, ContainsSubstring("- chapter6::solution::reduce_unrolled<256u, int>"));
  CHECK_THAT(ran.output, ContainsSubstring("+ chapter7::solution::reduce_many_per_thread<256u, int>"));
  CHECK_THAT(ran.output, ContainsSubstring("instructions gone"));
}

TEST_CASE("a kernel that is not there is an error that names those that are") {
  const result ran = solutions("--kernel reduce_nothing");
  CHECK(ran.status == 2);
  CHECK(ran.output.empty());
  CHECK_THAT(ran.errors, ContainsSubstring("there is no kernel 'reduce_nothing'"));
  CHECK_THAT(ran.errors, ContainsSubstring("chapter6::solution::reduce_unrolled<256u, int>"));
  CHECK(solutions("--diff chapter6:: reduce_nothing").status == 2);
}

TEST_CASE("options may precede the files") {
  const result before = sass_line("--arch sm_90 --kernel reduce_strided " SASS_SOLUTIONS);
  INFO(before.errors);
  CHECK(before.status == 0);
  CHECK(before.output == solutions("--arch sm_90 --kernel reduce_strided").output);
}

TEST_CASE("a name of several kernels does not do for a difference") {
  const result ran = solutions("--diff chapter9:: chapter8::");
  CHECK(ran.status == 2);
  CHECK_THAT(ran.errors, ContainsSubstring("is the name of 2 kernels"));
}

TEST_CASE("bad usage gives exit status 2 and a message") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no file is given"},
      {"no_such_file.o", "there is no file no_such_file.o"},
      {SASS_SOLUTIONS " --arch sm_70", "there is no machine code for sm_70; there is some for sm_75"},
      {SASS_SOLUTIONS " --arch hopper", "'hopper' is not an architecture"},
      {SASS_SOLUTIONS " --lines 9-3", "ends before it begins"},
      {SASS_SOLUTIONS " --lines many", "--lines takes source lines"},
      {SASS_SOLUTIONS " --table --check", "choose one"},
      {SASS_SOLUTIONS " --kernel reduce_strided --loop 7", "there is no loop 7"},
      {SASS_SOLUTIONS " --frobnicate", "--frobnicate"},
      {"'" SASS_UNDER_TEST "'", "holds no machine code for a GPU"},
      {"/etc/passwd", "is no object file, program, fat binary or cubin"},
  };
  for (const auto& [line, complaint] : cases) {
    const result ran = sass_line(line);
    INFO(line);
    CHECK(ran.status == 2);
    CHECK(ran.output.empty());
    CHECK_THAT(ran.errors, ContainsSubstring(complaint));
  }
}

TEST_CASE("damaged machine code is an error that names the file") {
  const host::temporary_folder folder;
  const std::string cut = folder.path() + "/cut.fatbin";
  REQUIRE(shell("for f in " SASS_SOLUTIONS "; do head -c 20000 \"$f\" > '" + cut + "'; done").status == 0);
  const result ran = sass_line("'" + cut + "'");
  CHECK(ran.status == 2);
  CHECK_THAT(ran.errors, ContainsSubstring("cut.fatbin: damaged"));
}

TEST_CASE("a disassembler that is missing, fails, or writes something else is an error of its own") {
  CHECK(solutions("--nvdisasm /no/such/nvdisasm").status == 3);
  const result failed = solutions("--nvdisasm false");
  CHECK(failed.status == 3);
  CHECK_THAT(failed.errors, ContainsSubstring("false ended with 1"));
  const result strange = solutions("--nvdisasm echo");
  CHECK(strange.status == 2);
  CHECK_THAT(strange.errors, ContainsSubstring("the disassembly holds no function"));
}

TEST_CASE("JSON is written to a file as a whole, in addition to the output") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  const result ran = solutions("--kernel reduce_strided --arch sm_90 --json '" + path + "'");
  REQUIRE(ran.status == 0);
  CHECK_FALSE(ran.output.empty());
  const auto report = nlohmann::json::parse(contents(path));
  CHECK(report["schema"] == 1);
  CHECK(report["kernels"][0]["registers"] == 12);
  CHECK(report["kernels"][0]["loops"].size() == 1);
  CHECK(report["kernels"][0]["counts"]["kinds"]["block barrier"] == 2);
}

TEST_CASE("the help lists the exit statuses") {
  const result ran = sass_line("--help");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.output, ContainsSubstring("Exit status"));
}
