// Tests programs that call libraries without an emulation.

#include <algorithm>
#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "emulator/emulate/run_emulate.hpp"
#include "support/catch.hpp"

using result = test_support::command_result;
using test_support::contents;
using test_support::emulate_line;

TEST_CASE("functions that are not there are named when the program is linked") {
  const result missing = emulate_line("missing_function.cu");
  CHECK(missing.status != 0);
  CHECK(missing.status != 86);
  for (const char* name : {"cublasCreate_v2", "cuInit", "cudaFutureFunction"}) {
    CHECK_THAT(missing.errors, ContainsSubstring(name));
  }
}

TEST_CASE("a library without emulation is named, and --allow-missing runs programs that do not call it") {
  const result refused = emulate_line("calls_libraries.cu");
  CHECK(refused.status != 0);
  CHECK(refused.status != 86);
  CHECK_THAT(refused.errors, ContainsSubstring("cuBLAS has no emulation, and the program calls cublasCreate_v2") &&
                                 ContainsSubstring("NCCL has no emulation") && ContainsSubstring("--allow-missing"));

  const host::temporary_folder folder;
  const std::string kept = folder.path() + "/kept", report = folder.path() + "/report.json";
  // A library that is named on the command line but isn't installed is left out, too.
  const result without =
      emulate_line("--quiet --allow-missing --keep '" + kept + "' calls_libraries.cu -lcublas -l nccl");
  INFO(without.errors);
  CHECK(without.status == 0);
  CHECK(without.output == "filled\n");

  const result called = emulate_line("--quiet --json '" + report + "' '" + kept + "' -- call");
  CHECK(called.status == 3);
  CHECK(called.output == "filled\n");
  const std::string source = contents(EMULATE_TEST_PROGRAMS "/calls_libraries.cu");
  const auto before = source.begin() + static_cast<std::ptrdiff_t>(source.find("// the line of the call"));
  const std::string line = std::to_string(1 + std::count(source.begin(), before, '\n'));
  CHECK_THAT(called.errors,
             ContainsSubstring("cublasCreate_v2 is called in ") &&
                 ContainsSubstring("calls_libraries.cu:" + line + ", called from main in") &&
                 ContainsSubstring("It belongs to cuBLAS and has no emulation, so the program ends here."));
  // The report contains the launch before the failed call, and a finding about the call.
  const auto all = nlohmann::json::parse(contents(report));
  CHECK(all["launches"].size() == 1);
  REQUIRE(all["findings"].size() == 1);
  CHECK(all["findings"][0]["check"] == "emulator");
  CHECK(std::to_string(all["findings"][0]["line"].get<unsigned>()) == line);
  CHECK_THAT(all["findings"][0]["message"].get<std::string>(), ContainsSubstring("belongs to cuBLAS"));

  // Missing functions of the program itself are still an error. The option is refused for a program that is already
  // linked.
  const result own = emulate_line("--allow-missing no_kernel.cu");
  CHECK(own.status != 0);
  CHECK_THAT(own.errors, ContainsSubstring("not defined anywhere") && !ContainsSubstring("--allow-missing"));
  CHECK(emulate_line("--allow-missing '" + kept + "'").status == 2);
}
