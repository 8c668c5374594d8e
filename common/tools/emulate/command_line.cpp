#include "tools/emulate/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "emulator/observers/counters.hpp"
#include "emulator/runtime/device_facts.hpp"
#include "emulator/runtime/environment.hpp"

namespace emulate {
namespace {

bool ends_with_one_of(const std::string& text, std::initializer_list<const char*> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](const std::string& suffix) {
    return text.size() > suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
  });
}

bool is_source(const std::string& word) {
  return ends_with_one_of(word, {".cu", ".cpp", ".cc", ".cxx", ".c"});
}
bool is_object(const std::string& word) {
  return ends_with_one_of(word, {".o", ".a", ".so"});
}

bool begins_with(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// Options of nvcc whose value is the next word: that word is no source, whatever it ends with.
bool takes_next_word(const std::string& option) {
  static constexpr std::array options = {"-I",
                                         "--include-path",
                                         "-isystem",
                                         "--system-include",
                                         "-include",
                                         "--pre-include",
                                         "-D",
                                         "--define-macro",
                                         "-U",
                                         "--undefine-macro",
                                         "-L",
                                         "--library-path",
                                         "-l",
                                         "--library",
                                         "-std",
                                         "--std",
                                         "-x",
                                         "--x",
                                         "-ccbin",
                                         "--compiler-bindir",
                                         "-Xcompiler",
                                         "--compiler-options",
                                         "-Xptxas",
                                         "--ptxas-options",
                                         "-Xlinker",
                                         "--linker-options",
                                         "-Xcudafe",
                                         "-Xnvlink",
                                         "--nvlink-options",
                                         "-default-stream",
                                         "--default-stream",
                                         "-maxrregcount",
                                         "--maxrregcount",
                                         "-ftz",
                                         "--ftz",
                                         "-fmad",
                                         "--fmad",
                                         "-prec-div",
                                         "--prec-div",
                                         "-prec-sqrt",
                                         "--prec-sqrt",
                                         "-O",
                                         "--optimize",
                                         "-Werror",
                                         "--Werror",
                                         "-diag-suppress",
                                         "--diag-suppress",
                                         "-diag-error",
                                         "--diag-error",
                                         "-diag-warn",
                                         "--diag-warn",
                                         "-t",
                                         "--threads"};
  return std::find(options.begin(), options.end(), option) != options.end();
}

/// Rejects options of nvcc that contradict what this tool does.
void reject_contradictions(const std::string& option) {
  static constexpr std::array kinds = {"-o", "-c", "-dc", "-dlink", "-lib", "-ptx", "-cubin", "-fatbin", "-E", "-M"};
  if (std::find(kinds.begin(), kinds.end(), option) != kinds.end()) {
    throw usage_error("emulate runs the program and leaves no file behind: leave out " + option);
  }
  if (option == "-rdc=true" || option == "-rdc" || begins_with(option, "--relocatable-device-code")) {
    throw usage_error("separate compilation of device code (" + option +
                      ") leaves no PTX of the whole program to run: leave it out");
  }
  for (const char* architecture :
       {"-arch", "-gencode", "-code", "--gpu-architecture", "--generate-code", "--gpu-code"}) {
    if (option == architecture || begins_with(option, std::string(architecture) + "=")) {
      throw usage_error("the architecture follows from the device that is emulated: leave out " + option +
                        "; --gpu NAME chooses the device");
    }
  }
  if (begins_with(option, "-cudart") || begins_with(option, "--cudart")) {
    throw usage_error("the emulator takes the place of the CUDA runtime: leave out " + option);
  }
}

/// Our own options. The rest goes to the compiler.
std::unique_ptr<CLI::App> make_parser(request& into) {
  auto app = std::make_unique<CLI::App>(
      "Compiles a CUDA program with nvcc, runs it without a GPU, and reports what it did and what is wrong with it.",
      "emulate");
  app->allow_extras();
  app->set_help_flag();
  app->add_flag("-h,--help", into.help, "Print this text");
  app->add_option("--check", into.checks,
                  "all, none, or some of memcheck,racecheck,initcheck,synccheck (all); all,leaks");
  app->add_option("--json", into.json_path, "Write the report to FILE; - is standard output");
  app->add_flag("--profile", into.profile, "Print what each line of the kernels cost");
  app->add_flag("--quiet", into.quiet, "Print no report");
  app->add_option("--gpu", into.gpu, "The device whose facts the program reads: " + emulator::runtime::known_devices());
  app->add_flag("--trace", into.trace, "Print one line per kernel launch");
  app->add_option("--trace-file", into.trace_path, "Write each access of the first blocks to FILE");
  app->add_flag("--counters", into.counters, "Print what is counted, and how");
  app->add_option("--nvcc", into.nvcc, "The CUDA compiler (the one of this build, else from PATH or CUDA_HOME)");
  return app;
}

void sort_words(const std::vector<std::string>& words, request& into) {
  bool is_value = false;
  for (const std::string& word : words) {
    if (is_value) {
      into.compiler_options.push_back(word);
      is_value = false;
    } else if (!word.empty() && word[0] == '-') {
      reject_contradictions(word);
      into.compiler_options.push_back(word);
      is_value = takes_next_word(word);
    } else if (is_source(word) || is_object(word)) {
      if (!std::filesystem::exists(word)) throw usage_error("there is no file " + word);
      (is_source(word) ? into.sources : into.objects).push_back(word);
    } else {
      throw usage_error("'" + word +
                        "' is neither an option nor a .cu or .cpp file; arguments of the program stand behind --");
    }
  }
}

}  // namespace

