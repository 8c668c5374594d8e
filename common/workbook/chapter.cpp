#include "workbook/chapter.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "device/buffer.hpp"
#include "workbook/benchmark.hpp"
#include "workbook/command_line.hpp"
#include "workbook/profile.hpp"
#include "workbook/report.hpp"
#include "workbook/strict_test.hpp"

namespace workbook {
namespace {

constexpr std::size_t default_count_gpu = std::size_t{1} << 26;
constexpr std::size_t default_count_emulator = std::size_t{1} << 20;
constexpr int repetitions = 21;

/// A JSON file that appears whole or not at all.
class json_file {
 public:
  /// \throws std::runtime_error  where the file cannot be written
  explicit json_file(std::string path) : path_(std::move(path)) {
    if (path_.empty() || path_ == "-") return;
    temporary_ = path_ + "." + std::to_string(getpid()) + ".tmp";
    out_.open(temporary_);
    if (!out_ || std::filesystem::is_directory(path_)) {
      std::filesystem::remove(temporary_);
      throw std::runtime_error(fmt::format(
          "--json {}: this file cannot be written. Give a path in a folder that exists and is yours.", path_));
    }
  }
  ~json_file() {
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
  }
  json_file(const json_file&) = delete;
  json_file& operator=(const json_file&) = delete;
  void write(const nlohmann::json& j) {
    if (path_.empty()) return;
    if (path_ == "-") {
      std::cout << j.dump(2) << std::endl;
      return;
    }
    out_ << j.dump(2) << '\n';
    out_.close();
    if (!out_) throw std::runtime_error(fmt::format("--json {}: the disk took only a part of it.", path_));
    std::filesystem::rename(temporary_, path_);
    temporary_.clear();
  }

 private:
  std::string path_;
  std::string temporary_;
  std::ofstream out_;
};

run_result run_on(emulator::device_kind kind, const chapter& c, problem given, bool talk) {
  emulator::select_device(kind);
  run_result r;
  r.device = read_device_facts();
  r.given = given;
  const bool gpu = kind == emulator::device_kind::gpu;
  laboratory lab(given);
  for (const reduction& rung : c.ladder) {
    if (talk && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K{} …", rung.name);
    r.rows.push_back(lab.run(rung, effort{.observe = !gpu, .repetitions = gpu ? repetitions : 0}));
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

/// The block size that the user asked for suits no kernel of the chapter.
bool nothing_to_run(const chapter& c, unsigned block_size) {
  bool some = false;
  for (const reduction& r : c.ladder) {
    if (r.as == role::library) continue;
    const auto why = r.rejects ? r.rejects(block_size) : std::optional<std::string>();
    if (!why) return false;
    some = true;
    fmt::print(stderr, "{}: {}.\n", r.name, *why);
  }
  return some;
}

/// Runs what is to be profiled, on the emulator, and prints it.
int run_profile(const chapter& c, const command_line& line) {
  chapter chosen = c;
  chosen.ladder = choose_rungs(c, *line.profile);
  if (nothing_to_run(chosen, line.given.block_size)) return 2;
  json_file json(line.json);
  const bool quiet = line.json == "-";
  problem given = line.given;
  given.count = line.count.value_or(default_count_emulator);
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
  try {
    if (line.profile) return run_profile(c, line);
    if (nothing_to_run(c, line.given.block_size)) return 2;
    std::string why_not;
    const bool gpu_there = line.device != device_choice::emulator && emulator::gpu_available(&why_not);
    if (line.device == device_choice::gpu && !gpu_there) {
      fmt::print(stderr, "--device gpu: {} Use --device emulator, which needs no GPU.\n", why_not);
      return 3;
    }
    if (line.strict_test) return run_strict_test(c, line);
    if (line.benchmark) return run_benchmarks(c, line, gpu_there);
    json_file json(line.json);
    const bool quiet = line.json == "-";
    problem given = line.given;
    given.count = line.count.value_or(gpu_there ? default_count_gpu : default_count_emulator);
    const run_result main =
        run_on(gpu_there ? emulator::device_kind::gpu : emulator::device_kind::emulator, c, given, !quiet);
    if (!quiet) fmt::print("{}", table(c, main));
    int status = exit_status(main);
    std::optional<run_result> counted;
    if (gpu_there && line.device == device_choice::automatic) {
      given.count = std::min(given.count, default_count_emulator);
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
