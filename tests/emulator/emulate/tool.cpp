// The program `emulate` as a user runs it: messages, exit statuses, reports. Each case compiles a program of the folder
// programs/ with nvcc.
// Long because each option and each way to end has a case of its own.

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/emulate/run_emulate.hpp"
#include "support/catch.hpp"

namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test_support::contents;
using test_support::emulate_line;
using result = test_support::command_result;

/// Returns the findings that a program's comments promise: the TEXT of each `// finding: TEXT`, by line number.
std::map<unsigned, std::string> promised_findings(const std::string& program) {
  static const std::string mark = "// finding: ";
  std::map<unsigned, std::string> promised;
  std::istringstream source(contents(EMULATE_TEST_PROGRAMS "/" + program));
  unsigned number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (const std::size_t at = line.find(mark); at != std::string::npos)
      promised[number] = line.substr(at + mark.size());
  }
  return promised;
}

}  // namespace

TEST_CASE("a right program runs, with its arguments and its own exit status") {
  const result right = emulate_line("doubles.cu");
  CHECK(right.status == 0);
  CHECK(right.output == "right on NVIDIA H200\n");
  CHECK_THAT(right.errors, StartsWith("emulate: 1 kernel, 1 launch, 4 checks: no findings") && EndsWith(" s)\n"));

  const result other = emulate_line("--gpu rtx2070 --quiet doubles.cu -O1 -- 5 'two words'");
  CHECK(other.status == 5);
  CHECK(other.output == "right on NVIDIA GeForce RTX 2070\nargument 5\nargument two words\n");
  CHECK(other.errors.empty());
}

TEST_CASE("the report is written as JSON, whole, into a file or to standard output") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  REQUIRE(emulate_line("--quiet --json '" + path + "' doubles.cu").status == 0);
  const auto report = nlohmann::json::parse(contents(path));
  CHECK(report["schema"] == 1);
  REQUIRE(report["launches"].size() == 1);
  CHECK(report["launches"][0]["grid"] == nlohmann::json({4, 1, 1}));
  CHECK(report["launches"][0]["block"] == nlohmann::json({32, 1, 1}));
  CHECK(report["findings"].empty());
  // The report has the predicted time of each kernel, as --profile prints it.
  REQUIRE(report["predictions"].size() == 1);
  const auto& predicted = report["predictions"][0];
  CHECK(predicted["kernel"] == report["launches"][0]["kernel"]);
  CHECK(predicted["launches"] == 1);
  CHECK(predicted["gpu"] == "NVIDIA H200");
  CHECK(predicted["us"].get<double>() > 0);
  CHECK_FALSE(predicted["limits"].empty());
  // The folder contains nothing else.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);

  const result printed = emulate_line("--quiet --json - no_kernel.cu answer.cpp");
  CHECK(printed.status == 0);
  CHECK(nlohmann::json::parse(printed.output)["launches"].empty());
  CHECK(nlohmann::json::parse(printed.output)["predictions"].empty());
}

TEST_CASE("the predicted time is that of all blocks, also if the light ones have an even stride") {
  const result uneven = emulate_line("--profile --check none uneven_blocks.cu");
  CHECK(uneven.status == 0);
  CHECK_THAT(uneven.errors, ContainsSubstring("Instructions alone take"));
  const nlohmann::json path =
      nlohmann::json::parse(emulate_line("--json - --check none uneven_blocks.cu").output)["launches"][0]["path"];
  CHECK(path["cycles"].get<double>() > 200 * path["blocks"].get<double>());  // the blocks with nearly no work have 17
}

TEST_CASE("a program that ends without a report is not known to be right") {
  const result ended = emulate_line("ends_early.cu");
  CHECK(ended.status == 86);
  CHECK_THAT(ended.errors, ContainsSubstring("before its report could be written"));
}

