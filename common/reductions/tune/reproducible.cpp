// Checks that a thousand launches of the reproducible sum, in different shapes, have the same bits as the host's sum,
// and compares its time with that of the plain sum and of CUB's sums. On the emulator, only checks, in fewer shapes.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "reductions/tune/binned.hpp"
#include "reductions/tune/race.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/measure.hpp"

namespace {

using namespace workbook;

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<std::size_t> counts;
  std::string json, commit = "unknown";
  int repetitions = 21;
  bool checks_only = false;
};

constexpr struct {
  summed_input kind;
  const char* name;
} kinds[] = {{summed_input::even, "even"}, {summed_input::wide, "wide"}, {summed_input::tiny, "tiny"}};

/// Returns a number of at least `from` that has no factor in common with `n`, so that its multiples modulo `n` reach
/// every element once.
std::uint64_t step_through(std::size_t n, std::uint64_t from) {
  while (std::gcd(from, n) != 1) ++from;
  return from;
}

/// An input on the device, and memory for its sums.
class bench {
 public:
  bench(const summed_type& type, std::size_t most)
      : type_(type),
        in_((most + 16) * type.element_bytes),
        out_(8),
        parts_(5 * type.part_bytes),
        workspace_(type.workspace_bytes) {
    check(cudaMemset(workspace_.data(), 0, workspace_.size_bytes()));
  }
  /// Fills the input, which begins `offset` elements after an address that is a multiple of 256 bytes.
  void fill(const listed_input& what, std::size_t offset) {
    first_ = in_.data() + offset * type_.element_bytes;
    n_ = what.n;
    type_.fill(first_, what);
  }
  void plain() { type_.plain(first_, out_.data(), n_, workspace_.data()); }
  void cub(promise what) { type_.cub(what, first_, out_.data(), n_, cub_storage_.data(), cub_storage_.size_bytes()); }
  void sum(unsigned bins) { type_.sum(bins, first_, out_.data(), n_, workspace_.data()); }
  void sum_in_shape(const reduce_shape& shape) {
    (void)type_.sum_in_shape(shape, first_, out_.data(), n_, workspace_.data());
  }
  /// Poisons the result, calls `run`, and returns the result's bits.
  [[nodiscard]] std::uint64_t bits_after(const std::function<void()>& run) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_after(run, out_).data(), type_.element_bytes);
    return bits;
  }
  /// Sums the input in `count` parts of different sizes (1 to 5 parts), and returns the bits of the sum that the host
  /// merges from them.
  [[nodiscard]] std::uint64_t bits_of_parts(std::size_t count) {
    std::size_t from = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t to = k + 1 == count ? n_ : std::min(n_, from + n_ * (k + 1) / 16);
      type_.part(first_ + from * type_.element_bytes, parts_.data() + k * type_.part_bytes, to - from,
                 workspace_.data());
      from = to;
    }
    check(cudaGetLastError());
    std::vector<std::byte> parts(count * type_.part_bytes);
    check(cudaMemcpy(parts.data(), parts_.data(), parts.size(), cudaMemcpyDeviceToHost));
    return type_.merged(parts.data(), count);
  }

 private:
  const summed_type& type_;
  device_bytes in_, out_, parts_, workspace_;
  device_bytes cub_storage_{std::size_t{16} << 20};
  std::byte* first_ = nullptr;
  std::size_t n_ = 0;
};

/// The number of launches, and the number of those whose bits differ from the host's.
struct verdict {
  std::size_t launches = 0, wrong = 0;
  void add(bool equal, const std::function<std::string()>& what) {
    ++launches;
    if (equal) return;
    if (++wrong <= 10) fmt::print("OTHER BITS: {}\n", what());
  }
};

