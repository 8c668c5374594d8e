#include "emulator/emulate/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "emulator/emulate/installation.hpp"
#include "emulator/emulate/libraries.hpp"
#include "emulator/emulate/linker_errors.hpp"
#include "emulator/runtime/device_facts.hpp"
#include "host/files.hpp"
#include "host/process.hpp"
#include "host/program.hpp"

namespace emulate {
namespace {

bool has_option(const request& wanted, std::initializer_list<const char*> beginnings) {
  return std::any_of(wanted.compiler_options.begin(), wanted.compiler_options.end(), [&](const std::string& option) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](const char* beginning) { return option.rfind(beginning, 0) == 0; });
  });
}

/// Returns true if device code of one file may use that of another (-rdc=true).
bool is_linked_by_file(const request& wanted) {
  return has_option(wanted, {"-rdc", "--relocatable-device-code"});
}

/// Returns the compiler, with the options that are the same for compiling and linking.
std::vector<std::string> common_command(const request& wanted, const std::string& nvcc) {
  std::vector<std::string> command = {nvcc};
  const std::string& host_compiler = this_installation().host_compiler;
  // An installed `emulate` may have been built on a machine with a different compiler.
  const bool is_here = host_compiler.find('/') == std::string::npos || host::is_program(host_compiler);
  if (!host_compiler.empty() && is_here && !has_option(wanted, {"-ccbin", "--compiler-bindir"})) {
    command.insert(command.end(), {"-ccbin", host_compiler});
  }
  return command;
}

/// Returns a path as nvcc needs it in an option for the linker, which it passes on through a shell.
std::string for_shell(const std::string& path) {
  std::string quoted;
  for (const char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("/._-+").find(c) == std::string_view::npos)
      quoted += '\\';
    quoted += c;
  }
  return quoted;
}

/// Runs the compiler. It leaves its own temporary files in `folder`, which is removed even if it is killed.
host::ending run_compiler(const std::vector<std::string>& command, const std::string& folder,
                          bool capture_error_output = false) {
  return host::run(command, {{"TMPDIR", folder}}, capture_error_output);
}

/// Adds the options for the device and the form of device code in object files and, if that is linked, in the program.
void add_code_options(const request& wanted, std::vector<std::string>& command) {
  // Compute capability 7.0, which newer compilers no longer know, runs as 7.5: the emulator reads PTX of any target.
  const int capability = std::max(emulator::runtime::find_device_facts(wanted.chosen.emulated)->capability(), 75);
  command.push_back(fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]", capability));
  // The PTX is in the object file as text, with the lines that it comes from.
  command.push_back("--no-compress");
}

std::vector<std::string> compile_command(const request& wanted, const std::string& nvcc) {
  std::vector<std::string> command = common_command(wanted, nvcc);
  add_code_options(wanted, command);
  if (!has_option(wanted, {"-G", "--device-debug", "-lineinfo"})) command.push_back("-lineinfo");
  // Adds line information for host code, too, which findings in calls of the runtime need. Without other debug
  // information, it takes the compiler almost no time. With the later format, some versions of addr2line read some
  // files wrongly.
  if (!has_option(wanted, {"-g", "--debug"})) command.push_back("-Xcompiler=-gdwarf-4,-g1");
  if (!has_option(wanted, {"-std", "--std"})) command.push_back("-std=c++20");
  command.insert(command.end(), {"-I", this_installation().include_folder});
  command.insert(command.end(), wanted.compiler_options.begin(), wanted.compiler_options.end());
  return command;
}

/// If device code was compiled file by file, links it, and adds the resulting object file to `objects`. This is a step
/// of its own, because nvcc skips it if it doesn't link a CUDA runtime.
int link_device_code(const request& wanted, const std::string& nvcc, const std::string& folder,
                     std::vector<std::string>& objects) {
  if (!is_linked_by_file(wanted)) return 0;
  std::vector<std::string> command = common_command(wanted, nvcc);
  const std::string linked = objects.front() + ".device_code.o";
  command.insert(command.end(), {"-dlink", "-o", linked});
  add_code_options(wanted, command);
  command.insert(command.end(), objects.begin(), objects.end());
  command.insert(command.end(), wanted.objects.begin(), wanted.objects.end());
  command.emplace_back("-lcudadevrt");
  objects.push_back(linked);
  return run_compiler(command, folder).status;
}

/// Functions and libraries that the program needs and that are missing; with --allow-missing it is linked without
/// these.
struct missing_parts {
  std::vector<std::string> functions;
  std::vector<std::string> options;  ///< "-lcurand"
};

/// Returns true if a library is not to be linked: it can do nothing without a GPU, or is not here.
bool is_left_out(const request& wanted, const missing_parts& missing, const std::string& option) {
  if (!wanted.allow_missing) return false;
  const library* const named = library_of_option(option);
  return named != nullptr && (named->still_works.empty() || std::find(missing.options.begin(), missing.options.end(),
                                                                      option) != missing.options.end());
}

/// Adds what the linker did not find. Returns true if there is something new, and all of it may be missing.
bool add_missing(const std::string& linker_output, missing_parts& missing) {
  const auto add = [](const std::string& name, std::vector<std::string>& to) {
    if (std::find(to.begin(), to.end(), name) != to.end()) return false;
    to.push_back(name);
    return true;
  };
  bool added = false;
  for (const std::string& function : undefined_names(linker_output)) {
    if (owner_of(function).empty() || !add(function, missing.functions)) return false;
    added = true;
  }
  for (const std::string& option : libraries_not_found(linker_output)) {
    if (library_of_option(option) == nullptr || !add(option, missing.options)) return false;
    added = true;
  }
  return added;
}

