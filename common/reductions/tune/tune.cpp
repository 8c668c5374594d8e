// Tries the reduction in one launch in many launch shapes, compares it with the library in the same run, and reports
// which is fastest at each size. On the emulator, verifies every shape under every check instead.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "reductions/tune/cublas.hpp"
#include "reductions/tune/race.hpp"
#include "reductions/tune/tables.hpp"
#include "reductions/tune/variants.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/fill.hpp"
#include "workbook/measure.hpp"

namespace {

using namespace workbook;

constexpr std::uint64_t seed = 1;
/// Up to this size, results are compared with the host's sum. Above it, they are compared with the library's, within an
/// error bound for which the sum of magnitudes is extrapolated.
constexpr std::size_t largest_on_host = std::size_t{1} << 22;

struct arguments {
  emulator::device_kind device = emulator::device_kind::gpu;
  std::vector<element_type> types = {element_type::int32, element_type::float32, element_type::float64};
  std::vector<std::size_t> counts;
  std::string json, table, commit = "unknown";
  int screening = 3, repetitions = 31, finalists = 6;
  std::vector<std::size_t> offsets = {0};
  bool shipped_only = false;
};

/// One element type: its input on the device, and memory for the results.
template <typename T>
class bench {
 public:
  /// Allocates memory for `most` elements that begin up to `furthest` elements after the start of the allocation.
  /// Call `start_at` before any other function.
  bench(element_type type, std::size_t most, std::size_t furthest)
      : type_(type),
        most_(most),
        input_((most + furthest) * sizeof(T)),
        result_(sizeof(T)),
        workspace_(variants_workspace_bytes),
        library_workspace_(std::max<std::size_t>(1, library_workspace_bytes<T>(most))) {
    if (emulator::selected_device() == emulator::device_kind::gpu) blas_ = cublas::load();
    check(cudaMemset(workspace_.data(), 0, workspace_.size_bytes()));
    check(cudaDeviceSynchronize());
  }

  /// Fills the input, which begins `offset` elements after the start of the allocation.
  void start_at(std::size_t offset) {
    offset_ = offset;
    fill_on_device(type_, in(), most_, seed);
  }

  [[nodiscard]] contender of(const variant& v, std::size_t n) {
    return {describe(v), v, [this, v, n] { launch_variant(v, in(), out(), n, workspace_.data()); },
            v.by == agreement::none ? leaves::nothing : leaves::the_sum};
  }
  [[nodiscard]] contender shipped(std::size_t n) {
    return {"workbook::reduce", shipped_variant<T>(n),
            [this, n] { launch_as_shipped(static_cast<const T*>(in()), out(), n, workspace_.data()); }};
  }
  [[nodiscard]] contender library(std::size_t n) {
    return {"cub::DeviceReduce::Sum", {}, [this, n] {
              launch_library(static_cast<const T*>(in()), out(), n, library_workspace_.data());
            }};
  }

  /// Adds the methods of cuBLAS for T to `all`, if this machine has cuBLAS.
  void add_blas(std::size_t n, std::vector<contender>& all) {
    if constexpr (std::is_floating_point_v<T>) {
      if (blas_ == nullptr) return;
      all.push_back({"cuBLAS dot, with ones", {}, [this, n] { blas_->sum(in(), out(), n); }});
      all.push_back(
          {"cuBLAS asum", {}, [this, n] { blas_->magnitudes(in(), out(), n); }, leaves::the_sum_of_magnitudes});
    }
  }

