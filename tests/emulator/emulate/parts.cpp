// Tests the parts of `emulate` one by one.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "emulator/emulate/command_line.hpp"
#include "emulator/emulate/libraries.hpp"
#include "emulator/emulate/linker_errors.hpp"
#include "host/process.hpp"
#include "host/program.hpp"
#include "support/catch.hpp"

using emulate::parse_command_line;
using host::usage_error;
using words = std::vector<std::string>;

namespace {

/// A temporary folder with source files in it.
struct sources {
  host::temporary_folder folder;
  std::string cu = folder.path() + "/a.cu";
  std::string cpp = folder.path() + "/b.cpp";
  sources() {
    std::ofstream{cu};
    std::ofstream{cpp} << "int x;\n";
  }
};

}  // namespace

TEST_CASE("files, emulate's own options, compiler options and program arguments are distinguished") {
  const sources given;
  const emulate::request got =
      parse_command_line({"--check", "racecheck", given.cu, "-O3", "-I", "include", "-DN=5", "--gpu=a100", given.cpp,
                          "-lm", "-include", given.cpp, "--host-threads", "2", "--", "--check", "x.cu", "-5"})
          .value();
  CHECK(got.sources == words{given.cu, given.cpp});
  CHECK(got.compiler_options == words{"-O3", "-I", "include", "-DN=5", "-lm", "-include", given.cpp});
  CHECK(got.program_arguments == words{"--check", "x.cu", "-5"});
  CHECK(got.checks == "racecheck");
  CHECK(got.gpu == "a100");
  CHECK(got.chosen.emulated == "a100");
  CHECK_FALSE(got.chosen.measured);
  CHECK(got.host_threads == 2);
  CHECK_FALSE(got.profile);
  CHECK(got.api_errors);
  CHECK_FALSE(parse_command_line({"--api-errors", "off", given.cu})->api_errors);
  CHECK(parse_command_line({"--profile", given.cu})->profile);
  CHECK_FALSE(got.allow_missing);
  CHECK(parse_command_line({"--allow-missing", given.cu})->allow_missing);
  CHECK(parse_command_line({given.cu, "-l", "cublas"})->compiler_options == words{"-lcublas"});
}

TEST_CASE("a wrong command line is refused with a message about what to do") {
  const sources given;
  const std::pair<words, const char*> wrong[] = {
      {{}, "no source file"},
      {{"/bin/sh"}, "/bin/sh is not linked with the emulator: give its .cu files instead"},
      {{"/bin/sh", given.cu}, "leave out sources and compiler options"},
      {{"/bin/sh", "-O3"}, "leave out sources and compiler options"},
      {{"-O3"}, "no source file"},
      {{"missing.cu"}, "there is no file missing.cu"},
      {{given.cu, "word"}, "go after --"},
      {{given.cu, "--check", "everything"}, "memcheck,racecheck,initcheck,synccheck"},
      {{given.cu, "--check"}, "--check"},
      {{given.cu, "--api-errors", "some"}, "--api-errors"},
      {{given.cu, "--gpu", "banana"}, "h200"},
      {{given.cu, "--gpu", "nowhere.json"}, "There is no file nowhere.json"},
      {{given.cu, "--gpu", given.cpp}, "make machine"},
      {{given.cu, "--gpu", ""}, "there is no GPU ''"},
      {{given.cu, "--host-threads", "-1"}, "--host-threads"},
      {{given.cu, "--max-instructions", "many"}, "--max-instructions"},
      {{given.cu, "--profile", "--quiet"}, "leave one out"},
      {{given.cu, "--annotations", "banana"}, "github"},
      {{given.cu, "--json", "-", "--sarif", "-"}, "both want standard output"},
      {{given.cu, "--suppress", "nowhere.txt"}, "there is no file"},
      {{given.cu, "--suppress", given.cpp}, "b.cpp:1: 1 field instead of 3 or 4"},
      {{given.cu, "-o", "program"}, "leave out -o"},
      {{given.cu, "-c"}, "leave out -c"},
      {{given.cu, "-arch=sm_80"}, "--gpu"},
      {{given.cu, "-gencode", "arch=compute_80,code=sm_80"}, "--gpu"},
      {{given.cu, "-cudart", "shared"}, "-cudart"},
  };
  for (const auto& [line, message] : wrong) {
    INFO(message);
    CHECK_THROWS_AS(parse_command_line(line), usage_error);
    CHECK_THROWS_WITH(parse_command_line(line), ContainsSubstring(message));
  }
}

