// Measures the gain from more GPUs. On 1, 2, 4 … GPUs, it measures sums of inputs in their memories, all methods of
// chapter 16 at many lengths of vectors, several ways to call an all-reduce of short vectors, and the bytes that every
// method sends through each GPU's port. On the emulator, every method runs at a few small lengths, and the only times
// are those that the model predicts from a record of links. Exit status: 0 all was right; 1 a wrong sum or a finding; 2
// bad usage; 3 a failure of the device.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "16_many_gpus/large_sum/resident.hpp"
#include "16_many_gpus/large_sum/summing.hpp"
#include "16_many_gpus/members.cuh"
#include "16_many_gpus/rows_of_some_machines.hpp"
#include "16_many_gpus/scaling/race.hpp"
#include "emulator/emulator.hpp"
#include "emulator/links.hpp"
#include "host/command_line.hpp"
#include "host/memory.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/guarded.hpp"

namespace {

using namespace chapter16;
using namespace workbook;

enum class part { sums, all_reduce, short_calls, traffic };
const std::vector<std::pair<std::string, part>> part_names = {{"sums", part::sums},
                                                              {"all_reduce", part::all_reduce},
                                                              {"short_calls", part::short_calls},
                                                              {"traffic", part::traffic}};

struct arguments {
  std::optional<emulator::device_kind> device;
  std::optional<unsigned> gpus;
  std::vector<part> parts;
  std::optional<std::size_t> count;
  std::vector<std::size_t> bytes;
  std::uint64_t seed = 1;
  int repetitions = 11;
  std::string links, json, commit = "unknown", predict_again;
  [[nodiscard]] bool wants(part which) const {
    return parts.empty() || std::find(parts.begin(), parts.end(), which) != parts.end();
  }
};

constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 32;

/// Accepts the size of a vector of floats in bytes.
host::word_rule a_length() {
  return host::a_number_that(
      [](std::uint64_t bytes) { return bytes != 0 && bytes % sizeof(float) == 0 && bytes <= largest_bytes; },
      "the length of a vector of floats; give a multiple of 4 up to 2^32, such as 4096, 2^20 or 4Mi", "BYTES");
}

/// Returns 1, 2, 4 … up to `most`, and `most` itself if it isn't a power of two.
std::vector<unsigned> doubling_to(unsigned most) {
  std::vector<unsigned> all;
  for (unsigned g = 1; g < most; g *= 2) all.push_back(g);
  all.push_back(most);
  return all;
}

std::string shown(const std::optional<double>& us) {
  return us ? fmt::format("{:.1f}", *us) : "-";
}

std::string_view verdict(bool took_part, bool right) {
  return right ? "yes" : took_part ? "NO" : "cannot";
}

nlohmann::json as_json(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// Prints and records results, and remembers if all were right.
class report {
 public:
  /// \param save  is called on a GPU after each row: a run takes
  /// minutes, and its results should be kept if it ends early
  explicit report(std::function<void(const report&)> save) : save_(std::move(save)) {}

  void sums(const arguments& args, unsigned gpus) {
    const bool gpu = on_gpu();
    const std::size_t count = args.count.value_or(std::size_t{1} << (gpu ? 31 : 16));
    for (const growth with : {growth::of_input, growth::of_none}) {
      const bool weak = with == growth::of_input;
      fmt::print("Sum of {} ints {}\n\n", count, weak ? "in the memory of each GPU" : "in all, shared out");
      const std::vector<resident_sum> rows =
          sum_resident(element_type::int32, count, gpus, args.seed, args.repetitions, with);
      fmt::print("{}\n", text_of(rows, sizeof(int)));
      for (const resident_sum& r : rows) {
        right_ = right_ && r.right;
        sums_.push_back({{"input", weak ? "for each GPU" : "shared out"},
                         {"gpus", r.gpus},
                         {"count_per_gpu", r.count},
                         {"right", r.right},
                         {"microseconds", gpu ? nlohmann::json(r.microseconds) : nlohmann::json(nullptr)}});
      }
      save_(*this);
    }
  }

  void all_reduce(const race_plan& plan, const model::links& links, unsigned gpus) {
    fmt::print("All-reduce of floats on {} GPUs: microseconds; predicted* from the links of an {}\n\n", gpus,
               links.name);
    fmt::print("{:>10}  {:<30} {:<6} {:>12} {:>11} {:>10} {:>10}\n", "bytes", "way", "right?", "further call",
               "predicted*", "one call", "by host");
    race_all_reduce(plan, links, gpus, [&](const race_row& r) { add(r); });
    fmt::print("\n");
  }

  void short_calls(const race_plan& plan, unsigned gpus) {
    fmt::print("Short all-reduces of floats on {} GPUs by how they are called: microseconds\n  {}\n  {}\n\n", gpus,
               words_for_further(), words_for_alone());
    fmt::print("{:>6}  {:<16} {:<44} {:<6} {:>12} {:>8} {:>8} {:>8}\n", "", "", "", "", "", "", "times as", "fast as");
    fmt::print("{:>6}  {:<16} {:<44} {:<6} {:>12} {:>8} {:>8} {:>8}\n", "bytes", "way", "called", "right?",
               "further call", "alone", "NCCL:", "alone");
    race_short_calls(plan, gpus, [&](const short_row& r) { add(r); });
    fmt::print("\n");
  }

  void traffic(const race_plan& plan, unsigned gpus) {
    fmt::print("All-reduce of floats on {} GPUs: vectors that each GPU sends and receives\n\n", gpus);
    const std::size_t width = 7 * std::size_t{gpus};
    fmt::print("{:>10}  {:<30} {:<6} {:<{}} {}\n", "bytes", "way", "right?", " sent by GPU 0, 1 ...", width,
               " received");
    try {
      counted_by_ = count_traffic(plan, gpus, [&](const traffic_row& r) { add(r); });
    } catch (const device_error&) {
      throw;
    } catch (const std::runtime_error& e) {
      counted_by_ = std::string("nothing: ") + e.what();
    }
    fmt::print("\nCounted by {}\n\n", counted_by_);
  }

  void write(host::json_file& file, const nlohmann::json& provenance, unsigned gpus, const model::links& links) const {
    file.write({{"schema", 1},
                {"provenance", provenance},
                {"gpus", gpus},
                {"links_of", links.name},
                {"sums", sums_},
                {"all_reduce", all_reduce_},
                {"short_calls_measure", {{"further_us", words_for_further()}, {"alone_us", words_for_alone()}}},
                {"short_calls", short_calls_},
                {"traffic_counted_by", counted_by_},
                {"traffic", traffic_}},
               1);
  }
  [[nodiscard]] bool all_right() const { return right_; }

 private:
  /// Returns the row of a record: the results that every race has, and `more`.
  nlohmann::json told(const raced& r, nlohmann::json more) {
    std::fflush(stdout);
    right_ = right_ && (r.right || !r.took_part);
    more["gpus"] = r.gpus;
    more["bytes"] = r.bytes;
    more["way"] = r.way;
    more["right"] = r.took_part ? nlohmann::json(r.right) : nlohmann::json(nullptr);
    return more;
  }

  void add(const race_row& r) {
    fmt::print("{:>10}  {:<30} {:<6} {:>12} {:>11} {:>10} {:>10}{}\n", r.bytes, r.way, verdict(r.took_part, r.right),
               shown(r.further_us), shown(r.predicted_us), shown(r.queued_us), shown(r.host_us),
               r.why_not.empty() ? "" : "  " + r.why_not);
    all_reduce_.push_back(told(r, {{"further_us", as_json(r.further_us)},
                                   {"queued_us", as_json(r.queued_us)},
                                   {"host_us", as_json(r.host_us)},
                                   {"predicted_us", as_json(r.predicted_us)}}));
    save_(*this);
  }

  void add(const short_row& r) {
    const auto ratio = [](const std::optional<double>& x) { return x ? fmt::format("{:.2f}", *x) : "-"; };
    fmt::print("{:>6}  {:<16} {:<44} {:<6} {:>12} {:>8} {:>8} {:>8}{}\n", r.bytes, r.way, r.called,
               verdict(r.took_part, r.right), ratio(r.further_us), ratio(r.alone_us), ratio(r.further_over_nccl),
               ratio(r.alone_over_nccl), r.why_not.empty() ? "" : "  " + r.why_not);
    short_calls_.push_back(told(r, {{"called", r.called},
                                    {"why_not", r.why_not},
                                    {"further_us", as_json(r.further_us)},
                                    {"alone_us", as_json(r.alone_us)},
                                    {"further_over_nccl", as_json(r.further_over_nccl)},
                                    {"alone_over_nccl", as_json(r.alone_over_nccl)},
                                    {"late_rounds", r.late_rounds}}));
    save_(*this);
  }

  void add(const traffic_row& r) {
    const auto in_vectors = [&](const std::vector<double>& bytes) {
      std::string text;
      for (const double one : bytes) text += fmt::format("{:>7.3f}", one / static_cast<double>(r.bytes));
      return text;
    };
    fmt::print("{:>10}  {:<30} {:<6} {} {}{}\n", r.bytes, r.way, verdict(r.took_part, r.right), in_vectors(r.sent),
               in_vectors(r.received), r.why_not);
    traffic_.push_back(told(r, {{"calls", r.calls}, {"sent_bytes", r.sent}, {"received_bytes", r.received}}));
    save_(*this);
  }

  std::function<void(const report&)> save_;
  bool right_ = true;
  std::string counted_by_;
  nlohmann::json sums_ = nlohmann::json::array(), all_reduce_ = nlohmann::json::array(),
                 short_calls_ = nlohmann::json::array(), traffic_ = nlohmann::json::array();
};

unsigned choose_device(const arguments& args) {
  const bool gpu = args.device ? *args.device == emulator::device_kind::gpu : emulator::gpu_available();
  if (!gpu) emulator::set_devices(static_cast<int>(args.gpus.value_or(2)));
  emulator::select_device(gpu ? emulator::device_kind::gpu : emulator::device_kind::emulator);
  int there = 1;
  check(cudaGetDeviceCount(&there));
  if (args.gpus && *args.gpus > static_cast<unsigned>(there))
    throw host::usage_error(fmt::format("--gpus {}: this machine has {}", *args.gpus, there));
  return args.gpus.value_or(std::min(static_cast<unsigned>(there), max_members));
}

model::links links_of(const arguments& args) {
  return model::read_links(args.links.empty() ? model::known_links() : args.links);
}

race_plan plan_of(const arguments& args) {
  race_plan plan{.bytes = args.bytes, .seed = args.seed, .repetitions = args.repetitions};
  // For the vectors of every method, the host's vectors, and the notes of the checks.
  constexpr std::size_t copies = 40;
  for (const std::size_t bytes : args.bytes) {
    if (!on_gpu() && bytes * copies > host::available_memory())
      throw host::usage_error(
          fmt::format("--bytes {}: that takes {:.0f} GB of the host's memory here, and {:.0f} are left", bytes,
                      static_cast<double>(bytes * copies) / 1e9, static_cast<double>(host::available_memory()) / 1e9));
  }
  if (plan.bytes.empty() && on_gpu())
    // Sizes grow by a factor of eight at first, and later of four, up to 1 GiB.
    plan.bytes = {
        8,        64,       512,      4096,    std::size_t{1} << 15, std::size_t{1} << 16, 1u << 18, 1u << 20, 1u << 22,
        1u << 24, 1u << 26, 1u << 28, 1u << 30};
  else if (plan.bytes.empty())
    plan.bytes = {8, 4096, std::size_t{1} << 17};
  return plan;
}

race_plan short_plan_of(const arguments& args) {
  race_plan plan{.bytes = args.bytes, .seed = args.seed, .repetitions = args.repetitions};
  std::erase_if(plan.bytes, [](std::size_t bytes) { return bytes > max_mailed_bytes; });
  if (args.bytes.empty() && on_gpu())
    plan.bytes = {8, 64, 512, 4096};
  else if (args.bytes.empty())
    plan.bytes = {8, 516};
  return plan;
}

race_plan traffic_plan_of(const arguments& args) {
  race_plan plan{.bytes = args.bytes, .seed = args.seed};
  // One size for mailboxes, and one for shares.
  if (plan.bytes.empty()) plan.bytes = {max_mailed_bytes, on_gpu() ? std::size_t{1} << 26 : std::size_t{1} << 18};
  return plan;
}

/// Writes a record again, with the current model's predictions. Nothing is measured.
int predict_again(const arguments& args, host::json_file& file) {
  std::ifstream in(args.predict_again);
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    throw host::usage_error(
        fmt::format("--predict-again {}: there is no such file, or nothing in it", args.predict_again));
  nlohmann::json record = nlohmann::json::parse(in, nullptr, false);
  const auto is_row = [](const nlohmann::json& row) {
    const auto number = [&](const char* key, std::uint64_t least, std::uint64_t most) {
      return row.contains(key) && row[key].is_number_unsigned() && row[key] >= least && row[key] <= most;
    };
    return row.is_object() && row.contains("way") && row["way"].is_string() && number("gpus", 2, max_members) &&
           number("bytes", 1, largest_bytes);
  };
  if (!record.is_object() || !record.contains("all_reduce") || !record["all_reduce"].is_array() ||
      !std::all_of(record["all_reduce"].begin(), record["all_reduce"].end(), is_row))
    throw host::usage_error(fmt::format("--predict-again {}: that isn't a record of this program", args.predict_again));
  const model::links links = links_of(args);
  record["links_of"] = links.name;
  for (nlohmann::json& row : record["all_reduce"])
    row["predicted_us"] = as_json(predicted_all_reduce_us(links, row.at("way"), row.at("gpus"), row.at("bytes")));
  file.write(record, 1);
  return 0;
}

int run(const arguments& args, const std::string& command) {
  if (!args.predict_again.empty() && args.json.empty())
    throw host::usage_error("--predict-again: say with --json where to write the record");
  std::error_code not_there;
  if (!args.json.empty() && !args.links.empty() && std::filesystem::equivalent(args.json, args.links, not_there))
    throw host::usage_error(fmt::format("--json {}: that is the record of links, which would be lost", args.json));
  host::json_file record(args.json);
  if (!args.predict_again.empty()) return predict_again(args, record);
  const unsigned gpus = choose_device(args);
  const race_plan plan = plan_of(args);
  const model::links links = links_of(args);
  const nlohmann::json source =
      args.json.empty() ? nlohmann::json() : provenance_of(read_device_facts(), command, args.commit, args.repetitions);
  report all([&](const report& so_far) {
    if (!on_gpu() || args.json.empty() || record.is_standard_output()) return;
    host::json_file unfinished(args.json);
    so_far.write(unfinished, source, gpus, links);
  });
  if (args.wants(part::sums)) all.sums(args, gpus);
  for (const unsigned members : doubling_to(gpus)) {
    if (args.wants(part::short_calls) && members > 1) all.short_calls(short_plan_of(args), members);
  }
  if (args.wants(part::traffic) && gpus > 1) all.traffic(traffic_plan_of(args), gpus);
  if (args.wants(part::all_reduce)) {
    if (gpus < 2) fmt::print("There is one GPU: no all-reduce.\n");
    // This takes longest, so it comes last, with the largest groups first: less is lost if the run is stopped.
    std::vector<unsigned> groups = doubling_to(gpus);
    std::reverse(groups.begin(), groups.end());
    for (const unsigned members : groups) {
      if (members > 1) all.all_reduce(plan, links, members);
    }
  }
  all.write(record, source, gpus, links);
  return all.all_right() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{"What more GPUs bring to a sum and to an all-reduce", "scaling"};
  app.add_option("--parts", args.parts, "Parts to measure, separated by commas (default: everything)")
      .delimiter(',')
      .transform(one_of("part", part_names));
  app.add_option("--gpus", args.gpus,
                 "Largest number of GPUs; 1, 2, 4 … are measured, too (default: all, at most 8; 2 on the emulator)")
      .check(host::number_from(1, max_members));
  app.add_option("--device", args.device, "gpu or emulator (default: a GPU if there is one)").transform(a_device());
  app.add_option("--count", args.count, "Ints to sum, on each GPU or in all (2^31; emulator: 2^16)")
      .transform(a_count());
  app.add_option("--bytes", args.bytes, "Lengths of the vectors, multiples of 4, separated by commas")
      .delimiter(',')
      .transform(a_length());
  app.add_option("--links", args.links, "Record of `make machine ARGS=\"--parts links\"`, for the predicted times")
      .check(a_file_name());
  app.add_option("--seed", args.seed, "Seed of the numbers (1)").check(host::number_from(0, 999999999999999999ull));
  app.add_option("--repetitions", args.repetitions, "Timed rounds (11)").check(repetitions_from(1));
  app.add_option("--json", args.json, "File for the results").check(a_file_name());
  app.add_option("--commit", args.commit, "Commit that the program was built from, for the record");
  app.add_option("--predict-again", args.predict_again,
                 "Measure nothing, but take this record and predict its times again")
      .check(a_file_name())
      .excludes({"--parts", "--gpus", "--device", "--count", "--bytes", "--repetitions"});
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("scaling", argc, argv)); });
}
