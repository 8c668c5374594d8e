// Runs a target with the files in a folder, and then with changed files until the time is up. The same seed makes the
// same changes. The driver can also cut the files off after each of their lines, or run single files unchanged. If an
// input ends the process or takes too long, it is written to `last_input` in the working folder. This driver measures
// no coverage. libFuzzer finds more if clang is available, but this driver runs everywhere.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/mutations.hpp"
#include "fuzz/target.hpp"
#include "host/command_line.hpp"
#include "host/files.hpp"
#include "host/program.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

/// The input that the target is working on, for the signal handler.
const std::string* current = nullptr;

constexpr unsigned longest_seconds = 20;

/// Writes the current input to a file. Only calls functions that a signal handler may call.
void leave_input(int signal) {
  if (current != nullptr) {
    const int file = open("last_input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    [[maybe_unused]] const auto written = write(file, current->data(), current->size());
    constexpr char words[] = "The input is in last_input.\n", hangs[] = "One input took more than 20 s.\n";
    if (signal == SIGALRM) [[maybe_unused]]
      const auto w = write(STDERR_FILENO, hangs, sizeof hangs - 1);
    [[maybe_unused]] const auto w = write(STDERR_FILENO, words, sizeof words - 1);
  }
  _exit(1);
}

void feed(const std::string& input) {
  current = &input;
  alarm(longest_seconds);
  try {
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "an error of a kind that is not promised: %s\n", e.what());
    std::abort();
  }
  alarm(0);
  current = nullptr;
}

std::vector<std::string> load(const std::filesystem::path& folder, std::size_t largest) {
  std::vector<std::filesystem::path> paths;
  for (const auto& e : std::filesystem::recursive_directory_iterator(folder)) {
    if (e.is_regular_file() && e.file_size() <= largest) paths.push_back(e.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  std::transform(paths.begin(), paths.end(), std::back_inserter(inputs), host::read_file);
  return inputs;
}

/// Changes seeds until the time is up. Returns the number of inputs that were made.
std::uint64_t change_until(clock_type::time_point end, std::vector<std::string> inputs, unsigned seed,
                           std::size_t largest) {
  fuzz::generator random(seed);
  std::uint64_t count = 0;
  while (clock_type::now() < end) {
    // There are few inputs, so now and then a changed one replaces its original. That way, changes accumulate.
    std::string& source = inputs[random() % inputs.size()];
    std::string input = source;
    fuzz::change(input, random);
    if (input.size() > largest) input.resize(largest);
    feed(input);
    ++count;
    if (random() % 256 == 0) source = input;
  }
  return count;
}

/// Runs each input up to the end of each of its lines, and up to the middle of the next. Returns the number of runs.
std::uint64_t cut_everywhere(const std::vector<std::string>& inputs) {
  std::uint64_t count = 0;
  for (const std::string& input : inputs) {
    for (std::size_t at = input.find('\n'); at != std::string::npos; at = input.find('\n', at + 1)) {
      const std::size_t next = std::min(input.find('\n', at + 1), input.size());
      for (const std::size_t length : {at + 1, at + 1 + (next - at) / 2}) {
        feed(input.substr(0, length));
        ++count;
      }
    }
  }
  return count;
}

struct arguments {
  std::vector<std::string> given;
  unsigned seconds = 10, seed = 1;
  std::size_t largest = 1u << 16;
  bool cut = false;
};

int run(const arguments& args) {
  if (!std::filesystem::is_directory(args.given[0])) {
    for (const std::string& path : args.given) feed(host::read_file(path));
    return 0;
  }
  if (args.given.size() != 1)
    throw host::usage_error(args.given[0] + " is a folder: give a single folder, or only files");
  const auto end = clock_type::now() + std::chrono::seconds(args.seconds);
  const std::vector<std::string> seeds = load(args.given[0], args.largest);
  if (seeds.empty())
    throw host::usage_error(args.given[0] + " has no input of at most " + std::to_string(args.largest) + " bytes");
  for (const std::string& input : seeds) feed(input);
  const std::uint64_t changed = args.cut ? cut_everywhere(seeds) : change_until(end, seeds, args.seed, args.largest);
  std::fprintf(stderr, "%zu inputs and %llu changed ones, no finding\n", seeds.size(),
               static_cast<unsigned long long>(changed));
  return 0;
}

}  // namespace

// Makes the process end with a signal if a sanitizer finds something, so that the handler writes the input.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1";
}
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

int main(int argc, char** argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, leave_input);
  arguments args;
  host::parser app("Feeds a target with damaged input. An input that ends the process is left in `last_input`.",
                   std::filesystem::path(argv[0]).filename().string());
  app.add_option("given", args.given, "A folder with inputs to change, or files to run unchanged").required();
  app.add_option("--seconds", args.seconds, "Time for running changed inputs").shows_default();
  app.add_option("--seed", args.seed, "Seed of the random changes").shows_default();
  app.add_option("--largest", args.largest, "Largest size of an input in bytes")
      .check(host::number_from(0, std::uint64_t{1} << 40))
      .shows_default();
  app.add_flag("--cut", args.cut, "Cut the inputs off at each of their lines instead of changing them");
  return host::run_program(app, argc, argv, 1, [&] { return run(args); });
}