/// Sums the same elements in many launch shapes, in many orders, and from many starts.
verdict same_bits(const summed_type& type, bool on_gpu) {
  const std::vector<unsigned> grids =
      on_gpu ? std::vector<unsigned>{1, 2, 7, 64, 131, 264, 1000, 2000} : std::vector<unsigned>{1, 3, 10};
  const std::vector<unsigned> blocks =
      on_gpu ? std::vector<unsigned>{32, 64, 96, 128, 256, 512} : std::vector<unsigned>{32, 96, 256};
  const std::size_t offsets = on_gpu ? 4 : 2;
  const std::size_t n = on_gpu ? (std::size_t{1} << 22) + 5 : 10007;
  const unsigned max_blocks = max_blocks_per_multiprocessor * multiprocessor_count();
  verdict all;
  bench b(type, n);
  for (const auto& kind : kinds) {
    const std::uint64_t expected = type.on_host({kind.kind, n, 1});
    for (std::size_t offset = 0; offset < offsets; ++offset) {
      b.fill({kind.kind, n, step_through(n, offset == 0 ? 1 : n / (offset + 1))}, offset);
      for (const unsigned grid : grids) {
        for (const unsigned block : blocks) {
          for (const unsigned depth : {2u, 4u}) {
            const reduce_shape shape{std::min(grid, max_blocks), block, depth, false};
            const std::uint64_t bits = b.bits_after([&] { b.sum_in_shape(shape); });
            all.add(bits == expected, [&] {
              return fmt::format("{} {}s, order {}: {} blocks of {}, {} loads: {:x}, not {:x}", kind.name, type.name,
                                 offset, grid, block, depth, bits, expected);
            });
          }
        }
      }
      for (std::size_t parts = 1; parts <= 5; ++parts)
        all.add(b.bits_of_parts(parts) == expected,
                [&] { return fmt::format("{} {}s in {} parts", kind.name, type.name, parts); });
    }
    // Uses the launch shapes that the sum chooses itself.
    for (const std::size_t few : {0u, 1u, 3u, 33u, 1000u, 2050u, 4100u, 9999u}) {
      const listed_input what{kind.kind, few, 1};
      b.fill(what, 1);
      all.add(b.bits_after([&] { b.sum(3); }) == type.on_host(what),
              [&] { return fmt::format("{} {} {}s", few, kind.name, type.name); });
    }
  }
  return all;
}

/// Returns true if the sum of `n` elements is also timed with other numbers of bins and in other launch shapes.
bool in_detail(std::size_t n) {
  for (const unsigned power : {14u, 17u, 20u, 22u, 24u, 28u})
    if (n == std::size_t{1} << power) return true;
  return false;
}

void add_others(std::vector<contender>& all, bench& b) {
  for (const unsigned bins : {2u, 4u}) all.push_back({fmt::format("{} bins", bins), {}, [&b, bins] { b.sum(bins); }});
  for (const unsigned block : {128u, 256u, 512u}) {
    for (const unsigned per_multiprocessor : {1u, 2u, 4u, 8u}) {
      for (const unsigned depth : {2u, 4u}) {
        const reduce_shape shape{per_multiprocessor * multiprocessor_count(), block, depth, false};
        all.push_back({fmt::format("{} blocks of {} a multiprocessor, {} loads", per_multiprocessor, block, depth),
                       {},
                       [&b, shape] { b.sum_in_shape(shape); }});
      }
    }
  }
}

/// CUB's sums with each promise, and their names in the record.
constexpr struct {
  promise what;
  const char* name;
} cub_sums[] = {
    {promise::any_order, "any_order"}, {promise::same_order, "same_order"}, {promise::same_bits, "same_bits"}};

