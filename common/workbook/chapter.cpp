#include "workbook/chapter.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "device/buffer.hpp"
#include "workbook/benchmark.hpp"
#include "workbook/command_line.hpp"
#include "workbook/json_file.hpp"
#include "workbook/report.hpp"

namespace workbook {
namespace {

constexpr std::size_t default_count_gpu = std::size_t{1} << 26;
constexpr std::size_t default_count_emulator = std::size_t{1} << 20;
constexpr int repetitions = 21;

run_result run_on(emulator::device_kind kind, const chapter& c, problem given, bool talk) {
  emulator::select_device(kind);
  run_result r;
  r.device = read_device_facts();
  r.given = given;
  const bool gpu = kind == emulator::device_kind::gpu;
  const effort how{.observe = !gpu, .repetitions = gpu ? repetitions : 0};
  const auto name = [&](const std::string& of) {
    if (talk && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K{} …", of);
  };
  if (c.kernels) {
    for (const specimen& kernel : c.kernels->kernels) {
      name(kernel.name);
      r.rows.push_back(examine(kernel, given, how));
    }
  } else {
    laboratory lab(given);
    for (const reduction& rung : c.ladder) {
      name(rung.name);
      r.rows.push_back(lab.run(rung, how));
    }
  }
  // What a rung keeps belongs to this device.
  for (const reduction& rung : c.ladder) {
    if (rung.reset) rung.reset();
  }
  if (talk && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
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
  bool any = false;
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
    if (nothing_to_run(c, given)) return 2;
    std::string why_not;
    const bool gpu_there = line.device != device_choice::emulator && emulator::gpu_available(&why_not);
    if (line.device == device_choice::gpu && !gpu_there) {
      fmt::print(stderr, "--device gpu: {} Use --device emulator, which needs no GPU.\n", why_not);
      return 3;
    }
    if (line.benchmark) return run_benchmarks(c, line, gpu_there);
    json_file json(line.json);
    const bool quiet = line.json == "-";
    given.count = line.count.value_or(gpu_there ? count_on_gpu : count_on_emulator);
    const run_result main =
        run_on(gpu_there ? emulator::device_kind::gpu : emulator::device_kind::emulator, c, given, !quiet);
    if (!quiet) fmt::print("{}", table(c, main));
    int status = exit_status(main);
    std::optional<run_result> counted;
    if (gpu_there && line.device == device_choice::automatic) {
      given.count = std::min(given.count, count_on_emulator);
      counted = run_on(emulator::device_kind::emulator, c, given, !quiet);
      status = std::max(status, exit_status(*counted));
      if (!quiet) fmt::print("\n{}", table(c, *counted));
    }
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