TEST_CASE("the trace has each access of a block, with its lanes, addresses and order") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/trace.jsonl";
  std::ofstream(path) << "what an earlier run has left\n";
  REQUIRE(emulate_line("--quiet --trace-file '" + path + "' doubles.cu").status == 0);
  const auto launch = nlohmann::json::parse(contents(path));
  CHECK(launch["grid"] == nlohmann::json({4, 1, 1}));
  nlohmann::json events;
  for (const auto& event : launch["events"]) {
    if (event.contains("space")) events.push_back(event);
  }
  // Each of the 4 blocks has one warp, which loads once and stores once. Of the 100 elements, 4 are left for the last
  // block.
  REQUIRE(events.size() == 8);
  CHECK(events[0]["what"] == "load");
  CHECK(events[1]["what"] == "store");
  CHECK(events[0]["space"] == "global");
  CHECK(events[0]["line"] == 7);
  CHECK(events[0]["at"] == events[1]["at"]);
  CHECK(events[0]["at"][31].get<std::uint64_t>() - events[0]["at"][0].get<std::uint64_t>() == 31 * 4);
  CHECK(events[7]["block"] == 3);
  CHECK(events[7]["lanes"] == nlohmann::json({0, 1, 2, 3}));

  const result refused = emulate_line("--trace-file /nowhere/trace doubles.cu");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.errors, ContainsSubstring("--trace-file /nowhere/trace: this file cannot be written"));
}

TEST_CASE("the counters are listed with their names and formulas, without a program") {
  const result listed = emulate_line("--counters");
  CHECK(listed.status == 0);
  CHECK_THAT(listed.output,
             ContainsSubstring("shared bank conflicts\n  l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"));
}

TEST_CASE("--profile shows each kernel's own lines with what they cost, and why") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  const result profiled = emulate_line("--profile --json '" + path + "' profiled.cu");
  INFO(profiled.errors);
  CHECK(profiled.status == 0);
  CHECK(profiled.output.empty());
  // Line 11 adds: 45 conflicts and 5 divergent branches per block, like chapter 2's kernel. The barriers of the tree
  // are in line 12.
  CHECK_THAT(profiled.errors, ContainsSubstring(">  11 ") && ContainsSubstring("   45    5 ") &&
                                  ContainsSubstring("if (index < 128) tile[index] +="));
  CHECK_THAT(profiled.errors, ContainsSubstring("launch 2 of 2 of this kernel"));
  CHECK_THAT(profiled.errors,
             ContainsSubstring("line 11: stride of 4 words: lanes 0 and 8 hit bank 0, a 4-way conflict"));
  // Line 19 reads only one word of each sector.
  CHECK_THAT(profiled.errors,
             ContainsSubstring("line 19: 32 sectors per request where 4 would do: neighbouring lanes read "
                               "words that are 32"));
  // The emulator's advice does not mention the workbook's chapters.
  CHECK_THAT(profiled.errors, !ContainsSubstring("hapter"));
  const auto report = nlohmann::json::parse(contents(path));
  CHECK_THAT(report["launches"][2]["file"].get<std::string>(), ContainsSubstring("profiled.cu"));
  CHECK(report["launches"][2]["diagnoses"][0]["kind"] == "uncoalesced access");
  CHECK(report["launches"][2]["occupancy"]["limiter"] == "Warps");
}

TEST_CASE("--profile predicts the time of each kernel by term, and prints what would shorten it") {
  const result profiled = emulate_line("--profile profiled.cu");
  INFO(profiled.errors);
  CHECK(profiled.status == 0);
  CHECK_THAT(profiled.errors, ContainsSubstring("add_strided(int const*, int*), 2 launches together\n"
                                                "Predicted for an NVIDIA H200: "));
  CHECK_THAT(profiled.errors, ContainsSubstring("copy_strided(int const*, int*)\nPredicted for an NVIDIA H200: "));
  for (const char* part : {"block starts", "latency", "memory", "instructions", "shared memory", "launches"})
    CHECK_THAT(profiled.errors, ContainsSubstring(std::string("\n  ") + part));
  CHECK_THAT(profiled.errors, ContainsSubstring("####") && ContainsSubstring(" % of it: "));
  CHECK_THAT(emulate_line("doubles.cu").errors, !ContainsSubstring("Predicted"));
  // Without a record of the machine there is no predicted time, but the program runs on.
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  const result other = emulate_line("--profile --gpu t4 --json '" + path + "' doubles.cu");
  CHECK(other.status == 0);
  CHECK_THAT(other.errors,
             ContainsSubstring("the Tesla T4 (t4) has not been measured") && ContainsSubstring("make machine"));
  const auto report = nlohmann::json::parse(contents(path));
  CHECK_THAT(report["predictions"][0]["unknown"].get<std::string>(), ContainsSubstring("has not been measured"));
  CHECK_THAT(emulate_line("--profile traps.cu").errors,
             ContainsSubstring("No time on an NVIDIA H200: the kernel is wrong or unsafe."));
}