/// Compiles functions that end the program, to replace the missing ones.
int compile_missing(const request& wanted, const std::string& nvcc, const std::string& folder,
                    const missing_parts& missing, std::string& object) {
  if (missing.functions.empty()) return 0;
  const std::string source = folder + "/missing_functions.cpp";
  object = folder + "/missing_functions.o";
  std::ofstream(source) << source_of_missing(missing.functions);
  std::vector<std::string> command = common_command(wanted, nvcc);
  command.insert(command.end(), {"-c", source, "-o", object});
  return run_compiler(command, folder).status;
}

std::vector<std::string> link_command(const request& wanted, const std::string& nvcc,
                                      const std::vector<std::string>& objects, const missing_parts& missing,
                                      const std::string& program) {
  std::vector<std::string> command = common_command(wanted, nvcc);
  command.insert(command.end(), {"-cudart", "none", "-o", program});
  command.insert(command.end(), objects.begin(), objects.end());
  for (const std::vector<std::string>* words : {&wanted.objects, &wanted.compiler_options})
    std::copy_if(words->begin(), words->end(), std::back_inserter(command),
                 [&](const std::string& word) { return !is_left_out(wanted, missing, word); });
  // The device runtime has a part for the host as well.
  if (is_linked_by_file(wanted)) command.emplace_back("-lcudadevrt");
  const installation& parts = this_installation();
  command.insert(command.end(), parts.libraries.begin(), parts.libraries.end());
  command.insert(command.end(), parts.link_options.begin(), parts.link_options.end());
  // A newer g++ may have compiled our shared libraries; the libstdc++ that is loaded has what they need.
  command.emplace_back("-Xlinker=--allow-shlib-undefined");
  if (!parts.library_folder.empty()) command.push_back("-Xlinker=-rpath," + for_shell(parts.library_folder));
  return command;
}

int link(const request& wanted, const std::string& nvcc, const std::string& folder,
         const std::vector<std::string>& objects, const std::string& program) {
  missing_parts missing;
  std::string in_their_place;
  for (;;) {
    std::vector<std::string> all = objects;
    if (!in_their_place.empty()) all.push_back(in_their_place);
    const host::ending result = run_compiler(link_command(wanted, nvcc, all, missing, program), folder, true);
    if (result.status == 0) {
      std::fputs(result.error_output.c_str(), stderr);
      if (!wanted.quiet && !wanted.allow_missing) {
        for (const std::vector<std::string>* words : {&wanted.objects, &wanted.compiler_options})
          std::fputs(notes_on_libraries(*words).c_str(), stderr);
      }
      return 0;
    }
    if (!wanted.allow_missing || !add_missing(result.error_output, missing)) {
      const std::string explanation = explain_link_failure(result.error_output, wanted.allow_missing);
      // The linker's own message, if there is no other explanation.
      if (explanation.empty()) std::fputs(result.error_output.c_str(), stderr);
      fmt::print(stderr, "emulate: cannot link the program{}{}\n", explanation.empty() ? "" : ": ", explanation);
      return result.status;
    }
    if (const int status = compile_missing(wanted, nvcc, folder, missing, in_their_place); status != 0) return status;
  }
}

}  // namespace

std::string find_nvcc(const std::string& asked_for) {
  if (!asked_for.empty()) {
    if (host::is_program(asked_for)) return asked_for;
    throw host::usage_error("there is no compiler at " + asked_for + " (from --nvcc)");
  }
  std::vector<std::string> candidates = host::in_path("nvcc");
  const std::string& built_with_nvcc = this_installation().nvcc;
  if (!built_with_nvcc.empty()) candidates.insert(candidates.begin(), built_with_nvcc);
  candidates.push_back(host::variable("CUDA_HOME") + "/bin/nvcc");
  const std::string found = host::first_program(candidates);
  if (!found.empty()) return found;
  throw std::runtime_error(
      "no CUDA compiler: " +
      (built_with_nvcc.empty() ? std::string() : built_with_nvcc + ", with which this was built, is gone, and ") +
      "there is no nvcc in PATH or under CUDA_HOME; name one with --nvcc PATH");
}

int build_program(const request& wanted, const std::string& folder, std::string& program) {
  const std::string nvcc = find_nvcc(wanted.nvcc);
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < wanted.sources.size(); ++i) {
    const std::string stem = std::filesystem::path(wanted.sources[i]).stem().string();
    objects.push_back(fmt::format("{}/{}_{}.o", folder, i, stem));
    std::vector<std::string> command = compile_command(wanted, nvcc);
    command.insert(command.end(), {"-c", wanted.sources[i], "-o", objects.back()});
    if (const int status = run_compiler(command, folder).status; status != 0) return status;
  }
  if (const int status = link_device_code(wanted, nvcc, folder, objects); status != 0) return status;
  // Named as a user would name it, because the program's own messages contain that name.
  program = folder + "/" + std::filesystem::path(wanted.sources.front()).stem().string();
  return link(wanted, nvcc, folder, objects, program);
}

}  // namespace emulate
