// driver FOLDER [--seconds N] [--seed N] [--largest BYTES]
// driver FOLDER --cut
// driver FILE …
//
// Feeds a target with the files of a folder, then with changes of them, the same ones for the same seed, until the time
// is over; or with the files cut off behind each of their lines; or with single files, as they are. An input that ends
// the process, or takes too long, is left in `last_input` of the working folder. It knows nothing of coverage:
// libFuzzer finds more where clang is there, this one runs everywhere.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "fuzz/mutations.hpp"
#include "fuzz/target.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The input that the target works on, for the signal handler.
const std::string* current = nullptr;

constexpr unsigned longest_seconds = 20;

/// Leaves the current input behind. Calls nothing that a signal handler may not call.
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
  std::transform(paths.begin(), paths.end(), std::back_inserter(inputs), read);
  return inputs;
}

/// Changes seeds until the time is over. Returns how many inputs that made.
std::uint64_t change_until(clock_type::time_point end, std::vector<std::string> inputs, unsigned seed,
                           std::size_t largest) {
  fuzz::generator random(seed);
  std::uint64_t count = 0;
  while (clock_type::now() < end) {
    // A small set of inputs changes for good now and then, so that damage adds up.
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

/// Feeds each input up to the end of each of its lines, and up to the middle of the next. Returns how many that made.
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

}  // namespace

// What a sanitizer finds ends with a signal, too.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1";
}
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

int main(int argc, char** argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, leave_input);
  std::map<std::string, unsigned long> numbers = {{"--seconds", 10}, {"--seed", 1}, {"--largest", 1u << 16}};
  std::vector<std::filesystem::path> given;
  bool cut = false;
  for (int i = 1; i < argc; ++i) {
    if (numbers.count(argv[i]) != 0 && i + 1 < argc) {
      numbers[argv[i]] = std::strtoul(argv[i + 1], nullptr, 10);
      ++i;
    } else if (std::string(argv[i]) == "--cut") {
      cut = true;
    } else {
      given.emplace_back(argv[i]);
    }
  }
  if (given.empty()) {
    std::fprintf(stderr, "usage: %s FOLDER [--seconds N] [--seed N] [--largest BYTES] [--cut], or FILE ...\n", argv[0]);
    return 2;
  }
  if (!std::filesystem::is_directory(given[0])) {
    for (const auto& path : given) feed(read(path));
    return 0;
  }
  const auto end = clock_type::now() + std::chrono::seconds(numbers["--seconds"]);
  const std::vector<std::string> seeds = load(given[0], numbers["--largest"]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no input of at most %lu bytes\n", given[0].c_str(), numbers["--largest"]);
    return 2;
  }
  for (const std::string& input : seeds) feed(input);
  const std::uint64_t changed =
      cut ? cut_everywhere(seeds)
          : change_until(end, seeds, static_cast<unsigned>(numbers["--seed"]), numbers["--largest"]);
  std::fprintf(stderr, "%zu inputs and %llu changed ones, no finding\n", seeds.size(),
               static_cast<unsigned long long>(changed));
  return 0;
}
