#include "workbook/command_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/runtime/environment.hpp"
#include "host/command_line.hpp"
#include "host/count.hpp"
#include "student/player/options.hpp"
#include "workbook/cli_types.hpp"

namespace workbook {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw host::usage_error(option + ": " + why);
}

/// Parses a shape such as 16x8 or 8x4x4. Returns nothing if a block cannot have it.
std::optional<std::array<unsigned, 3>> shape_of(const std::string& text) {
  std::array<unsigned, 3> shape{1, 1, 1};
  std::istringstream words(text + 'x');
  std::size_t threads = 1, k = 0;
  for (std::string word; std::getline(words, word, 'x'); ++k) {
    const auto extent = host::whole_number(word);
    if (k == 3 || !extent || *extent < 1 || *extent > 1024) return {};
    shape[k] = static_cast<unsigned>(*extent);
    threads *= shape[k];
  }
  return k >= 2 && threads <= 1024 && shape[2] <= 64 ? std::optional(shape) : std::nullopt;
}

/// Parses the number of threads per block, or the block's shape.
void read_block(const std::string& text, problem& given) {
  if (text.find('x') == std::string::npos) {
    const auto threads = host::whole_number(text);
    if (!threads || *threads < 32 || *threads > 1024) refuse("--block-size", text + ": give a number from 32 to 1024.");
    given.block_size = static_cast<unsigned>(*threads);
    return;
  }
  const auto shape = shape_of(text);
  if (!shape) {
    refuse("--block-size", text + ": give up to three dimensions, such as 16x8 or 8x4x4, 1024 threads in all.");
  }
  given.block_shape = *shape;
  given.block_size = (*shape)[0] * (*shape)[1] * (*shape)[2];
}

/// Returns the GPU of `--gpu`, or the one that the emulator currently represents.
model::gpu gpu_of(const host::parser& app, const std::string& given) {
  const bool asked = app.count("--gpu") > 0;
  try {
    return model::chosen_gpu(asked ? given : emulator::current_options().gpu);
  } catch (const std::runtime_error& error) {
    if (asked) refuse("--gpu", error.what());
    // Without --gpu, a GPU that has no model isn't an error, because counts need no times.
    return {.emulated = emulator::current_options().gpu, .measured = {}, .why_no_times = error.what(), .note = {}};
  }
}

/// Parses the number of GPUs in the same way as `emulate --gpus`.
void read_gpus(const std::string& text, const study& defaults, command_line& line) {
  if (defaults.max_gpus == 0)
    refuse("--gpus", "this chapter's kernels run on one GPU: leave it out. Chapter 16 is about several.");
  int count = 0;
  try {
    emulator::runtime::parse_gpus("it", text, count, line.gpus_reach_each_other);
  } catch (const emulator::runtime::bad_setting& bad) {
    refuse("--gpus", bad.what());
  }
  if (static_cast<unsigned>(count) > defaults.max_gpus)
    refuse("--gpus", fmt::format("{}: this chapter takes 1 to {} GPUs.", count, defaults.max_gpus));
  line.given.gpus = static_cast<unsigned>(count);
}

/// Returns true if a heading contains `word`; upper and lower case are the same.
bool has_word(const std::string& heading, const std::string& word) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(heading.begin(), heading.end(), word.begin(), word.end(), same) != heading.end();
}

/// Parses `--group`. \throws host::usage_error  if no heading contains the word
void read_group(const std::string& word, const study& defaults, command_line& line) {
  std::vector<std::string> headings;
  for (const specimen& k : defaults.kernels) {
    if (!k.group.empty() && (headings.empty() || headings.back() != k.group)) headings.push_back(k.group);
  }
  if (headings.empty()) refuse("--group", "this chapter's table has no headings: leave it out.");
  if (word.empty() ||
      std::none_of(headings.begin(), headings.end(), [&](const std::string& one) { return has_word(one, word); })) {
    refuse("--group", fmt::format("no heading of the table contains '{}'; the headings are: {}.", word,
                                  fmt::join(headings, "; ")));
  }
  line.group = word;
}

/// Takes the remaining arguments, which must be flags of Google Benchmark.
void take_the_rest(const std::vector<std::string>& rest, command_line& line) {
  for (const std::string& word : rest) {
    if (word.rfind("--benchmark_", 0) != 0)
      throw host::bad_arguments("The following argument was not expected: " + word);
    line.benchmark_arguments.push_back(word);
  }
}

}  // namespace

bool is_asked_for(const specimen& row, const command_line& line) {
  return line.group.empty() || has_word(row.group, line.group);
}

