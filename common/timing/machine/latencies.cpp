// Measures the latency of operations that depend on the previous one, and the cost of many atomics at once. The
// superoptimiser's table of latencies is made from these measurements.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <type_traits>

#include "machine_code/superopt/evaluate.hpp"
#include "machine_code/superopt/latency.hpp"
#include "reductions/launch.cuh"
#include "timing/machine/kernels/memory.hpp"
#include "timing/machine/parts.hpp"
#include "workbook/sweeps.hpp"

namespace workbook::machine {
namespace {

constexpr std::size_t line_bytes = 128;

/// Returns a random permutation of `count` places that is a single cycle (Sattolo), so that a walk visits every place.
std::vector<std::uint32_t> one_cycle(unsigned count) {
  std::vector<std::uint32_t> next(count);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937 random(1);
  for (unsigned k = count; k-- > 1;) std::swap(next[k], next[random() % k]);
  return next;
}

/// Returns the permutation that leads from each place to the next one in memory.
std::vector<std::uint32_t> in_order(unsigned count) {
  std::vector<std::uint32_t> next(count);
  std::iota(next.begin(), next.end(), 1u);
  next.back() = 0;
  return next;
}

/// An array whose places hold the path of a walk.
class walkway {
 public:
  /// \param stride  bytes from one place to the next
  walkway(std::size_t bytes, std::size_t stride, std::vector<std::uint32_t> next)
      : next_(std::move(next)), stride_(stride), places_(bytes), result_(2 * sizeof(std::uint64_t)) {
    const device_bytes links(next_.size() * sizeof(std::uint32_t));
    check(cudaMemcpy(links.data(), next_.data(), links.size_bytes(), cudaMemcpyHostToDevice));
    check(cudaMemset(places_.data(), 0, places_.size_bytes()));
    link_places(places_.data(), stride_, reinterpret_cast<const std::uint32_t*>(links.data()), count());
    check(cudaDeviceSynchronize());
  }
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(next_.size()); }

  /// Reads the whole array, so that L2 contains as much of it as fits, and walks.
  void run(unsigned warm_up, unsigned steps) const {
    read_everything(places_.data(), places_.size_bytes() / 16, reinterpret_cast<std::uint32_t*>(result_.data()));
    walk(places_.data(), warm_up, steps, reinterpret_cast<std::uint64_t*>(result_.data()));
  }
  /// Returns the cycles of the last walk.
  [[nodiscard]] double cycles() const { return static_cast<double>(result(0)); }
  /// Returns true if the last walk, of `steps` steps in all, ended at the right place.
  [[nodiscard]] bool right(unsigned steps) const {
    std::uint32_t at = 0;
    for (unsigned k = 0; k < steps; ++k) at = next_[at];
    return result(1) == reinterpret_cast<std::uint64_t>(places_.data() + stride_ * at);
  }

 private:
  [[nodiscard]] std::uint64_t result(unsigned k) const {
    std::uint64_t words[2] = {};
    check(cudaMemcpy(words, result_.data(), sizeof words, cudaMemcpyDeviceToHost));
    return words[k];
  }