std::string help_text() {
  request unused;
  std::string text = "Usage: emulate [options] FILE.cu [FILE.cpp ...] [nvcc options] [-- program arguments]\n\n" +
                     make_parser(unused)->get_description() + "\n\nOptions:\n";
  const std::pair<const char*, std::string> options[] = {
      {"--check LIST",
       "all, none, or some of memcheck,racecheck,initcheck,synccheck (all); leaks beside them: all,leaks"},
      {"--json FILE", "write the report to FILE; - is standard output"},
      {"--profile", "print the kernels' source with what each line cost, and what stands out"},
      {"--quiet", "print no report"},
      {"--gpu NAME", "the device whose facts the program reads (h200): " + emulator::runtime::known_devices()},
      {"--host-threads N", "threads of this machine that run blocks (0: one per processor)"},
      {"--max-instructions N", "warp instructions a block may execute before the kernel is stopped (0: the default)"},
      {"--trace", "print one line per kernel launch"},
      {"--trace-file FILE", "write each access of the first blocks of every launch to FILE, a JSON line a launch"},
      {"--counters", "print what is counted, and how; runs nothing"},
      {"--nvcc PATH", "the CUDA compiler (that of this build, else from PATH or CUDA_HOME)"},
      {"-h, --help", "print this text"},
  };
  for (const auto& [name, meaning] : options) {
    std::string line = "  " + std::string(name);
    line.resize(std::max<std::size_t>(line.size() + 1, 25), ' ');
    text += line + meaning + "\n";
  }
  return text +
         "\nExit status: the program's own; 86 where it is 0 and something was found wrong; 2 for a wrong command "
         "line;\n"
         "the compiler's where the program does not compile.\n";
}

std::string counters_text() {
  std::string text;
  for (const emulator::observers::counter_facts& facts : emulator::observers::counter_table()) {
    text += std::string(facts.short_name) + "\n  " + std::string(facts.name) + "\n  " + std::string(facts.what) +
            "\n  = " + std::string(facts.formula) + "\n";
  }
  return text;
}

request parse_command_line(const std::vector<std::string>& arguments) {
  request result;
  const auto behind = std::find(arguments.begin(), arguments.end(), "--");
  if (behind != arguments.end()) result.program_arguments.assign(behind + 1, arguments.end());

  std::string threads = "0", most = "0";
  const std::unique_ptr<CLI::App> parser = make_parser(result);
  parser->add_option("--host-threads", threads);
  parser->add_option("--max-instructions", most);
  std::vector<std::string> reversed(std::make_reverse_iterator(behind), std::make_reverse_iterator(arguments.begin()));
  try {
    parser->parse(reversed);
    if (result.help || result.counters) return result;
    emulator::options unused;
    emulator::runtime::parse_checks(result.checks, unused);
    result.host_threads = static_cast<unsigned>(emulator::runtime::parse_number("--host-threads", threads, 4096));
    result.max_instructions = emulator::runtime::parse_number("--max-instructions", most, ~0ull);
  } catch (const CLI::Error& wrong) {
    throw usage_error(wrong.what());
  } catch (const emulator::runtime::bad_setting& wrong) {
    throw usage_error(wrong.what());
  }
  if (emulator::runtime::find_device_facts(result.gpu) == nullptr) {
    throw usage_error("there is no device '" + result.gpu + "'; --gpu takes " + emulator::runtime::known_devices());
  }
  if (result.profile && result.quiet) throw usage_error("--profile prints a report and --quiet none: leave one out");
  sort_words(parser->remaining(), result);
  if (result.sources.empty()) throw usage_error("no source file is given");
  return result;
}

}  // namespace emulate