parsed parse_command_line(int argc, char** argv, const std::string& title, const study& defaults) {
  command_line line;
  line.given.block_size = defaults.default_block_size;
  std::string profile, limit, block, gpu, gpus, group;
  host::parser app{title, argv[0]};
  app.allow_others();
  app.add_option("--device", line.device,
                 "auto (the GPU if there is one, and the emulator for the counts), gpu or emulator")
      .transform(one_of<device_choice>(
          "device",
          {{"auto", device_choice::automatic}, {"gpu", device_choice::gpu}, {"emulator", device_choice::emulator}}));
  app.add_option(
      "--gpu", gpu,
      "The GPU that the emulator represents and whose times are predicted (h200): " + model::gpus_to_choose_from());
  host::option gpus_option = app.add_option("--gpus", gpus,
                                            "Number of GPUs, 1 to 8 (default: 4 on the emulator, otherwise all); "
                                            "on the emulator, 4:no-peer if none can access another's memory");
  // Every chapter accepts `--gpus`, so that chapters about one GPU can explain why they don't use it.
  if (defaults.max_gpus == 0) gpus_option.hidden();
  app.add_option("--count", line.count,
                 fmt::format("Number of elements: 1000, 2^22, 4Mi (default: {} on a GPU, {} on the emulator)",
                             defaults.default_count_gpu, defaults.default_count_emulator))
      .transform(a_count());
  app.add_option("--type", line.given.type, "Type of the elements").transform(a_type());
  app.add_option("--block-size", block,
                 fmt::format("Threads per block, 32 to 1024 (default {}){}", line.given.block_size,
                             defaults.takes_shapes ? ", or a shape: 16x8, 8x4x4" : ""));
  app.add_option("--seed", line.given.seed, fmt::format("Seed of the input (default {})", line.given.seed))
      .check(host::number_from(0, 999999999999999999ull));
  app.add_option("--offset", line.given.offset,
                 "Elements between a multiple of 16 bytes and the beginning of the input (default 0)")
      .check(host::number_from(0, 15));
  if (defaults.fewer_rounds_on_emulator)
    app.add_flag("--gpu-rounds", line.given.gpu_rounds,
                 "On the emulator, too, each thread does as much as on a GPU (by default less, so that it takes no "
                 "minutes)");
  app.add_option("--json", line.json,
                 "Write everything as JSON to this file; - is standard output, and then nothing else is printed there");
  app.add_flag("--all", line.all_counts, "Show every count in the table; by default, chapters 0 to 3 show only one");
  bool all_output = false;
  app.add_flag("--all-output", all_output,
               fmt::format("Show everything that kernels print, instead of the first {} lines of each", few_lines));
  app.add_flag("--test", line.strict_test,
               "The strict verdict on your kernel: every size, type and block size, every check, and the goal")
      .excludes({"--count", "--type", "--block-size", "--offset"});
  host::option group_option =
      app.add_option("--group", group, "Only rows whose heading contains this text, for example bags")
          .excludes({"--test"});
  // Every chapter accepts `--group`, too.
  if (std::all_of(defaults.kernels.begin(), defaults.kernels.end(), [](const specimen& k) { return k.group.empty(); }))
    group_option.hidden();
  app.add_flag("--to-the-end", line.to_the_end, "With --test: go on after a failure").needs("--test");
  app.add_option("--profile", profile,
                 "Show the cost of each line of a kernel on the emulator; a kernel's name or role may follow (default: "
                 "yours; `reference` shows the solution)")
      .expected(0, 1);
  app.add_option("--limit", limit,
                 "Show where a kernel's time goes, on a GPU, by timing it with parts removed; a name or role as above")
      .expected(0, 1)
      .excludes({"--profile", "--test"});
  player::add_options(app, line.recorded);
  app.add_flag("--benchmark", line.benchmark,
               "Google Benchmark instead of the table; its own --benchmark_… flags may follow");
  try {
    if (!app.read({argv + 1, argv + argc})) return {{}, 0};
    take_the_rest(app.remaining(), line);
    if (app.count("--block-size") > 0) read_block(block, line.given);
    if (app.count("--gpus") > 0) read_gpus(gpus, defaults, line);
    if (app.count("--group") > 0) read_group(group, defaults, line);
    if (all_output) line.lines_kept = all_lines;
    if (app.count("--profile") > 0) line.profile = profile;
    if (app.count("--limit") > 0) line.limit = limit;
    if (line.recorded.any() && (line.limit || line.benchmark || line.strict_test))
      refuse("--record", "it takes one run of one kernel: leave out --limit, --benchmark and --test.");
    if (line.recorded.any() && line.device == device_choice::gpu)
      refuse("--record", "it needs the emulator: leave out --device gpu.");
    line.gpu = gpu_of(app, gpu);
    if (app.count("--gpu") > 0 && (line.limit || line.benchmark || line.strict_test))
      refuse("--gpu",
             fmt::format("it selects the GPU whose times are predicted, but {} predicts no times: leave one out.",
                         line.limit       ? "--limit"
                         : line.benchmark ? "--benchmark"
                                          : "--test"));
    if (app.count("--gpu") > 0 && line.device == device_choice::gpu)
      refuse("--gpu",
             "it chooses the GPU that the emulator represents: leave out --device gpu, which runs no emulator.");
    if (line.limit && line.benchmark) refuse("--limit", "it measures its own times: leave out --benchmark.");
    if (line.limit && line.device == device_choice::emulator)
      refuse("--limit", "it measures times, which the emulator does not have: leave out --device emulator.");
    if (line.profile && line.strict_test)
      refuse("--profile", "it shows one kernel and --test gives the verdict: leave one out.");
    if (line.profile && line.benchmark) refuse("--profile", "it counts and --benchmark takes times: leave one out.");
    if (line.profile && line.device == device_choice::gpu)
      refuse("--profile", "it needs the emulator, which counts by line: leave out --device gpu.");
  } catch (const host::usage_error& wrong) {
    fmt::print(stderr, "{}\nRun with --help for more information.\n", wrong.what());
    return {{}, 2};
  }
  return {line, 0};
}

}  // namespace workbook