  /// Sets the value with which every result for `n` elements is compared.
  void expect(std::size_t n) {
    const reference_sum host = sum_on_host(type_, std::min(n, largest_on_host), seed);
    wanted_ = std::is_integral_v<T> ? static_cast<long double>(static_cast<T>(host.bits)) : host.value;
    const double scale =
        static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(1, std::min(n, largest_on_host)));
    magnitudes_ = host.absolute * static_cast<long double>(scale);
    bound_ = error_bound(type_, 64 + n / 4096, magnitudes_);
    magnitudes_bound_ = n <= largest_on_host ? bound_ : static_cast<double>(magnitudes_) / 100;
    if (n <= largest_on_host) return;
    library(n).run();
    wanted_ = static_cast<long double>(result());
  }
  /// Poisons the result, runs `c`, and returns true if the result is right or if `c` does not compute a total.
  [[nodiscard]] bool right(const contender& c) {
    if (c.result == leaves::nothing) {
      c.run();
      check(cudaGetLastError());
      return true;
    }
    check(cudaMemset(result_.data(), 0xff, sizeof(T)));
    c.run();
    check(cudaGetLastError());
    const bool sums = c.result == leaves::the_sum;
    const long double error = std::fabs(static_cast<long double>(result()) - (sums ? wanted_ : magnitudes_));
    return error_is_within(static_cast<double>(error), sums ? bound_ : magnitudes_bound_);
  }