TEST_CASE("undefined functions are read from the linker's messages, each once") {
  const std::string output =
      "/usr/bin/ld: a.o: in function `main':\n"
      "a.cu:(.text+0x12): undefined reference to `cublasCreate_v2'\n"
      "a.cu:(.text+0x22): undefined reference to `cublasCreate_v2'\n"
      "a.cu:(.text+0x30): undefined reference to `helper(int, float)'\n"
      "collect2: error: ld returned 1 exit status\n";
  CHECK(emulate::undefined_names(output) == words{"cublasCreate_v2", "helper(int, float)"});
  CHECK(emulate::undefined_names("ld: cannot find -lfoo\n").empty());
  CHECK(emulate::explain_link_failure("ld: cannot find -lfoo\n").empty());
}

TEST_CASE("a missing function is reported with the library that it belongs to") {
  const auto explained = [](const std::string& name) {
    return emulate::explain_link_failure("x: undefined reference to `" + name + "'\n");
  };
  CHECK_THAT(explained("cudaNewThing"), ContainsSubstring("the emulator has no cudaNewThing of the CUDA runtime"));
  CHECK_THAT(explained("cuLaunchKernel"), ContainsSubstring("no driver interface: cuLaunchKernel"));
  CHECK_THAT(explained("cublasCreate_v2"),
             ContainsSubstring("cuBLAS has no emulation, and the program calls cublasCreate_v2. If this run") &&
                 ContainsSubstring("--allow-missing") && !ContainsSubstring("not defined anywhere"));
  CHECK_THAT(explained("ncclAllReduce"), ContainsSubstring("NCCL has no emulation"));
  CHECK_THAT(explained("curandCreateGenerator"), ContainsSubstring("Its host generators"));
  CHECK_THAT(explained("customer"),
             ContainsSubstring("not defined anywhere: customer") && !ContainsSubstring("--allow"));
  CHECK_THAT(explained("cublasHelper(int)"), ContainsSubstring("not defined anywhere: cublasHelper(int)"));
  const std::string lost =
      "/usr/bin/ld: cannot find -lcufft: No such file or directory\n"
      "/usr/bin/ld: cannot find -lfoo\n";
  CHECK(emulate::libraries_not_found(lost) == words{"-lcufft", "-lfoo"});
  CHECK_THAT(emulate::explain_link_failure(lost), ContainsSubstring("-lcufft is not here, and cuFFT has no emulation"));
  CHECK(emulate::explain_link_failure("x: undefined reference to `cuInit'\n", true).empty());
}

TEST_CASE("functions and options are known by the library that they belong to") {
  const std::pair<const char*, const char*> owners[] = {{"cublasSgemm_v2", "cuBLAS"},
                                                        {"cublasLtMatmul", "cuBLAS"},
                                                        {"cusolverDnCreate", "cuSOLVER"},
                                                        {"cudnnCreate", "cuDNN"},
                                                        {"cuLaunchKernel", "the CUDA driver"},
                                                        {"cudaMalloc", "the CUDA runtime"},
                                                        {"customer", ""},
                                                        {"cublas", ""},
                                                        {"cublasHelper(int)", ""}};
  for (const auto& [function, owner] : owners) {
    INFO(function);
    CHECK(emulate::owner_of(function) == owner);
  }
  for (const char* option : {"-lcublas", "-lcublasLt_static", "/opt/cuda/lib64/libcublas.so"}) {
    INFO(option);
    REQUIRE(emulate::library_of_option(option) != nullptr);
    CHECK(emulate::library_of_option(option)->name == "cuBLAS");
  }
  for (const char* option : {"-lm", "cublas.o", "-L/opt/libcublas", "-O3", ""}) {
    INFO(option);
    CHECK(emulate::library_of_option(option) == nullptr);
  }
  const std::string notes = emulate::notes_on_libraries({"-O3", "-lcublas", "-lcublasLt", "-lcurand", "-lm"});
  CHECK_THAT(notes, ContainsSubstring("cuBLAS has no emulation. NVIDIA's library (-lcublas) finds no GPU") &&
                        ContainsSubstring("--allow-missing ends the program at the first one instead. Its host"));
  CHECK(std::count(notes.begin(), notes.end(), '\n') == 2);
  CHECK_THAT(emulate::source_of_missing({"cublasCreate_v2"}),
             ContainsSubstring("void cublasCreate_v2()") && ContainsSubstring("\"cuBLAS\""));
}