TEST_CASE("a profile of a program without launches says so") {
  const result none = emulate_line("--profile no_kernel.cu answer.cpp");
  CHECK(none.status == 0);
  CHECK_THAT(none.errors, ContainsSubstring("nothing to profile"));
}

TEST_CASE("a program that does not compile shows the compiler's messages and leaves no file") {
  const host::temporary_folder folder;
  const std::string path = folder.path() + "/report.json";
  const result wrong = emulate_line("--json '" + path + "' does_not_compile.cu");
  CHECK(wrong.status != 0);
  CHECK(wrong.status != 86);
  CHECK_THAT(wrong.errors, ContainsSubstring("does_not_compile.cu(3)") && ContainsSubstring("undeclared"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a kernel that traps is a finding with its source line, though the program ends with 0") {
  const result trapped = emulate_line("traps.cu");
  CHECK(trapped.status == 86);
  CHECK_THAT(trapped.errors, ContainsSubstring("traps.cu:3") && ContainsSubstring("give_up"));
}

TEST_CASE("an access out of bounds is a finding; a program that notices ends with its own status") {
  const result careless = emulate_line("out_of_bounds.cu");
  CHECK(careless.status == 86);
  CHECK(careless.output == "cudaErrorIllegalAddress\n");
  CHECK_THAT(careless.errors,
             ContainsSubstring("out_of_bounds.cu:5") && ContainsSubstring("fill") && ContainsSubstring("values[31]"));
  CHECK(emulate_line("out_of_bounds.cu -- look").status == 3);
}

TEST_CASE("if there is a barrier of the warp, the cure for a race of two warps names the lines and no loop") {
  const result wrong = emulate_line("--json - warp_barrier_only.cu");
  CHECK(wrong.status == 86);
  const auto report = nlohmann::json::parse(wrong.output);
  REQUIRE(report["findings"].size() == 2);  // the word that is read is also reported as uninitialised
  CHECK(report["findings"][0]["check"] == "racecheck");
  CHECK(report["findings"][0]["cure"] == "Put a __syncthreads() between line 4 and line 6.");
}

TEST_CASE("a mistake that many launches show is one finding, with how often it was seen") {
  const result repeated = emulate_line("--json - repeated_race.cu");
  CHECK(repeated.status == 86);
  const auto report = nlohmann::json::parse(repeated.output);
  REQUIRE(report["launches"].size() == 5);
  REQUIRE(report["findings"].size() == 1);
  const auto& race = report["findings"][0];
  CHECK(race["check"] == "racecheck");
  CHECK(race["launches"] == 5);
  CHECK(race["occurrences"].size() == 3);
  // The findings of each launch are the same as if it were the only launch.
  for (const auto& launch : report["launches"]) {
    REQUIRE(launch["findings"].size() == 1);
    CHECK(launch["findings"][0]["count"].get<unsigned>() * 5 == race["count"].get<unsigned>());
  }
  CHECK_THAT(repeated.errors, ContainsSubstring(" times, in 5 launches: 1, 2, 3 …"));
  const std::size_t first = repeated.errors.find("error[race]: ");
  CHECK(first != std::string::npos);
  CHECK(repeated.errors.find("error[", first + 1) == std::string::npos);
  CHECK_THAT(repeated.errors, ContainsSubstring("--> repeated_race.cu:6:21, in block 0 of swap_halves("));
  CHECK_THAT(repeated.errors, ContainsSubstring("emulate: 1 kernel, 5 launches, 4 checks: 1 finding ("));
}

TEST_CASE("notes are printed with --notes, and otherwise counted; without a terminal there is no colour") {
  const result without = emulate_line("doubles.cu");
  CHECK_THAT(without.errors, !ContainsSubstring("note[") && !ContainsSubstring("\033["));
  const result with = emulate_line("--notes traps.cu");
  CHECK_THAT(with.errors, ContainsSubstring("error[trap]: the kernel stopped itself\n"));
  CHECK_THAT(with.errors, ContainsSubstring("1 launch (1 did not complete)"));
  CHECK(emulate_line("--notes --quiet doubles.cu").status == 2);
}

TEST_CASE("a suppressed finding does not count, not even for the exit status, and unused lines are named") {
  const host::temporary_folder folder;
  const std::string list = folder.path() + "/known.txt", sarif = folder.path() + "/log.sarif";
  std::ofstream(list) << "# the barrier is missing on purpose\nracecheck: * | repeated_race.cu | swap_halves*\n"
                      << "memcheck: * | vendor.cu | *\n";
  const result known = emulate_line("--json - --sarif '" + sarif + "' --suppress '" + list + "' repeated_race.cu");
  CHECK(known.status == 0);
  const auto report = nlohmann::json::parse(known.output);
  CHECK(report["findings"].empty());
  CHECK(report["suppressed"].size() == 1);
  CHECK(report["unused_suppressions"][0]["place"] == list + ":3");
  CHECK_THAT(known.errors, !ContainsSubstring("tile") && ContainsSubstring("5 findings suppressed"));
  CHECK_THAT(known.errors, ContainsSubstring("known.txt:3: matches no finding"));
  CHECK(nlohmann::json::parse(contents(sarif))["runs"][0]["results"][0]["suppressions"].size() == 1);
}

TEST_CASE("annotations of GitHub name files relative to the checkout") {
  const result marked =
      emulate_line("--quiet --annotations github repeated_race.cu", "GITHUB_WORKSPACE='" EMULATE_TEST_PROGRAMS "/..'");
  CHECK(marked.status == 86);
  CHECK_THAT(marked.errors, ContainsSubstring("::error file=programs/repeated_race.cu,line=6,title=racecheck%3A "));
}

TEST_CASE("errors of calls and launches that a program ignores are findings with the host's lines") {
  std::map<unsigned, std::string> missing = promised_findings("ignored_errors.cu");
  REQUIRE(missing.size() == 15);
  const result ignored = emulate_line("--quiet --json - ignored_errors.cu");
  CHECK(ignored.status == 86);
  const auto report = nlohmann::json::parse(ignored.output);
  for (const auto& found : report["findings"]) {
    const auto line = found["line"].get<unsigned>();
    const auto message = found["message"].get<std::string>();
    INFO(line << ": " << message);
    CHECK_THAT(found["file"].get<std::string>(), ContainsSubstring("/ignored_errors.cu"));
    REQUIRE(missing.count(line) == 1);
    CHECK_THAT(message, ContainsSubstring(missing[line]));
    // If the program's own function makes the call, the finding names its caller.
    if (message.find("1025") != std::string::npos)
      CHECK_THAT(found["detail"].get<std::string>(), ContainsSubstring("called from main in ignored_errors.cu:"));
    if (message.find("x dimension is 0") != std::string::npos && message.find("block's") != std::string::npos)
      CHECK(found["count"] == 3);
    missing.erase(line);
  }
  for (const auto& [line, text] : missing) FAIL_CHECK("no finding in line " << line << ": " << text);
}

TEST_CASE("optimised host code has lines, too, and --api-errors off is for programs that fail on purpose") {
  const result optimised = emulate_line("ignored_errors.cu -O2");
  CHECK(optimised.status == 86);
  for (const auto& [line, text] : promised_findings("ignored_errors.cu")) {
    INFO(optimised.errors);
    const std::string place = "--> ignored_errors.cu:" + std::to_string(line);
    CHECK_THAT(optimised.errors, ContainsSubstring(place + "\n") || ContainsSubstring(place + ", in "));
  }
  CHECK(emulate_line("--api-errors off ignored_errors.cu").status == 0);
}

TEST_CASE("an instruction that the emulator lacks is named, with kernel and line, and is never success") {
  const result refused = emulate_line("unsupported_instruction.cu");
  CHECK(refused.status == 86);
  CHECK_THAT(refused.errors, ContainsSubstring("mma.sp") && ContainsSubstring("multiply"));
}

TEST_CASE("a function of the runtime that the emulator lacks says so when it is called") {
  const result called = emulate_line("--quiet unimplemented_function.cu");
  CHECK(called.status == 86);
  CHECK(called.output == "cudaErrorNotSupported\n");
  CHECK_THAT(called.errors, ContainsSubstring("cudaMallocMipmappedArray is not implemented by the emulator"));
}

TEST_CASE("a program that dies on the host has a report too") {
  const result died = emulate_line("host_assertion.cu");
  CHECK(died.status == 134);
  CHECK_THAT(died.errors, ContainsSubstring("Assertion") && ContainsSubstring("host_assertion.cu:"));
  CHECK_THAT(died.errors, ContainsSubstring("fill(int*)") && ContainsSubstring("emulate: 1 kernel, 1 launch (1 did "));
}

TEST_CASE("a kernel that never ends is stopped") {
  const result stopped = emulate_line("--max-instructions 100000 endless.cu");
  CHECK(stopped.status == 86);
  CHECK(stopped.output == "cudaErrorLaunchTimeout\n");
}

TEST_CASE("a wrong command line is status 2 and is refused before anything is compiled") {
  for (const char* line :
       {"", "nowhere.cu", "doubles.cu --gpu banana", "doubles.cu --gpu nowhere.json", "doubles.cu --gpu doubles.cu",
        "doubles.cu --gpu .", "doubles.cu --check all,none", "doubles.cu -dc",
        "doubles.cu --json /nonexistent/report.json", "doubles.cu --nvcc /nonexistent/nvcc"}) {
    INFO(line);
    const result refused = emulate_line(line);
    CHECK(refused.status == 2);
    CHECK(refused.output.empty());
    CHECK_THAT(refused.errors, ContainsSubstring("emulate: "));
  }
}

TEST_CASE("help is given without a source file and lists every option") {
  const result helped = emulate_line("--help");
  CHECK(helped.status == 0);
  for (const char* option : {"--check", "--api-errors", "--json", "--profile", "--quiet", "--notes", "--gpu",
                             "--host-threads", "--max-instructions", "--trace-file", "--counters", "--nvcc"}) {
    CHECK_THAT(helped.output, ContainsSubstring(option));
  }
}

TEST_CASE("a program that is kept runs again without a compiler") {
  const host::temporary_folder folder;
  const std::string kept = folder.path() + "/kept";
  const result built = emulate_line("--quiet --keep '" + kept + "' doubles.cu -- 0");
  CHECK(built.status == 0);
  const result again = emulate_line("--quiet --nvcc /nowhere '" + kept + "' -- 0");
  CHECK(again.status == 0);
  CHECK(again.output == built.output);
  CHECK_FALSE(built.output.empty());
  CHECK(emulate_line("--keep '" + folder.path() + "/other' '" + kept + "'").status == 2);
  CHECK(emulate_line("--keep /nowhere/kept doubles.cu").status == 2);
}

TEST_CASE("other orders show dependences of the result, and do not change the program's own result") {
  const host::temporary_folder folder;
  const auto report_of = [&](const std::string& orders, int status) {
    const std::string path = folder.path() + "/report.json";
    const result ran = emulate_line("--quiet --orders " + orders + " --json '" + path + "' depends_on_order.cu");
    CHECK(ran.status == status);
    // The reruns print nothing, and don't change the program's results.
    CHECK(ran.output == "block\nblock\nblock\n192\n1 31\n");
    return nlohmann::json::parse(contents(path));
  };
  const auto promised = promised_findings("depends_on_order.cu");
  CHECK(report_of("0", 0)["findings"].empty());

  const auto report = report_of("32", 86);
  REQUIRE(report["findings"].size() == promised.size());
  for (const auto& found : report["findings"]) {
    CHECK(found["check"] == "racecheck");
    CHECK(found["kind"] == "result depends on the order");
    const auto text = promised.find(found["line"].get<unsigned>());
    REQUIRE(text != promised.end());
    CHECK_THAT(found["message"].get<std::string>(), ContainsSubstring(text->second));
  }
  // The message names only the first order with a different result.
  CHECK_THAT(report["findings"][1]["message"].get<std::string>(),
             ContainsSubstring("and 0 (thread 0 of block 0 wrote it in depends_on_order.cu:14) if the lanes of a warp "
                               "store from the last to the first: order 4 of 32."));
  const auto notes_of = [&](std::size_t launch) {
    std::string kinds;
    for (const auto& note : report["launches"][launch]["notes"]) {
      if (const std::string kind = note["kind"]; kind.ends_with("the order")) kinds += kind + ";";
    }
    return kinds;
  };
  CHECK(report["launches"][2]["orders"] == 32);
  CHECK(notes_of(2).empty());
  CHECK(notes_of(3) == "result depends on the order;");
  CHECK(notes_of(4) == "rounding depends on the order;");
  CHECK(notes_of(5).empty());
  CHECK(notes_of(6).empty());
  CHECK(report["launches"][7]["orders"] == 32);  // on a surface
  CHECK(notes_of(7).empty());

  // The report is the same in every run, independent of the number of host threads.
  const std::string again = folder.path() + "/again.json";
  CHECK(emulate_line("--quiet --host-threads 3 --orders 32 --json '" + again + "' depends_on_order.cu").status == 86);
  CHECK(nlohmann::json::parse(contents(again)) == report);
  CHECK(emulate_line("--orders many depends_on_order.cu").status == 2);
}