 private:
  [[nodiscard]] T* in() const { return reinterpret_cast<T*>(input_.data()) + offset_; }
  [[nodiscard]] T* out() const { return reinterpret_cast<T*>(result_.data()); }
  [[nodiscard]] T result() const {
    T value{};
    check(cudaMemcpy(&value, result_.data(), sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }
  element_type type_;
  std::size_t most_, offset_ = 0;
  device_bytes input_, result_, workspace_, library_workspace_;
  std::shared_ptr<cublas> blas_;
  long double wanted_ = 0, magnitudes_ = 0;
  double bound_ = 0;
  double magnitudes_bound_ = 0;  ///< For more elements than the host sums, 1 % of the extrapolated sum.
};

/// Returns [blocks, microseconds] for each number of blocks: the time of the fastest variant of the shipped kernel.
nlohmann::json best_by_grid(const std::vector<contender>& screened) {
  std::map<unsigned, double> best;
  for (const contender& c : screened) {
    if (!c.shape || c.shape->by != agreement::mailboxes) continue;
    const auto [at, first] = best.emplace(c.shape->grid_size, median(c.cold_us));
    if (!first) at->second = std::min(at->second, median(c.cold_us));
  }
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [grid, us] : best) list.push_back({grid, us});
  return list;
}

/// Finds the fastest shapes for `n` elements, and adds a row to `rows`. Returns true if every result was right.
template <typename T>
bool tune(bench<T>& b, stop_watch& watch, const arguments& args, const device_facts& facts, element_type type,
          std::size_t n, nlohmann::json& rows) {
  b.expect(n);
  std::vector<contender> screened;
  bool good = true;
  for (const variant& v :
       variants_for((n * sizeof(T) + 15) / 16, static_cast<unsigned>(facts.multiprocessors), std::is_same_v<T, int>)) {
    if (args.shipped_only && v.by != agreement::mailboxes) continue;
    contender c = b.of(v, n);
    if (!b.right(c)) {
      fmt::print("{} {}: WRONG: {}\n", name_of(type), n, c.name);
      good = false;
      continue;
    }
    for (int k = 0; k < args.screening; ++k) c.cold_us.push_back(watch.take(c.run, start::cold).microseconds);
    screened.push_back(std::move(c));
  }
  const auto faster = [](const contender& x, const contender& y) { return median(x.cold_us) < median(y.cold_us); };
  std::sort(screened.begin(), screened.end(), faster);
  std::vector<contender> all = {b.library(n), b.shipped(n), {"an empty launch", {}, launch_nothing, leaves::nothing}};
  b.add_blas(n, all);
  const auto first_shape = static_cast<std::ptrdiff_t>(all.size());
  good = b.right(all[1]) && good;
  nlohmann::json first = nlohmann::json::array();
  int places = args.finalists, floors = 1;
  for (const contender& c : screened) {
    if (first.size() < 20) first.push_back(as_json(c));
    if ((c.result == leaves::nothing ? floors : places)-- <= 0) continue;
    all.push_back(c);
    all.back().cold_us.clear();
  }
  race(all, watch, args.repetitions);
  for (const contender& c : all) {  // the results must still be right after timing
    if (b.right(c)) continue;
    fmt::print("{} {}: WRONG after it was timed: {}\n", name_of(type), n, c.name);
    good = false;
  }
  const auto best = std::min_element(all.begin() + first_shape, all.end(), [&](const contender& x, const contender& y) {
    return x.result != y.result ? y.result == leaves::nothing : faster(x, y);
  });
  const auto ratio = [&](const contender& c, bool cold) {
    return cold ? median(all[0].cold_us) / median(c.cold_us) : median(all[0].warm_us) / median(c.warm_us);
  };
  fmt::print("{:<6} {:>10} library {:>9.2f} {:>9.2f} us | as shipped {:>9.2f} {:>9.2f} us {:.3f} {:.3f}", name_of(type),
             n, median(all[0].cold_us), median(all[0].warm_us), median(all[1].cold_us), median(all[1].warm_us),
             ratio(all[1], true), ratio(all[1], false));
  if (best != all.end() && best->result != leaves::nothing) {
    fmt::print(" | best {:>9.2f} {:>9.2f} us {:.3f} {:.3f} {}", median(best->cold_us), median(best->warm_us),
               ratio(*best, true), ratio(*best, false), best->name);
  }
  fmt::print("\n");
  for (std::size_t k = 2; k < all.size(); ++k) {
    const contender& c = all[k];
    const bool beside = k < static_cast<std::size_t>(first_shape) || c.result == leaves::nothing;
    if (beside) fmt::print("  {} {:.2f} {:.2f} us\n", c.name, median(c.cold_us), median(c.warm_us));
  }
  std::fflush(stdout);
  nlohmann::json row = {{"type", name_of(type)}, {"count", n}, {"screened", first}, {"grids", best_by_grid(screened)}};
  for (const contender& c : all) row["raced"].push_back(as_json(c));
  rows.push_back(std::move(row));
  return good;
}

/// Runs every variant for `n` elements under all checks of the emulator. Returns true if every result was right and the
/// checks found nothing.
template <typename T>
bool verify(bench<T>& b, const device_facts& facts, element_type type, std::size_t n, std::size_t& tried) {
  b.expect(n);
  bool good = true;
  const auto one = [&](const contender& c) {
    const watched_run watched(true, n);
    bool fine = b.right(c);
    for (const emulator::launch_report& launch : emulator::take_reports()) fine = fine && launch.findings.empty();
    if (!fine) fmt::print("{} {}: WRONG or unsafe: {}\n", name_of(type), n, c.name);
    good = good && fine;
    ++tried;
  };
  const auto all =
      variants_for((n * sizeof(T) + 15) / 16, static_cast<unsigned>(facts.multiprocessors), std::is_same_v<T, int>);
  for (const variant& v : all) one(b.of(v, n));
  one(b.shipped(n));
  // Runs all once more in reverse order, to find variants that leave something in the workspace that others misread.
  for (std::size_t k = all.size(); k-- > 0;) one(b.of(all[k], n));
  return good;
}

std::vector<std::size_t> sizes(const arguments& args) {
  if (!args.counts.empty()) return args.counts;
  if (args.device == emulator::device_kind::emulator) return {0, 1, 1000, 20011};
  std::vector<std::size_t> all;
  for (int power = 10; power <= 31; ++power) all.push_back(std::size_t{1} << power);
  return all;
}

bool run_type(const arguments& args, const device_facts& facts, element_type type, nlohmann::json& rows,
              std::size_t& tried) {
  const std::vector<std::size_t> counts = sizes(args);
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  const auto all_counts = [&]<typename T>(T*) {
    bench<T> b(type, most, *std::max_element(args.offsets.begin(), args.offsets.end()));
    std::optional<stop_watch> watch;
    if (args.device == emulator::device_kind::gpu) watch.emplace();
    bool good = true;
    for (const std::size_t offset : args.offsets) {
      b.start_at(offset);
      for (const std::size_t n : counts) {
        if (!watch) {
          good = verify(b, facts, type, n, tried) && good;
          continue;
        }
        good = tune(b, *watch, args, facts, type, n, rows) && good;
        rows.back()["offset"] = offset;
      }
    }
    return good;
  };
  if (type == element_type::float32) return all_counts(static_cast<float*>(nullptr));
  if (type == element_type::float64) return all_counts(static_cast<double*>(nullptr));
  return all_counts(static_cast<int*>(nullptr));
}

/// Makes the tables of reductions/tuned.hpp, or, on the emulator, tries the algorithms that they may choose.
int make_tables(const arguments& args) {
  if (args.device == emulator::device_kind::emulator) {
    std::size_t tried = 0;
    const bool good = verify_ways(tried);
    fmt::print("{} launches {}\n", tried, good ? "right and clean" : "tried, not all right and clean");
    return good ? 0 : 1;
  }
  host::output_file file(args.table, host::contents::source);
  const nlohmann::json source = provenance_of(read_device_facts(), "", args.commit);
  file.write(tuned_header(fmt::format("{}, {}, commit {}", source.at("gpu").get<std::string>(),
                                      source.at("date").get<std::string>(), args.commit)));
  fmt::print("{} written: build again, and reductions use it\n", args.table);
  return 0;
}

int run(const arguments& args, const std::string& command) {
  emulator::select_device(args.device);
  if (!args.table.empty()) return make_tables(args);
  const device_facts facts = read_device_facts();
  host::json_file json(args.json);
  nlohmann::json rows = nlohmann::json::array();
  bool good = true;
  std::size_t tried = 0;
  for (const element_type type : {element_type::int32, element_type::float32, element_type::float64}) {
    if (std::find(args.types.begin(), args.types.end(), type) == args.types.end()) continue;
    good = run_type(args, facts, type, rows, tried) && good;
  }
  if (args.device == emulator::device_kind::emulator)
    fmt::print("{} launches {}\n", tried, good ? "right and clean" : "tried, not all right and clean");
  json.write({{"schema", 1},
              {"provenance", provenance_of_race(facts, command, args.commit, args.repetitions)},
              {"results", rows}});
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments args;
  host::parser app{"Tries the reduction in one launch in many shapes, and compares it with the library", "tune"};
  app.add_option("--device", args.device, "gpu: time; emulator: verify every shape").transform(a_device());
  app.add_option("--types", args.types, "Types of the elements, separated by commas")
      .delimiter(',')
      .transform(a_type({element_type::int32, element_type::float32, element_type::float64}));
  app.add_option("--counts", args.counts, "Sizes, separated by commas (default: 2^10 to 2^31)")
      .delimiter(',')
      .transform(a_count());
  app.add_option("--offsets", args.offsets,
                 "Elements between the start of the allocation and the input, separated by commas")
      .delimiter(',')
      .expected(1, -1)
      .check(host::number_from(0, 1 << 20));
  app.add_option("--screening", args.screening, "Timed runs of every shape").check(repetitions_from(1));
  app.add_option("--repetitions", args.repetitions, "Timed runs of the finalists, cold and warm")
      .check(repetitions_from(1));
  app.add_option("--finalists", args.finalists, "Shapes that are timed together with the library")
      .check(repetitions_from(1));
  app.add_flag("--mailboxes", args.shipped_only, "Only shapes of the kernel that reductions/reduce.cuh has");
  app.add_option(
      "--table", args.table,
      "Find the fastest algorithm for every type and shape, and write it to this file; common/reductions/tuned.hpp is "
      "such a file. On the emulator nothing is written, and every algorithm is verified");
  app.add_option("--json", args.json, "File for the results");
  app.add_option("--commit", args.commit, "Commit that the programs were built from, for the record");
  return host::run_program(app, argc, argv, 3, [&] { return run(args, host::command_text("tune", argc, argv)); });
}