  std::vector<std::uint32_t> next_;
  std::size_t stride_;
  device_bytes places_, result_;
};

/// Measures the time per step of the walk.
nlohmann::json measure_walk(bench& b, const walkway& way) {
  // L1 is empty when a kernel begins. The warm-up fills it with the array, if the array fits.
  const unsigned warm_up = std::min(way.count(), 4096u), steps = b.size(1u << 14, 64u);
  // Uses the time of the additional steps, so that reading the array, the launch and the warm-up cancel.
  const double once = b.microseconds([&] { way.run(warm_up, steps); }, start::warm);
  const double cycles = b.timed() ? way.cycles() / steps : NAN;
  const double twice = b.microseconds([&] { way.run(warm_up, 2 * steps); }, start::warm);
  b.expect(way.right(warm_up + 2 * steps), fmt::format("a walk of {} places ends elsewhere", way.count()));
  const double ns = 1e3 * (twice - once) / steps;
  b.say(" {:>8.1f} ns {:>8.1f} cycles\n", ns, cycles);
  return {{"ns", ns}, {"cycles", cycles}};
}

/// Measures loads from neighbouring places of an array that no cache holds. A place that has arrived together with an
/// earlier one needs no wait.
nlohmann::json measure_neighbours(bench& b, std::size_t bytes) {
  b.say("  The same in order, through memory in steps of\n");
  nlohmann::json rows = nlohmann::json::array();
  for (const std::size_t stride : {8u, 16u, 32u, 64u, 128u, 256u}) {
    b.say("  {:>12} bytes", stride);
    // At most as many places as a walk visits, in an array that is larger than any cache.
    const unsigned places = static_cast<unsigned>(std::min<std::size_t>(bytes / stride, 1u << 16));
    nlohmann::json row = measure_walk(b, walkway(bytes, stride, in_order(places)));
    row["stride_bytes"] = stride;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Measures loads through arrays of 8 KiB to 1 GiB. One row per level of memory is also recorded as l1, l2 or dram.
nlohmann::json measure_loads(bench& b) {
  b.say("  A load that depends on the one before it, through an array of\n");
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  const std::size_t most = std::min(b.size(std::size_t{1} << 30, std::size_t{1} << 14), free_bytes / 4);
  // The largest power of two of at most a quarter of L2.
  std::size_t in_l2 = 1;
  while (2 * in_l2 <= l2_cache_bytes() / 4) in_l2 *= 2;
  nlohmann::json j = {{"walks", nlohmann::json::array()}};
  for (std::size_t bytes = 8192; bytes <= most; bytes *= 2) {
    b.say("  {:>12} bytes", bytes);
    nlohmann::json row =
        measure_walk(b, walkway(bytes, line_bytes, one_cycle(static_cast<unsigned>(bytes / line_bytes))));
    row["bytes"] = bytes;
    j["walks"].push_back(row);
    if (bytes == 16384) j["l1"] = row;
    if (bytes == in_l2) j["l2"] = row;
    j["dram"] = row;
  }
  j["neighbours"] = measure_neighbours(b, most);
  if (!b.timed()) return j;
  j["clock_ghz"] = j["l2"]["cycles"].get<double>() / j["l2"]["ns"].get<double>();
  b.say("  From cycles and nanoseconds of L2: a clock of {:.3f} GHz.\n", j["clock_ghz"].get<double>());
  return j;
}

nlohmann::json measure_barriers(bench& b) {
  b.say("  __syncthreads in a block of\n");
  nlohmann::json rows = nlohmann::json::array();
  for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const clocked_kernel k = barriers(warps);
    const double cycles = cycles_of_step(b, k);
    // Two iterations of two repetitions each, and two more barriers in each iteration.
    b.expect(b.timed() || b.counted("workbook__barriers.sum") == 4 * k.steps + 4, "the barriers are not all there");
    b.say("  {:>12} warps {:>8.1f} cycles\n", warps, cycles);
    rows.push_back({{"warps", warps}, {"cycles", cycles}});
  }
  return rows;
}

struct atomic_case {
  const char* name;
  const char* words;
  atomic_pattern where;
};

constexpr atomic_case atomic_cases[] = {{"one_word", "all threads, one word", {32, 0, 0}},
                                        {"one_lane_one_word", "one lane per warp, one word", {1, 0, 0}},
                                        {"word_per_warp", "all threads, a word per warp, 128 bytes apart", {32, 0, 32}},
                                        {"word_per_thread", "all threads, a word each", {32, 1, 32}}};

/// Measures atomic additions by a resident grid. \tparam T  int or float
template <typename T>
nlohmann::json measure_additions(bench& b, const atomic_case& c) {
  const char* const type = std::is_same_v<T, int> ? "int" : "float";
  constexpr unsigned block_size = 512;
  const auto multiprocessors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const auto threads = static_cast<unsigned>(device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  const unsigned grid_size = b.size(multiprocessors * (threads / block_size), 2u), warps = grid_size * block_size / 32;
  const unsigned additions = b.size(32u, 2u);
  const device_bytes words(std::size_t{warps} * 32 * sizeof(T));
  check(cudaMemset(words.data(), 0, words.size_bytes()));
  auto* const first = reinterpret_cast<T*>(words.data());
  const double us =
      b.microseconds([&] { add_to_words(first, c.where, additions, grid_size, block_size); }, start::warm);
  const double count = static_cast<double>(warps) * c.where.adding_lanes * additions;
  if (!b.timed()) {
    std::vector<T> sums(words.size_bytes() / sizeof(T));
    check(cudaMemcpy(sums.data(), first, words.size_bytes(), cudaMemcpyDeviceToHost));
    b.expect(std::accumulate(sums.begin(), sums.end(), 0.0) == count, "an addition is lost");
  }
  const double ns = 1e3 * us / count;
  const double per_ns = 1 / (ns * multiprocessors);
  b.say("  {:>5}, {:<45} {:>8.4f} ns each, {:>8.4f} per ns and multiprocessor\n", type, c.words, ns, per_ns);
  return {{"type", type}, {"pattern", c.name},   {"threads", grid_size * block_size},  {"additions", count},
          {"us", us},     {"ns_per_atomic", ns}, {"per_ns_and_multiprocessor", per_ns}};
}

nlohmann::json measure_atomics(bench& b) {
  b.say("  Atomic additions to global memory by a grid that fits at once\n");
  nlohmann::json rows = nlohmann::json::array();
  for (const atomic_case& c : atomic_cases) rows.push_back(measure_additions<int>(b, c));
  for (const atomic_case& c : atomic_cases) rows.push_back(measure_additions<float>(b, c));
  return rows;
}

/// Returns true if lane 0 has the same value as on the host after all steps of the sequence. On the host, each step
/// runs the program of a target.
bool right(const clocked_kernel& k) {
  constexpr unsigned count = 3;
  const unsigned got = run_clocked(k, count).values[0];
  std::array<std::uint32_t, 32> a{}, b{}, c{};
  for (unsigned l = 0; l < 32; ++l) a[l] = l + 1, b[l] = (l ^ 1) + 1, c[l] = (l ^ 2) + 1;
  const bool redux = k.name == "redux";
  const superopt::target t = superopt::load_target(redux ? "sum32_all" : k.name);
  for (unsigned step = 0; step < 2 * count * k.steps; ++step) {
    const auto next = superopt::run(t.code, t, {a}, t.outputs[0].reg);
    c = b;
    b = a;
    a = next;
  }
  return got == a[0] + b[0] + c[0];
}

bool can_run(const clocked_kernel& k) {
  return !k.needs_80 || device_attribute(cudaDevAttrComputeCapabilityMajor) >= 8;
}

/// Measures the sequences, and compares each with the prediction of the model that uses `table`.
nlohmann::json measure_sequences(bench& b, const nlohmann::json& table) {
  const superopt::cost_table model = superopt::parse_cost_table(table, "measured");
  nlohmann::json sequences = nlohmann::json::array();
  for (const clocked_kernel& k : whole_sequences()) {
    if (!can_run(k)) continue;
    const double cycles = cycles_of_step(b, k);
    double modelled = model.latency[static_cast<std::size_t>(superopt::family::redux)];
    if (k.name != "redux") {
      const superopt::target t = superopt::load_target(k.name);
      modelled = superopt::cycles_of(t.code, t, model);
    }
    b.say("  {:<12} {:>7.2f} cycles, by the model {}\n", k.name, cycles, modelled);
    sequences.push_back({{"name", k.name}, {"measured_cycles", cycles}, {"modelled_cycles", modelled}});
  }
  return sequences;
}

/// Returns the cycles of dependent instructions of one warp, by their names in a cost table; NaN on the emulator.
std::map<std::string, double> measure_chains(bench& b) {
  std::map<std::string, double> measured;
  for (const clocked_kernel& k : single_instructions()) {
    if (!can_run(k)) continue;
    measured[k.name] = cycles_of_step(b, k) - (k.subtract.empty() ? 0 : measured[k.subtract]);
    b.say("  {:<12} {:>7.2f} cycles\n", k.name, measured[k.name]);
  }
  return measured;
}

/// Returns the cost table, without name and provenance. It contains the cycles of the chains and, for each sequence,
/// the measurement and the model's prediction. On the emulator, compares each sequence's result with the host's
/// instead.
nlohmann::json make_cost_table(bench& b, const std::map<std::string, double>& chains) {
  bool good = true;
  for (const clocked_kernel& k : whole_sequences()) {
    if (!can_run(k)) continue;
    const bool fine = right(k);
    good = good && fine;
    b.expect(fine, k.name + ": the sum differs from the host's");
  }
  b.take_findings();
  if (!b.timed()) return {{"schema", 1}, {"right", good}, {"instructions", nlohmann::json::object()}};
  nlohmann::json table = {{"schema", 1}, {"issue_width", 1}};
  for (const auto& [name, cycles] : chains) {
    const nlohmann::json entry = {{"measured_cycles", cycles},
                                  {"latency", std::max(1, static_cast<int>(std::lround(cycles)))},
                                  {"source", "a chain of dependent instructions of one warp, by clock64"}};
    if (name == "LDS") {
      // The superoptimiser has no loads from memory; this number is for the lesson.
      table["shared_load"] = entry;
    } else {
      table["instructions"][name] = entry;
    }
  }
  for (const auto& [name, like] : {std::pair{"IADD", "IADD3"}, {"SEL", "LOP3"}, {"MOV", "LOP3"}}) {
    table["instructions"][name] = {{"latency", table["instructions"][like]["latency"]},
                                   {"source", fmt::format("taken to be as {}; not measured", like)}};
  }
  table["sequences"] = measure_sequences(b, table);
  return table;
}

}  // namespace

nlohmann::json measure_latencies(bench& b, nlohmann::json& cost_table) {
  b.heading("latencies");
  nlohmann::json j = measure_loads(b);
  const double shared = cycles_of_step(b, dependent_shared_loads(1));
  b.say("  {:>12} {:>25.1f} cycles\n", "shared", shared);
  j["shared_cycles"] = shared;
  j["barriers"] = measure_barriers(b);
  b.say("  Dependent instructions of one warp\n");
  const std::map<std::string, double> chains = measure_chains(b);
  for (const auto& [name, cycles] : chains) j["chains"][name] = cycles;
  cost_table = make_cost_table(b, chains);
  if (cost_table.contains("sequences")) j["sequences"] = cost_table["sequences"];
  j["atomics"] = measure_atomics(b);
  return j;
}

}  // namespace workbook::machine