/// Times one input, with CUB's sums next to ours if the raced release has promises. \param others  true to time also
/// the contenders that add_others adds
nlohmann::json row_of(const summed_type& type, bench& b, std::size_t n, summed_input kind, const char* name,
                      stop_watch& watch, int repetitions, bool others) {
  b.fill({kind, n, 1}, 0);
  std::vector<contender> all = {{"workbook::reduce", {}, [&b] { b.plain(); }},
                                {"workbook::reproducible_sum", {}, [&b] { b.sum(3); }}};
  if (raced_cub_has_promises())
    for (const auto& s : cub_sums) all.push_back({s.name, {}, [&b, &s] { b.cub(s.what); }});
  const std::size_t ours_and_cub = all.size();
  if (others) add_others(all, b);
  race(all, watch, repetitions);
  const double plain = median(all[0].cold_us), ours = median(all[1].cold_us);
  fmt::print("{:<7} {:<5} {:>11}: plain {:>9.2f} us, reproducible {:>9.2f} us ({:.0f} GB/s): {:.3f} of its speed\n",
             type.name, name, n, plain, ours, static_cast<double>(n * type.element_bytes) / ours / 1e3, plain / ours);
  nlohmann::json row = {{"type", type.name},
                        {"count", n},
                        {"input", name},
                        {"plain", times_of(all[0])},
                        {"reproducible", times_of(all[1])}};
  for (std::size_t k = 2; k < ours_and_cub; ++k) {
    row["cub"][all[k].name] = times_of(all[k]);
    fmt::print("    CUB, {:<40} {:>9.2f} us\n", all[k].name, median(all[k].cold_us));
  }
  for (std::size_t k = ours_and_cub; k < all.size(); ++k) {
    row["others"].push_back(as_json(all[k]));
    fmt::print("    {:<45} {:>9.2f} us: {:.3f}\n", all[k].name, median(all[k].cold_us), plain / median(all[k].cold_us));
  }
  std::fflush(stdout);
  return row;
}

int run(const arguments& args, const std::string& command) {
  emulator::select_device(args.device);
  const bool on_gpu = args.device == emulator::device_kind::gpu;
  host::json_file json(args.json);
  const device_facts facts = read_device_facts();
  nlohmann::json checks = nlohmann::json::array(), rows = nlohmann::json::array();
  bool good = true;
  const std::vector<summed_type> types = summed_types();
  for (const summed_type& type : types) {
    const verdict v = same_bits(type, on_gpu);
    fmt::print("{}s: {} launches, {} with other bits than the host's\n", type.name, v.launches, v.wrong);
    std::fflush(stdout);
    checks.push_back({{"type", type.name}, {"launches", v.launches}, {"other_bits", v.wrong}});
    good = good && v.wrong == 0;
  }
  if (on_gpu && !args.checks_only) {
    stop_watch watch;
    for (const summed_type& type : types) {
      std::size_t free = 0, total = 0;
      check(cudaMemGetInfo(&free, &total));
      std::vector<std::size_t> counts;
      for (const std::size_t n : args.counts) {
        if (n * type.element_bytes < free - free / 16)
          counts.push_back(n);
        else
          fmt::print("left out: {} {}s do not fit into the {} bytes that are free\n", n, type.name, free);
      }
      if (counts.empty()) continue;
      bench b(type, *std::max_element(counts.begin(), counts.end()));
      for (const std::size_t n : counts) {
        const bool detailed = in_detail(n);
        for (const auto& kind : kinds)
          if (n == std::size_t{1} << 28 || kind.kind == summed_input::even)
            rows.push_back(row_of(type, b, n, kind.kind, kind.name, watch, args.repetitions,
                                  detailed && kind.kind == summed_input::even));
      }
    }
  }
  const nlohmann::json source = provenance_of_race(facts, command, args.commit, args.repetitions);
  json.write({{"schema", 1}, {"provenance", source}, {"checks", checks}, {"results", rows}});
  fmt::print("{}\n", good ? "all bits are equal" : "NOT all bits are equal");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  for (int power = 10; power <= 31; ++power) args.counts.push_back(std::size_t{1} << power);
  host::parser app{
      "Checks that the reproducible sum has the same bits in every launch shape, and compares its time with the plain "
      "sum",
      "reproducible"};
  app.add_option("--device", args.device, "gpu: check and time; emulator: check").transform(a_device());
  app.add_option("--counts", args.counts, "Sizes to time, separated by commas (default: 2^10 to 2^31)")
      .delimiter(',')
      .transform(a_count());
  app.add_flag("--checks-only", args.checks_only, "Only run the checks, time nothing");
  app.add_option("--repetitions", args.repetitions, "Timed runs, cold and warm").check(repetitions_from(1));
  app.add_option("--json", args.json, "File for the results");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  return host::run_program(app, argc, argv, 3,
                           [&] { return run(args, host::command_text("reproducible", argc, argv)); });
}
