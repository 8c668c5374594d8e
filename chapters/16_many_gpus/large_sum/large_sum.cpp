// Sums an input that is larger than a GPU's memory, or that is distributed over several GPUs. It comes from a file or
// the host's memory, or is already on the GPUs. Exit status: 0 all went well; 1 a wrong sum, a finding of the emulator,
// or a file that ends early; 2 bad usage; 3 a failure of the device.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "16_many_gpus/large_sum/findings.hpp"
#include "16_many_gpus/large_sum/lanes.hpp"
#include "16_many_gpus/large_sum/resident.hpp"
#include "16_many_gpus/large_sum/right.hpp"
#include "16_many_gpus/members.cuh"
#include "emulator/emulator.hpp"
#include "emulator/links.hpp"
#include "host/command_line.hpp"
#include "host/memory.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "host/terminal.hpp"
#include "reductions/buffer.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/guarded.hpp"
#include "workbook/timer.hpp"

namespace {

using namespace chapter16;
using namespace workbook;

struct arguments {
  std::string file, json, commit = "unknown";
  std::optional<emulator::device_kind> device;
  element_type type = element_type::int32;
  std::optional<std::size_t> count, slice;
  std::optional<unsigned> lanes, gpus;
  std::uint64_t seed = 1;
  std::optional<int> repetitions;
  [[nodiscard]] int timed_runs() const { return repetitions.value_or(3); }
  bool resident = false, compare = false, uncached = false;
};

constexpr double giga = 1e9;

/// Accepts a number of bytes that is filled by whole elements of any type.
host::word_rule a_slice() {
  return host::a_number_that(
      [](std::uint64_t bytes) { return bytes >= 16 && bytes % 16 == 0 && bytes <= std::uint64_t{1} << 36; },
      "the size of a slice; give a multiple of 16 bytes up to 64Gi, such as 64Mi", "BYTES");
}

std::string shown_bytes(std::size_t bytes) {
  if (bytes < 10000) return fmt::format("{} bytes", bytes);
  if (bytes < std::size_t{10} << 20) return fmt::format("{:.0f} KiB", static_cast<double>(bytes) / 1024);
  if (bytes < std::size_t{10} << 30) return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

/// Two lanes per processor, because one of them waits for its copy while the other one fetches. Measured on an H100: a
/// file that is already in memory is read faster the more lanes there are.
unsigned lanes_by_processors(unsigned gpus) {
  return std::clamp(2 * std::thread::hardware_concurrency() / gpus, 2u, 32u);
}

/// Selects a GPU if one is requested, or if there is one and no device is requested. \return the number of GPUs
unsigned choose_device(const arguments& args) {
  const bool gpu = args.device ? *args.device == emulator::device_kind::gpu : emulator::gpu_available();
  if (!gpu) emulator::set_devices(static_cast<int>(args.gpus.value_or(1)));
  emulator::select_device(gpu ? emulator::device_kind::gpu : emulator::device_kind::emulator);
  int there = 1;
  check(cudaGetDeviceCount(&there));
  if (args.gpus && static_cast<int>(*args.gpus) > there)
    throw host::usage_error(
        fmt::format("--gpus {}: there {} only {} on this machine; the emulator has any number: --device "
                    "emulator",
                    *args.gpus, there == 1 ? "is" : "are", there));
  return args.gpus.value_or(std::min(static_cast<unsigned>(there), max_members));
}

/// Prints the findings of the emulator's checks on standard error, and writes the record if one is requested. \param
/// special  fields that only some records have \return the exit status
int end_of(const arguments& args, host::json_file& file, const std::string& command, bool right,
           nlohmann::json special) {
  const std::vector<std::string> found = take_findings();
  for (const std::string& one : found) fmt::print(stderr, "{}\n", one);
  if (file.wanted()) {
    special["schema"] = 1;
    special["provenance"] = provenance_of(read_device_facts(), command, args.commit, args.timed_runs());
    special["type"] = name_of(args.type);
    file.write(special);
  }
  return right && found.empty() ? 0 : 1;
}

/// The rows of a table and of a record. Each has a method and its speed.
class speeds {
 public:
  speeds(std::size_t bytes, bool timed) : bytes_(bytes), timed_(timed) {}
  void add(const std::string& way, double seconds) {
    const double rate = static_cast<double>(bytes_) / seconds / giga;
    if (timed_) fmt::print("{:<44} {:>9.3f} s {:>8.2f} GB/s\n", way, seconds, rate);
    std::fflush(stdout);
    rows_.push_back({{"way", way}, {"seconds", seconds}, {"gb_per_s", rate}});
  }
  [[nodiscard]] double seconds_of(std::size_t row) const { return rows_.at(row).at("seconds"); }
  [[nodiscard]] const nlohmann::json& rows() const { return rows_; }

 private:
  std::size_t bytes_;
  bool timed_;
  nlohmann::json rows_ = nlohmann::json::array();
};

class streamed_sum {
 public:
  streamed_sum(const arguments& args, unsigned gpus) : args_(args), how_(summing_of(args.type)) {
    plan_.slice_bytes = args.slice.value_or(std::size_t{on_gpu() ? 16u : 1u} << 20);
    plan_.per_gpu = args.lanes.value_or(on_gpu() ? lanes_by_processors(gpus) : 4);
    plan_.gpus = gpus;
    if (plan_.slice_bytes * plan_.lanes() > host::available_memory() / 2)
      throw host::usage_error(
          fmt::format("{} lanes with {} each need {} of the host's memory, of which {} are left: make the --slice "
                      "smaller, or take fewer --lanes",
                      plan_.lanes(), shown_bytes(plan_.slice_bytes), shown_bytes(plan_.slice_bytes * plan_.lanes()),
                      shown_bytes(host::available_memory())));
  }

  int run(const std::string& command) {
    host::json_file record(args_.json);
    return args_.file.empty() ? from_memory(record, command) : from_file(record, command);
  }

 private:
  int from_file(host::json_file& record, const std::string& command) {
    file_slices file(args_.file, how_.element_bytes, args_.uncached);
    begin(file.size_bytes(), args_.file);
    speeds all(file.size_bytes(), on_gpu());
    if (args_.compare) {
      all.add(args_.uncached ? "reading alone" : "reading alone, once it has been read",
              median_of(file, plan_, stages::fetching));
      copying_alone(all, file.size_bytes());
      lane_plan one = plan_;
      one.per_gpu = 1;
      all.add("one lane: read, copy and sum in turns", median_of(file, one, stages::all));
    }
    all.add("all lanes", median_of(file, plan_, stages::all));
    file.fail_if_changed();
    if (args_.compare)
      fmt::print("That is {:.2f} of the slower of reading and copying.\n",
                 std::max(all.seconds_of(0), all.seconds_of(1)) / all.seconds_of(3));
    return end(record, command, all, true);
  }

  int from_memory(host::json_file& record, const std::string& command) {
    const std::size_t count = args_.count.value_or(std::size_t{1} << (on_gpu() ? 30 : 20)),
                      bytes = count * how_.element_bytes;
    if (bytes > host::available_memory() / 10 * 9)
      throw host::usage_error(
          fmt::format("{} do not fit into the host's memory, of which {} are left: give a smaller "
                      "--count, or a file",
                      shown_bytes(bytes), shown_bytes(host::available_memory())));
    memory_slices memory(args_.type, count, args_.seed);
    begin(bytes, "the host's memory");
    speeds all(bytes, on_gpu());
    lane_plan in_place = plan_;
    in_place.rooms = false;
    if (args_.compare) {
      copying_alone(all, bytes);
      lane_plan one = in_place;
      one.per_gpu = 1;
      all.add("ordinary memory, one lane", median_of(memory, one, stages::all));
    }
    all.add("ordinary memory, rooms that are page-locked", median_of(memory, plan_, stages::all));
    const bool right = is_sum_of_parts(args_.type, count, 1, args_.seed, sum_);
    if (args_.compare) {
      memory.lock_pages();
      all.add("the input itself page-locked", median_of(memory, in_place, stages::all));
    }
    return end(record, command, all, right);
  }

  void copying_alone(speeds& all, std::size_t bytes) {
    empty_rooms nothing(bytes);
    lane_plan copies = plan_;
    copies.sums = false;
    all.add("copying alone", median_of(nothing, copies, stages::all));
  }

  void begin(std::size_t bytes, const std::string& from) const {
    fmt::print("Sum of {} {}s from {} ({}), in slices of {}, {} lanes on {}\n\n", bytes / how_.element_bytes,
               name_of(args_.type), from, shown_bytes(bytes), shown_bytes(plan_.slice_bytes), plan_.per_gpu,
               plan_.gpus == 1 ? "one GPU" : fmt::format("each of {} GPUs", plan_.gpus));
    std::fflush(stdout);
  }

  /// Runs the method as often as requested. \return the median of the times, in seconds
  double median_of(slice_source& source, const lane_plan& plan, stages what) {
    std::vector<double> seconds;
    for (int k = 0; k < (args_.compare ? args_.timed_runs() : 1); ++k) {
      const lanes_result r = run_lanes(source, how_, plan, what, progress_of(source.size_bytes()));
      seconds.push_back(r.seconds);
      if (what == stages::fetching || !plan.sums) continue;
      sum_ = r.sum;
      gpu_bytes_ = r.gpu_bytes;
      slices_ = r.slices;
    }
    return median(seconds);
  }

  static std::function<void(std::size_t)> progress_of(std::size_t all) {
    if (!host::is_terminal(STDERR_FILENO)) return {};
    return [all](std::size_t done) {
      fmt::print(stderr, "\r{:.1f} of {:.1f} GB\r", static_cast<double>(done) / giga, static_cast<double>(all) / giga);
      std::fflush(stderr);
    };
  }

  int end(host::json_file& record, const std::string& command, const speeds& all, bool right) const {
    fmt::print("{} slices, {} of memory on a GPU at most.\n", slices_, shown_bytes(gpu_bytes_));
    fmt::print("The sum is {}{}.\n", how_.text(sum_), right ? "" : ": that is WRONG");
    return end_of(args_, record, command, right,
                  {{"slice_bytes", plan_.slice_bytes},
                   {"lanes", plan_.per_gpu},
                   {"gpus", plan_.gpus},
                   {"gpu_bytes", gpu_bytes_},
                   {"sum", how_.text(sum_)},
                   {"results", all.rows()}});
  }

  const arguments& args_;
  const summing how_;
  lane_plan plan_;
  sum_bytes sum_;
  std::size_t gpu_bytes_ = 0, slices_ = 0;
};

int run_resident(const arguments& args, unsigned gpus, const std::string& command) {
  const std::size_t count = args.count.value_or(std::size_t{1} << (on_gpu() ? 31 : 20));
  host::json_file record(args.json);
  fmt::print("Sum of {} {}s in the memory of each GPU\n\n", count, name_of(args.type));
  const std::vector<resident_sum> rows = sum_resident(args.type, count, gpus, args.seed, args.timed_runs());
  nlohmann::json results = nlohmann::json::array();
  bool right = true;
  fmt::print("{}", text_of(rows, summing_of(args.type).element_bytes));
  for (const resident_sum& r : rows) {
    right = right && r.right;
    results.push_back({{"gpus", r.gpus}, {"right", r.right}, {"microseconds", r.microseconds}});
  }
  return end_of(args, record, command, right, {{"count", count}, {"results", results}});
}

int run(const arguments& args, const std::string& command) {
  if (!args.file.empty() && (args.count || args.resident))
    throw host::usage_error("a file says itself how much there is: give it without --count and --resident");
  if (args.resident && (args.slice || args.lanes || args.compare))
    throw host::usage_error("data that is already on a GPU has no slices: leave out --slice, --lanes and --compare");
  if (args.repetitions && !args.compare && !args.resident)
    throw host::usage_error("--repetitions is how often to time: give --compare or --resident, or leave it out");
  if (args.uncached && args.file.empty()) throw host::usage_error("--uncached is about a file: give one");
  if (!args.file.empty())
    file_slices(args.file, summing_of(args.type).element_bytes, false);  // finds wrong files before a device starts
  const unsigned gpus = choose_device(args);
  if (args.compare && !on_gpu()) throw host::usage_error("the emulator has no times to --compare: leave that out");
  return args.resident ? run_resident(args, gpus, command) : streamed_sum(args, gpus).run(command);
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{
      "Sums more than a GPU holds: a file, or the host's memory, slice by slice; or an input in the memories of "
      "several GPUs",
      "large_sum"};
  app.add_option("file", args.file, "Binary file of numbers in this machine's format (default: made-up numbers)")
      .check(a_file_name());
  app.add_option("--type", args.type, "Type of the numbers (int)").transform(a_type());
  app.add_option("--count", args.count, "Number of made-up numbers; with --resident, per GPU").transform(a_count());
  app.add_flag("--resident", args.resident, "Keep the numbers in the GPUs' memories");
  app.add_option("--slice", args.slice, "Bytes of a slice, such as 64Mi (GPU: 16Mi, emulator: 1Mi)")
      .transform(a_slice());
  app.add_option("--lanes", args.lanes, "Slices in flight at a time on each GPU").check(host::number_from(1, 64));
  app.add_option("--gpus", args.gpus, "Number of GPUs (default: all, at most 8; 1 on the emulator)")
      .check(host::number_from(1, max_members));
  app.add_option("--device", args.device, "gpu or emulator (default: a GPU if there is one)").transform(a_device());
  app.add_option("--seed", args.seed, "Seed of the made-up numbers (1)")
      .check(host::number_from(0, 999999999999999999ull));
  app.add_flag("--compare", args.compare, "Also time reading alone, copying alone, and other methods");
  app.add_flag("--uncached", args.uncached, "Ask the system to forget the file before each pass");
  app.add_option("--repetitions", args.repetitions, "Timed runs with --compare and --resident (3)")
      .check(repetitions_from(1));
  app.add_option("--json", args.json, "File for the results").check(a_file_name());
  app.add_option("--commit", args.commit, "Commit that the program was built from, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("large_sum", argc, argv)); });
}
