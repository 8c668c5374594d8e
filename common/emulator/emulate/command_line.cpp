#include "emulator/emulate/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "emulator/emulate/installation.hpp"
#include "emulator/observers/counters.hpp"
#include "emulator/report/suppressions.hpp"
#include "emulator/runtime/environment.hpp"
#include "host/command_line.hpp"
#include "host/files.hpp"
#include "host/program.hpp"
#include "student/player/options.hpp"

namespace emulate {
namespace {

using host::usage_error;

/// Returns true if `word` is one of those in `list`, which has a blank before and after each.
bool is_in(std::string_view list, const std::string& word) {
  return list.find(" " + word + " ") != std::string_view::npos;
}

/// Returns true if a word's extension is one of those in `list`.
bool has_extension(const std::string& word, std::string_view list) {
  const std::string extension = std::filesystem::path(word).extension().string();
  return !extension.empty() && is_in(list, extension);
}

/// Returns true if the next word is an option's value, and so not a source, whatever it ends with.
bool takes_next_word(const std::string& option) {
  return is_in(
      " -I --include-path -isystem --system-include -include --pre-include -D --define-macro -U --undefine-macro"
      " -L --library-path -l --library -std --std -x --x -ccbin --compiler-bindir -Xcompiler --compiler-options"
      " -Xptxas --ptxas-options -Xlinker --linker-options -Xcudafe -Xnvlink --nvlink-options -default-stream"
      " --default-stream -rdc --relocatable-device-code -maxrregcount --maxrregcount -ftz --ftz -fmad --fmad -prec-div "
      "--prec-div -prec-sqrt"
      " --prec-sqrt -O --optimize -Werror --Werror -diag-suppress --diag-suppress -diag-error --diag-error"
      " -diag-warn --diag-warn -t --threads ",
      option);
}

/// Rejects options of nvcc that contradict what this tool does.
void reject_contradictions(const std::string& option) {
  if (is_in(" -o -c -dc -dlink -lib -ptx -cubin -fatbin -E -M ", option)) {
    throw usage_error("emulate runs the program and creates no file: leave out " + option);
  }
  if (is_in(" -arch -gencode -code --gpu-architecture --generate-code --gpu-code ",
            option.substr(0, option.find('=')))) {
    throw usage_error("the architecture follows from the device that is emulated: leave out " + option +
                      "; --gpu chooses the device");
  }
  if (option.starts_with("-cudart") || option.starts_with("--cudart")) {
    throw usage_error("the emulator takes the place of the CUDA runtime: leave out " + option);
  }
}

/// Returns a rule for an argument that the emulator itself parses as a setting. `parse` throws if the argument is
/// invalid; the options that it sets are not used.
host::word_rule a_setting(void (*parse)(const std::string& text, emulator::options& unused)) {
  return {[parse](const std::string& text) -> std::string {
            try {
              emulator::options unused;
              parse(text, unused);
              return {};
            } catch (const emulator::runtime::bad_setting& wrong) {
              return wrong.what();
            }
          },
          ""};
}

/// Rejects a program that isn't linked with the emulator, and sources or compiler options next to a program that is
/// already built.
void reject_unless_linked(const request& wanted) {
  if (!wanted.sources.empty() || !wanted.objects.empty() || !wanted.compiler_options.empty())
    throw usage_error(wanted.program + " is a program that is built already: leave out sources and compiler options; " +
                      "its own arguments go after --");
  // Every program that is linked with the emulator contains this text.
  if (host::read_file(wanted.program).find("EMULATOR_SUMMARY") == std::string::npos)
    throw usage_error(wanted.program +
                      " is not linked with the emulator: give its .cu files instead, or have CMake link it, by "
                      "reduction_workbook_add_emulated_test()");
}

void reject_bad_suppressions(const std::string& path) {
  try {
    static_cast<void>(emulator::report::read_suppressions(host::read_file(path), path));
  } catch (const emulator::report::bad_suppression& wrong) {
    throw usage_error(std::string("--suppress: ") + wrong.what());
  }
}

model::gpu gpu_of(const std::string& name_or_file) {
  try {
    return model::chosen_gpu(name_or_file, this_installation().machines_folder);
  } catch (const std::runtime_error& error) {
    throw usage_error(std::string("--gpu: ") + error.what());
  }
}

/// Our own options. The rest goes to the compiler.
std::unique_ptr<host::parser> make_parser(request& into) {
  auto app = std::make_unique<host::parser>(
      "emulate [options] FILE.cu [FILE.cpp ...] [nvcc options] [-- program arguments]\n"
      "emulate [options] PROGRAM [-- program arguments]\n\n"
      "Compiles a CUDA program with nvcc, runs it without a GPU, and reports what it did and what is wrong with it.\n"
      "A PROGRAM that is linked with the emulator, as CMake's reduction_workbook_add_emulated_test() does it, is run "
      "as\n"
      "it is.",
      "emulate");
  app->allow_others();
  app->help_says("Print this text");
  app->add_option("--check", into.checks,
                  "all, none, or some of memcheck,racecheck,initcheck,synccheck (all); leaks in addition: all,leaks")
      .check(a_setting(emulator::runtime::parse_checks));
  app->add_option("--api-errors", into.api_errors,
                  "on or off: whether a call of the runtime that fails is a finding of memcheck (on)")
      .check(host::one_of_words({"on", "off"}));
  app->add_option("--json", into.json_path,
                  "Write the report and the predicted times to this file; - is standard output");
  app->add_option("--sarif", into.sarif_path, "Write the findings as SARIF 2.1.0 to this file; - is standard output");
  app->add_option("--annotations", into.annotations,
                  "github: print a line for each finding that GitHub shows next to the source")
      .check(host::one_of_words({"github"}));
  app->add_option("--suppress", into.suppressions,
                  "A file of findings to leave out, a line each: CHECK: KIND | FILE | KERNEL [| LINE]");
  app->add_flag("--profile", into.profile,
                "Print the kernels' source with what each line cost, what stands out, and the predicted times");
  app->add_flag("--quiet", into.quiet, "Print no report");
  app->add_flag("--notes", into.notes,
                "Print notes, too: what is suspicious, but not wrong in this run. Without it, only an index of 32 bits "
                "is noted, if 16 times as many threads could overflow it");
  app->add_option("--gpu", into.gpu,
                  "The device whose facts the program reads, and whose times --profile and --json predict (h200): " +
                      model::gpus_to_choose_from());
  app->add_option("--gpus", into.gpus,
                  "Number of these devices, 1 to 16 (1); 4:no-peer if none can access another's memory")
      .check(a_setting([](const std::string& text, emulator::options&) {
        int count = 1;
        bool peers = true;
        emulator::runtime::parse_gpus("it", text, count, peers);
      }));
  app->add_option("--host-threads", into.host_threads, "Threads of this machine that run blocks (0: one per processor)")
      .check(host::number_from(0, 4096));
  app->add_option("--max-instructions", into.max_instructions,
                  "Warp instructions that a block may execute before the kernel is stopped (0: the default)")
      .check(host::number_from(0, 999999999999999999ull));
  app->add_flag("--interpreter", into.interpreter,
                "Don't compile kernels to machine code: slower, but otherwise the same");
  app->add_option(
         "--orders", into.orders,
         "Also run each launch in this number of other orders of its blocks, warps and lanes, and compare (0); 64:7 "
         "takes 7 as the seed")
      .check(a_setting([](const std::string& text, emulator::options& unused) {
        emulator::runtime::parse_orders("it", text, unused);
      }));
  app->add_flag("--trace", into.trace, "Print one line per kernel launch");
  app->add_option("--trace-file", into.trace_path,
                  "Write each access of the first blocks of every launch to this file, one line of JSON per launch");
  player::add_options(*app, into.recorded);
  app->add_flag("--counters", into.counters, "Print what is counted, and how; run nothing");
  app->add_option("--keep", into.kept_program, "Keep the built program under this name, to run it again as PROGRAM");
  app->add_flag("--allow-missing", into.allow_missing,
                "Link without the functions of libraries that have no emulation (cuBLAS, cuFFT, NCCL ...); the program "
                "ends with 3 at the first call of one");
  app->add_option("--nvcc", into.nvcc, "The CUDA compiler (the one of this build, else from PATH or CUDA_HOME)");
  app->footer(
      "\nExit status: the program's own; 86 if that is 0 and something was found wrong; 2 for a wrong command line;\n"
      "3 if it called a function that --allow-missing left out; the compiler's if the program does not compile.");
  return app;
}

void sort_words(const std::vector<std::string>& words, request& into) {
  bool is_value = false;
  for (const std::string& word : words) {
    const bool is_source = has_extension(word, " .cu .cpp .cc .cxx .c ");
    if (is_value) {
      // The compiler gets one word for each library.
      if (into.compiler_options.back() == "-l")
        into.compiler_options.back() += word;
      else
        into.compiler_options.push_back(word);
      is_value = false;
    } else if (word.starts_with("-")) {
      reject_contradictions(word);
      into.compiler_options.push_back(word);
      is_value = takes_next_word(word);
    } else if (is_source || has_extension(word, " .o .a .so ")) {
      if (!std::filesystem::exists(word)) throw usage_error("there is no file " + word);
      (is_source ? into.sources : into.objects).push_back(word);
    } else if (into.program.empty() && host::is_program(word)) {
      // exec() would search PATH for a bare name.
      into.program = std::filesystem::absolute(word).string();
    } else {
      throw usage_error("'" + word +
                        "' is neither an option, nor a .cu or .cpp file, nor a program; the program's arguments go "
                        "after --");
    }
  }
}

}  // namespace

std::string counters_text() {
  std::string text;
  for (const emulator::observers::counter_facts& facts : emulator::observers::counter_table()) {
    text += std::string(facts.short_name) + "\n  " + std::string(facts.name) + "\n  " + std::string(facts.what) +
            "\n  = " + std::string(facts.formula) + "\n";
  }
  return text;
}

std::optional<request> parse_command_line(const std::vector<std::string>& arguments) {
  request result;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) result.program_arguments.assign(separator + 1, arguments.end());
  const std::unique_ptr<host::parser> parser = make_parser(result);
  if (!host::parse(*parser, {arguments.begin(), separator})) return {};
  if (result.counters) return result;
  if (result.notes && result.quiet) throw usage_error("--notes prints notes and --quiet none: leave one out");
  if (result.profile && result.quiet) throw usage_error("--profile prints a report and --quiet none: leave one out");
  if (result.json_path == "-" && result.sarif_path == "-")
    throw usage_error("--json - and --sarif - both want standard output: give one of them a file");
  if (!result.trace_path.empty() && result.recorded.any())
    throw usage_error("--trace-file and --record or --play both use the trace: leave one of them out");
  result.chosen = gpu_of(result.gpu);
  if (!result.suppressions.empty()) {
    // The program may run in a different folder, and a mistake in the file should not cost a compilation.
    result.suppressions = std::filesystem::absolute(result.suppressions).string();
    reject_bad_suppressions(result.suppressions);
  }
  sort_words(parser->remaining(), result);
  if (!result.program.empty()) reject_unless_linked(result);
  if (!result.program.empty() && !result.kept_program.empty())
    throw usage_error("--keep is for a program that is built here: " + result.program + " is one already");
  if (!result.program.empty() && result.allow_missing)
    throw usage_error("--allow-missing is for a program that is linked here: " + result.program + " is linked already");
  if (result.sources.empty() && result.program.empty()) throw usage_error("no source file and no program is given");
  return result;
}

}  // namespace emulate
