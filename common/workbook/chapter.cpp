#include "workbook/chapter.hpp"

#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/links.hpp"
#include "host/memory.hpp"
#include "host/output_file.hpp"
#include "reductions/buffer.hpp"
#include "student/player/recording.hpp"
#include "workbook/benchmark.hpp"
#include "workbook/command_line.hpp"
#include "workbook/conditions.hpp"
#include "workbook/exercise_version.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/limit.hpp"
#include "workbook/profile.hpp"
#include "workbook/strict_test.hpp"
#include "workbook/table.hpp"
#include "workbook/words.hpp"

namespace workbook {
namespace {

constexpr int repetitions = 21;

/// Returns the outcome of a kernel that was not run on the GPU.
outcome kept_away(const std::string& name, role as) {
  return {.name = name,
          .as = as,
          .failure =
              "not run on the GPU, because it could hang or make the device unusable: the emulator found it "
              "wrong (see below)"};
}

/// Shows what is running, in place of the previous line, if the terminal supports that. Empty text clears the line.
void show_progress(const std::string& words) {
  const char* kind = std::getenv("TERM");
  if (isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string(kind) != "dumb")
    fmt::print(stderr, "\r\033[K{}", words);
}

/// Runs the kernels of the chapter's table, except those that did not pass in `before` (if given).
run_result run_on(emulator::device_kind kind, const std::vector<specimen>& kernels, const problem& given,
                  const command_line& line, const run_result* before = nullptr) {
  emulator::select_device(kind);
  run_result r;
  r.device = read_device_facts();
  r.given = given;
  r.predicted_for = line.gpu;
  const bool talk = line.recorded.any() || line.json != "-";  // a recording writes no JSON
  const bool gpu = kind == emulator::device_kind::gpu;
  const effort how{.observe = !gpu, .repetitions = gpu ? repetitions : 0, .lines_kept = line.lines_kept};
  for (specimen k : kernels) {
    const outcome* seen = before == nullptr ? nullptr : &before->rows[r.rows.size()];
    if (seen != nullptr) k.name = seen->name;
    if (talk) show_progress(k.name + " …");
    const bool away = seen != nullptr && k.attempted && !seen->passed();
    r.rows.push_back(away ? kept_away(k.name, k.as) : examine(k, given, how));
  }
  // Cached memory belongs to this device.
  for (const specimen& k : kernels) {
    if (k.release) k.release();
  }
  if (talk) show_progress("");
  return r;
}

int exit_status(const run_result& r) {
  return std::ranges::all_of(r.rows, [](const outcome& o) { return o.as == role::wrong || o.passed(); }) ? 0 : 1;
}

/// Returns the output of the rows' kernels, to be printed below the table.
std::string printed_text(const run_result& r, std::size_t lines_kept) {
  printed_by_all all(lines_kept);
  for (const outcome& o : r.rows) all.add(o.said);
  return all.text();
}

/// Returns true, after an error message, if a run needs more memory than is available. The message has the size needed,
/// the size available, and the largest power of two that fits. On a GPU, at most one value per element is counted. Must
/// be called before the input is filled, because filling it takes minutes if it doesn't fit.
bool too_large(const study& s, const problem& given) {
  constexpr double gib = 1 << 30;
  const bool gpu = emulator::selected_device() == emulator::device_kind::gpu;
  std::size_t available = 0, total = 0;
  if (!gpu)
    available = host::available_memory();
  else if (cudaMemGetInfo(&available, &total) != cudaSuccess)
    return false;
  const auto value_bytes = static_cast<double>(with_type(given.type, [](auto* value) { return sizeof(*value); }));
  const double bytes_per_count = (gpu ? std::min(1.0, s.values_per_count) : s.values_per_count) * value_bytes;
  const double needed = static_cast<double>(given.count) * bytes_per_count;
  if (needed <= static_cast<double>(available)) return false;
  const auto fits = static_cast<std::uint64_t>(static_cast<double>(available) / bytes_per_count);
  const std::string largest =
      fits == 0 ? std::string()
                : fmt::format(" The largest power of two that fits: --count 2^{}", std::bit_width(fits) - 1);
  fmt::print(stderr, "{}",
             wrapped(fmt::format(
                 "--count {}: that takes about {:.1f} GiB of {} memory, and {:.1f} GiB are available.{}\n", given.count,
                 needed / gib, gpu ? "the GPU's" : "the host's", static_cast<double>(available) / gib, largest)));
  return true;
}

/// Returns true, after an error message, if neither the chapter's reference nor the student's kernel can run on this
/// problem. The other kernels alone would be of no use.
bool refuses(const study& s, const problem& given) {
  std::optional<std::string> why;
  for (const specimen& k : s.kernels) {
    if (k.as != role::reference && k.as != role::yours) continue;
    const std::optional<std::string> of_this = k.why_not(given);
    if (!of_this) return false;
    if (!why) why = fmt::format("{}: {}.\n", k.name, *of_this);
  }
  if (why) fmt::print(stderr, "{}", wrapped(*why));
  return why.has_value();
}

/// Returns true, after an error message, if no kernel of the chapter can run on the user's problem.
bool nothing_to_run(const study& s, const problem& given) {
  const bool shaped = given.block_shape[0] != 0 && given.block_shape[0] != given.block_size;
  if (shaped && !s.takes_shapes) {
    fmt::print(stderr, "--block-size: this chapter's kernels take blocks of one dimension only.\n");
    return true;
  }
  std::string reasons, first;
  bool all_alike = true;
  for (const specimen& k : s.kernels) {
    // Libraries accept everything, so they don't matter here.
    if (k.as == role::library && !k.rejects) continue;
    const std::optional<std::string> why = k.why_not(given);
    if (!why) return false;
    if (first.empty()) first = *why;
    all_alike = all_alike && *why == first;
    reasons += fmt::format("{}: {}.\n", k.name, *why);
  }
  fmt::print(stderr, "{}", all_alike && !first.empty() ? wrapped(first + ".\n") : reasons);
  return !reasons.empty();
}

/// Reduces the chapter's table to the kernels that `--profile` selects, and prepares their run on the emulator. Returns
/// false, after an error message, if there is nothing to run.
bool ready_to_count(chapter& c, const command_line& line, problem& given) {
  c.table.kernels = chosen_of(c.table.kernels, line.profile.value_or(""));
  if (nothing_to_run(c.table, given)) return false;
  given.count = line.count.value_or(c.table.default_count_emulator);
  emulator::select_device(emulator::device_kind::emulator);
  return !too_large(c.table, given);
}

/// Prints how to see the solution, if the user has named no kernel and the student's kernel is untouched.
/// \param word  the target's name in `make WORDn`
/// \param ask   the value of ARGS for the reference
void print_reference_hint(const chapter& c, const std::vector<specimen>& chosen, const std::string& named,
                          const char* word, const char* ask) {
  const auto untouched = [](const specimen& k) { return k.as == role::yours && !k.attempted; };
  if (!named.empty() || std::ranges::none_of(chosen, untouched)) return;
  fmt::print(stderr,
             "This is your kernel as the chapter gave it.\n"
             "`make {}{} ARGS={}` shows the reference: the solution.\n",
             word, c.number, ask);
}

/// Runs the selected kernels on the emulator and prints their profiles.
int run_profile(chapter c, const command_line& line, problem given) {
  if (!ready_to_count(c, line, given)) return 2;
  host::json_file json(line.json);
  json.claim();
  const bool quiet = line.json == "-";
  const run_result counted = run_on(emulator::device_kind::emulator, c.table.kernels, given, line);
  if (!quiet) fmt::print("{}{}", profile_text(c, counted, STDOUT_FILENO), printed_text(counted, line.lines_kept));
  json.write(as_json(c, counted, nullptr));
  if (!quiet) print_reference_hint(c, c.table.kernels, line.profile.value_or(""), "profile", "reference");
  return exit_status(counted);
}

/// Runs one kernel on the emulator and records it.
int run_recording(chapter c, const command_line& line, problem given) {
  if (!ready_to_count(c, line, given)) return 2;
  player::files recorded(line.recorded);
  emulator::options options = emulator::current_options();
  options.trace_path = recorded.trace_path();
  // The first steps of an endless loop are enough. The usual limit would make the user wait.
  if (options.max_instructions == 0) options.max_instructions = 100'000'000 + 64 * std::uint64_t{given.count};
  emulator::set_options(options);
  const run_result r = run_on(emulator::device_kind::emulator, c.table.kernels, given, line);
  recorded.write();
  print_reference_hint(c, c.table.kernels, line.profile.value_or(""), "play", "\"--profile reference\"");
  for (const outcome& o : r.rows) {
    if (!o.passed()) fmt::print(stderr, "{} is not right yet: `make chapter{}` says why.\n", o.name, c.number);
  }
  return exit_status(r);
}

/// Returns why `--limit` cannot analyse a kernel, or an empty string. A wrong kernel may hang, so the emulator runs it
/// first.
std::string ablation_blocker(const chapter& c, const outcome& o) {
  if (o.rejected) return *o.rejected;
  return o.passed() ? std::string()
                    : fmt::format("it is wrong or unsafe; fix it first: `make chapter{}` explains how", c.number);
}

/// Times kernels with parts removed on the GPU and prints what limits them.
/// \param no_gpu  why no GPU can be used, or an empty string
int run_limit(const chapter& c, const command_line& line, problem given, const std::string& no_gpu) {
  if (c.table.max_gpus != 0) {
    fmt::print(stderr,
               "--limit only works for kernels on one GPU. Here several GPUs wait for their links, which it cannot "
               "analyse.\n");
    return 2;
  }
  const std::vector<specimen> chosen = chosen_of(c.table.kernels, *line.limit);
  if (!no_gpu.empty()) {
    fmt::print(stderr,
               "--limit takes times, and no GPU can be used: {}. Here `--profile` counts what each line costs.\n",
               no_gpu);
    return 3;
  }
  emulator::select_device(emulator::device_kind::gpu);
  given.count = line.count.value_or(c.table.default_count_gpu);
  if (too_large(c.table, given)) return 2;
  host::json_file json(line.json);
  json.claim();
  printed_by_all said(line.lines_kept);
  const ceilings limits = read_device_facts().most;
  nlohmann::json j = {{"schema", 1}, {"chapter", c.number}, {"rows", nlohmann::json::array()}};
  bool good = true;
  for (const specimen& k : chosen) {
    const outcome counted = count_on_emulator(k, given);
    std::string why_not = ablation_blocker(c, counted);
    if (why_not.empty()) why_not = ablation_blocker(c, examine(k, given, effort{.observe = false}));
    if (!why_not.empty()) {
      fmt::print(stderr, "{}: {}.\n", k.name, why_not);
      good = false;
      continue;
    }
    // The edited kernels print the same text again.
    said.add(counted.said);
    ablation_timer timer;
    captured_output again(few_lines);
    ablation_study d = timer.take(k, given, repetitions);
    (void)again.take();
    d.conflicts = has_conflicts(counted);
    if (line.json != "-") fmt::print("{}", limit_text(d, limits));
    j["rows"].push_back(as_json(d, limits));
  }
  if (line.json != "-") fmt::print("{}", said.text());
  json.write(j);
  print_reference_hint(c, chosen, *line.limit, "limit", "reference");
  return good ? 0 : 1;
}

/// Returns the goal and the chapter's remark. If `--group` excludes the student's row, returns a hint instead of the
/// goal.
std::string below(const chapter& c, const run_result& r) {
  if (std::ranges::find(r.rows, role::yours, &outcome::as) != r.rows.end())
    return text_below(c, evaluate(c.aim, r.rows));
  const std::string where =
      fmt::format("\nYour kernel is under another heading: `make chapter{}` shows all.\n", c.number);
  return c.remark.empty() ? where : where + '\n' + wrapped(c.remark) + '\n';
}

/// Runs the whole table: on the GPU if there is one, and on the emulator for the counts.
int run_table(const chapter& c, const command_line& line, problem given, bool gpu_there) {
  host::json_file json(line.json);
  json.claim();
  const bool quiet = line.json == "-";
  const emulator::device_kind kind = gpu_there ? emulator::device_kind::gpu : emulator::device_kind::emulator;
  given.count = line.count.value_or(gpu_there ? c.table.default_count_gpu : c.table.default_count_emulator);
  emulator::select_device(kind);
  if (too_large(c.table, given)) return 2;
  std::optional<run_result> counted, timed;
  if (gpu_there && line.device == device_choice::automatic) {
    problem smaller = given;
    smaller.count = std::min(given.count, c.table.default_count_emulator);
    counted = run_on(emulator::device_kind::emulator, c.table.kernels, smaller, line);
    // Predicted and measured times are shown side by side, so they must be for the same input.
    if (!c.table.fewer_rounds_on_emulator || given.gpu_rounds)
      timed = run_on(emulator::device_kind::gpu, c.table.kernels, smaller, line, &*counted);
  }
  run_result main = run_on(kind, c.table.kernels, given, line, counted ? &*counted : nullptr);
  if (!gpu_there && c.table.scaled_count > given.count && given.count >= smallest_scaled)
    main.scaled = scaled_times(c.table.kernels, given, main.rows, main.predicted_for, c.table.scaled_count);
  if (!quiet) fmt::print("{}", table_text(c, main, line.all_counts));
  if (!quiet && counted) fmt::print("\n{}", table_text(c, *counted, line.all_counts, timed ? &*timed : nullptr));
  if (!quiet && !gpu_there) fmt::print("{}", below(c, main));
  if (!quiet && counted) fmt::print("{}", below(c, *counted));
  if (!quiet) fmt::print("{}", printed_text(counted ? *counted : main, line.lines_kept));
  json.write(as_json(c, main, counted ? &*counted : nullptr));
  return std::max(exit_status(main), counted ? exit_status(*counted) : 0);
}

/// Selects the GPU that the emulator represents.
void emulate_as(const model::gpu& chosen) {
  emulator::options options = emulator::current_options();
  options.gpu = chosen.emulated;
  options.latencies = chosen.latencies();
  emulator::set_options(options);
}

/// Does what the command line requests.
int run(const chapter& c, const command_line& line) {
  emulate_as(line.gpu);
  if (const std::optional<std::string> other = other_exercise(c.exercise_path, c.exercise_sha256, c.number)) {
    fmt::print(stderr, "{}", *other);
    if (line.strict_test) return refuse_strict_test(c, line);
  }
  if (line.recorded.any()) return run_recording(c, line, line.given);
  if (line.profile) return run_profile(c, line, line.given);
  if (nothing_to_run(c.table, line.given) || (!line.limit && refuses(c.table, line.given))) return 2;
  std::string why_not;
  const bool gpu_there = line.device != device_choice::emulator && emulator::gpu_available(&why_not);
  if (line.device == device_choice::gpu && !gpu_there) {
    fmt::print(stderr, "--device gpu: {}. Use --device emulator, which needs no GPU.\n", why_not);
    return 3;
  }
  if (!gpu_there && line.device == device_choice::automatic && !line.limit) {
    if (const std::string reason = emulator::outdated_driver(); !reason.empty())
      fmt::print(stderr, "This runs on the emulator, not on the GPU: {}.\n\n", reason);
  }
  if (line.limit) return run_limit(c, line, line.given, gpu_there ? std::string() : why_not);
  if (line.strict_test) return run_strict_test(c, line);
  if (line.benchmark) return run_benchmarks(c, line, gpu_there);
  return run_table(c, line, line.given, gpu_there);
}

/// Returns the number of the chapter whose kernel this chapter starts from, or 0.
int chapter_before(const chapter& c) {
  const auto found = std::ranges::find(c.ladder, role::previous, &reduction::as);
  return found == c.ladder.end() ? 0 : found->chapter;
}

}  // namespace

int run_chapter(int argc, char** argv, chapter c) {
  if (!c.ladder.empty()) {
    c.table.kernels = rows_of(c.ladder);
    c.table.one_sum = true;
    // Chapter 0 is about one thread, and from chapter 12 on, kernels choose their own launches.
    if (c.number >= 1 && c.number <= 9) c.table.scaled_count = std::size_t{1} << 29;
  }
  const parsed words = parse_command_line(argc, argv, fmt::format("Chapter {}: {}", c.number, c.title), c.table);
  if (!words.line) return words.status;
  if (c.table.max_gpus != 0)
    emulator::set_devices(static_cast<int>(c.table.max_gpus), words.line->gpus_reach_each_other);
  std::erase_if(c.table.kernels, [&](const specimen& row) { return !is_asked_for(row, *words.line); });
  if (!c.ladder.empty()) c.aim.conditions = ladder_conditions(c.number, chapter_before(c), words.line->gpu.measured);
  try {
    return run(c, *words.line);
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
