#include "workbook/chapter.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "device/buffer.hpp"
#include "workbook/benchmark.hpp"
#include "workbook/command_line.hpp"
#include "host/json_file.hpp"
#include "workbook/profile.hpp"
#include "workbook/report.hpp"
#include "workbook/strict_test.hpp"

namespace workbook {
namespace {

constexpr std::size_t default_count_gpu = std::size_t{1} << 26;
constexpr std::size_t default_count_emulator = std::size_t{1} << 20;
constexpr int repetitions = 21;

/// Stands for a kernel that was kept away from the GPU.
outcome kept_away(const std::string& name, role as) {
  outcome o;
  o.name = name;
  o.as = as;
  o.failure =
      "not run on the GPU, where it could hang or take the device from this program: the emulator found it wrong, as "
      "is said below";
  return o;
}

/// On a terminal that can, shows in the place of the line before what goes on; nothing is left of it without words.
void meanwhile(const std::string& words) {
  const char* kind = std::getenv("TERM");
  if (isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string(kind) != "dumb")
    fmt::print(stderr, "\r\033[K{}", words);
}

/// Runs the chapter's kernels; those that did not pass in `before`, where given, are kept away.
run_result run_on(emulator::device_kind kind, const chapter& c, problem given, bool talk,
                  const run_result* before = nullptr) {
  emulator::select_device(kind);
  run_result r;
  r.device = read_device_facts();
  r.given = given;
  const bool gpu = kind == emulator::device_kind::gpu;
  const effort how{.observe = !gpu, .repetitions = gpu ? repetitions : 0};
  const auto add = [&](const auto& kernel, const auto& run) {
    if (talk) meanwhile(kernel.name + " …");
    const bool away = before != nullptr && kernel.attempted && !before->rows[r.rows.size()].passed();
    r.rows.push_back(away ? kept_away(kernel.name, kernel.as) : run(kernel));
  };
  if (c.kernels) {
    for (const specimen& k : c.kernels->kernels) add(k, [&](const specimen& one) { return examine(one, given, how); });
  } else {
    laboratory lab(given);
    for (const reduction& k : c.ladder) add(k, [&](const reduction& one) { return lab.run(one, how); });
  }
  // What a rung keeps belongs to this device.
  for (const reduction& rung : c.ladder) {
    if (rung.reset) rung.reset();
  }
  if (talk) meanwhile("");
  return r;
}

int exit_status(const run_result& r) {
  const bool clean =
      std::all_of(r.rows.begin(), r.rows.end(), [](const outcome& o) { return o.as == role::wrong || o.passed(); });
  return clean ? 0 : 1;
}

/// What the user asked for suits no kernel of the chapter: says why.
bool nothing_to_run(const chapter& c, const problem& given) {
  if (!c.kernels && given.block_shape[0] != 0) {
    fmt::print(stderr, "--block-size: this chapter's kernels take blocks of one dimension only.\n");
    return true;
  }
  std::vector<std::string> reasons;
  const auto runs = [&](const std::string& name, const std::optional<std::string>& why) {
    if (why) reasons.push_back(fmt::format("{}: {}.\n", name, *why));
    return !why;
  };
  // Where the library alone is asked for, there is nothing to suit.
  bool any = !c.kernels &&
             std::all_of(c.ladder.begin(), c.ladder.end(), [](const reduction& r) { return r.as == role::library; });
  for (const reduction& r : c.ladder)
    any = any || (r.as != role::library && runs(r.name, r.rejects ? r.rejects(given.block_size) : std::nullopt));
  if (c.kernels) {
    for (const specimen& k : c.kernels->kernels) any = any || runs(k.name, k.rejects ? k.rejects(given) : std::nullopt);
  }
  for (const std::string& reason : reasons) {
    if (!any) fmt::print(stderr, "{}", reason);
  }
  return !any;
}

/// Runs what is to be profiled, on the emulator, and prints it.
int run_profile(const chapter& c, const command_line& line, problem given) {
  const chapter chosen = with_only(c, *line.profile);
  if (nothing_to_run(chosen, given)) return 2;
  host::json_file json(line.json);
  const bool quiet = line.json == "-";
  given.count = line.count.value_or(c.kernels ? c.kernels->default_count_emulator : default_count_emulator);
  const run_result counted = run_on(emulator::device_kind::emulator, chosen, given, !quiet);
  if (!quiet) fmt::print("{}", profile_text(c, counted, STDOUT_FILENO));
  json.write(as_json(chosen, counted, nullptr));
  return exit_status(counted);
}

}  // namespace

int run_chapter(int argc, char** argv, const chapter& c) {
  const parsed words = parse_command_line(argc, argv, fmt::format("Chapter {}: {}", c.number, c.title));
  if (!words.line) return words.status;
  const command_line& line = *words.line;
  problem given = line.given;
  if (c.kernels && !line.block_size_given) given.block_size = c.kernels->default_block_size;
  const std::size_t count_on_gpu = c.kernels ? c.kernels->default_count_gpu : default_count_gpu;
  const std::size_t count_on_emulator = c.kernels ? c.kernels->default_count_emulator : default_count_emulator;
  try {
    if (line.profile) return run_profile(c, line, given);
    if (nothing_to_run(c, given)) return 2;
    std::string why_not;
    const bool gpu_there = line.device != device_choice::emulator && emulator::gpu_available(&why_not);
    if (line.device == device_choice::gpu && !gpu_there) {
      fmt::print(stderr, "--device gpu: {} Use --device emulator, which needs no GPU.\n", why_not);
      return 3;
    }
    if (line.strict_test) return run_strict_test(c, line);
    if (line.benchmark) return run_benchmarks(c, line, gpu_there);
    host::json_file json(line.json);
    const bool quiet = line.json == "-";
    given.count = line.count.value_or(gpu_there ? count_on_gpu : count_on_emulator);
    std::optional<run_result> counted;
    if (gpu_there && line.device == device_choice::automatic) {
      problem smaller = given;
      smaller.count = std::min(given.count, count_on_emulator);
      counted = run_on(emulator::device_kind::emulator, c, smaller, !quiet);
    }
    const run_result main = run_on(gpu_there ? emulator::device_kind::gpu : emulator::device_kind::emulator, c, given,
                                   !quiet, counted ? &*counted : nullptr);
    const int status = std::max(exit_status(main), counted ? exit_status(*counted) : 0);
    if (!quiet) fmt::print("{}", table(c, main));
    if (!quiet && counted) fmt::print("\n{}", table(c, *counted));
    if (!quiet && main.device.kind == "emulator") fmt::print("{}", goal_text(c, main));
    if (!quiet && counted) fmt::print("{}", goal_text(c, *counted));
    json.write(as_json(c, main, counted ? &*counted : nullptr));
    return status;
  } catch (const device_error& e) {
    fmt::print(stderr, "The device failed: {}\n", e.what());
    return 3;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "The host's memory does not hold this many elements: give a smaller --count.\n");
    return 3;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}

}  // namespace workbook
