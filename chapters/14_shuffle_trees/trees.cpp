#include "14_shuffle_trees/trees.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "14_shuffle_trees/wrong_trees.hpp"
#include "machine_code/superopt/latency.hpp"
#include "machine_code/superopt/prove.hpp"
#include "machine_code/superopt/trace.hpp"
#include "workbook/arrays.hpp"
#include "workbook/goal.hpp"
#include "workbook/guarded.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter14 {
namespace {

using namespace workbook;

template <typename T>
class sum_experiment final : public experiment {
 public:
  sum_experiment(const problem& p, const sum_kernel& kernel)
      : n_(p.count),
        blocks_(std::max<std::size_t>(1, (n_ + per_block(p) - 1) / per_block(p))),
        out_(blocks_ * sizeof(T)) {
    plan_.kernel = kernel.kernels[static_cast<std::size_t>(p.type)];
    plan_.block_size = p.block_size;
    // Every sum of a block is a whole number below 2^24, so it is exact in all types and in any order.
    for (std::size_t b = 0; b < blocks_; ++b) {
      std::uint64_t sum = 0;
      for (std::size_t i = b * per_block(p); i < std::min(n_, (b + 1) * per_block(p)); ++i) sum += i % 1024;
      expected_.push_back(static_cast<T>(sum));
    }
  }

  void launch() override {
    void* out = out_.data();
    void* arguments[] = {&out, &n_};
    check(cudaLaunchKernel(plan_.kernel, dim3(static_cast<unsigned>(blocks_)), dim3(plan_.block_size), arguments, 0,
                           nullptr));
  }
  void poison_outputs() override { out_.poison_outputs(); }
  [[nodiscard]] double error() override { return largest_difference(on_host<T>(out_), expected_); }
  [[nodiscard]] bool intact() const override { return out_.intact(); }
  [[nodiscard]] launch_plan plan() const override { return plan_; }
  /// Returns the outputs of a launch. `wanted` returns what they should be.
  [[nodiscard]] std::vector<double> outputs() {
    run_once(*this);
    return as_numbers(on_host<T>(out_));
  }
  [[nodiscard]] std::vector<double> wanted() const { return as_numbers(expected_); }

 private:
  static std::size_t per_block(const problem& p) { return std::size_t{p.block_size} * values_per_thread; }

  std::size_t n_, blocks_;
  guarded out_;
  std::vector<T> expected_;
  launch_plan plan_;
};

std::optional<std::string> rejection(const problem& p, unsigned lanes, bool integers_only) {
  if (p.block_size % 32 != 0 || (p.block_size & (p.block_size - 1)) != 0)
    return fmt::format("the block size must be a power of two from 32 on, not {}", p.block_size);
  if (lanes == 16 && p.block_size != 64 && p.block_size != 256 && p.block_size != 1024)
    return fmt::format("four values per step end in 16 lanes for blocks of 64, 256 or 1024, not {}", p.block_size);
  if (integers_only && p.type != element_type::int32 && p.type != element_type::uint32)
    return "REDUX sums 32-bit integers only";
  if (p.count > (std::size_t{1} << 40)) return "give a --count up to 2^40";
  return {};
}

/// Returns the name of the target: the sum of the first `lanes` lanes in lane 0.
std::string target_name(const sum_kernel& kernel) {
  return kernel.lanes == 16 ? "sum16" : "sum32";
}

sum_kernel with_last_step(sum_kernel kernel, const std::string& target, unsigned lanes) {
  const superopt::target t = superopt::load_target(target);
  kernel.last_step = t.code;
  kernel.lanes = lanes;
  // All programs here leave their result in the same register as the chain does.
  kernel.last_step[kernel.last_step.size() - 1].destination = 4;
  return kernel;
}

/// A row of the table with its kernel.
struct entry {
  std::string name;
  role as;
  sum_kernel kernel;
  bool integers_only = false;
};

const std::vector<entry>& entries() {
  static const std::vector<entry> all = {
      {"2 a step, chain of 32", role::compared, with_last_step(two_a_step(), "sum32", 32)},
      {"4 a step, chain of 16", role::compared, with_last_step(four_a_step_chain(), "sum16", 16)},
      {"4 a step, found tree", role::compared, with_last_step(four_a_step_tree(), "sum16_tree", 16)},
      {"32, chain of 32", role::previous, with_last_step(thirty_two_chain(), "sum32", 32)},
      {"32, REDUX", role::compared, thirty_two_redux(), true},
      {"32, warp_sum", role::reference, solution_kernel()},
      {"32, warp_sum", role::yours, exercise_kernel()}};
  return all;
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Makes a program from notes. \throws superopt::bad_input
superopt::program replayed(const notes& n) {
  const auto known = [&](unsigned number, unsigned values) {
    if (number >= values) throw superopt::bad_input("a value that nothing has made");
    return number;
  };
  return superopt::trace([&](const superopt::traced& input) {
    if (n.count > max_notes) throw superopt::bad_input(fmt::format("more than {} operations", max_notes));
    std::vector<superopt::traced> values = {input};
    for (unsigned k = 0; k < n.count; ++k) {
      const notes::note& o = n.done[k];
      const superopt::traced first = values[known(o.first, k + 1)];
      values.push_back(o.what == what_was_done::sum ? first + values[known(o.other, k + 1)] : down(first, o.other));
    }
    return values[known(n.result, n.count + 1)];
  });
}

double cycles_of_step(const superopt::program& step, const sum_kernel& kernel) {
  if (step.size() == 0) return none;
  const superopt::target wanted = superopt::load_target(target_name(kernel));
  if (superopt::find_needed(step, wanted).undefined) return none;
  // A refuted program is wrong. Without a solver nothing is proved, and the kernel's own check decides.
  if (superopt::prove_equivalent(step, wanted).is == superopt::verdict::refuted) return none;
  return superopt::cycles_of(step, wanted, superopt::load_cost_table("turing"));
}

/// Returns how often each lane's value is in the sum. Runs the kernel with the values of one lane, then of two, and so
/// on. \throws device_error
template <typename T>
lane_counts measured_lanes(const sum_kernel& kernel, problem p) {
  lane_counts counts{};
  double before = 0;
  for (std::size_t lane = 0; lane < counts.size(); ++lane) {
    p.count = (lane + 1) * values_per_thread;
    sum_experiment<T> e(p, kernel);
    const double sum = e.outputs().front();
    double values = 0;
    for (std::size_t i = p.count - values_per_thread; i < p.count; ++i) values += static_cast<double>(i);
    counts[lane] = (sum - before) / values;
    before = sum;
  }
  return counts;
}

/// Explains a wrong sum from the kernel's notes, if these agree with what the kernel does.
template <typename T>
std::optional<explanation> explain_lanes(const sum_kernel& kernel, const problem& p) {
  const lane_counts measured = measured_lanes<T>(kernel, p);
  if (kernel.writes_down != nullptr) {
    const notes written = read_notes(kernel.writes_down);
    if (lanes_of(written) == measured)
      if (auto told = explain_tree(written)) return told;
  }
  return explain_counts(measured);
}

std::optional<explanation> explain_wrong(const sum_kernel& kernel, const problem& p) {
  return with_type(p.type, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    auto told = explained_by("sum_counted", p.count, [&] { return explain_lanes<T>(kernel, p); });
    if (told) return told;
    return explained_by("sum_counted", p.count, [&] {
      sum_experiment<T> e(p, kernel);
      return explain_outputs(e.outputs(), e.wanted(), 1, "partials");
    });
  });
}

specimen row_of(const entry& e) {
  return {.name = e.name,
          .as = e.as,
          .attempted = e.kernel.attempted,
          .rejects = [e](const problem& p) { return rejection(p, e.kernel.lanes, e.integers_only); },
          .prepare = prepared_as<sum_experiment>(e.kernel),
          .explain = [e](const problem& p) { return explain_wrong(e.kernel, p); }};
}

}  // namespace

notes read_notes(const void* kernel) {
  const watched_run watched(false, 1);
  const guarded buffer(sizeof(notes));
  void* to = buffer.data();
  void* arguments[] = {&to};
  notes read{};
  const cudaError_t launched = cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr);
  const cudaError_t done =
      launched != cudaSuccess ? launched : cudaMemcpy(&read, to, sizeof read, cudaMemcpyDeviceToHost);
  if (!on_gpu()) (void)emulator::take_reports();
  (void)cudaGetLastError();
  check(done);
  return read;
}

superopt::program last_step_of(const sum_kernel& kernel) {
  return kernel.writes_down != nullptr ? replayed(read_notes(kernel.writes_down)) : kernel.last_step;
}

double modelled_cycles(const sum_kernel& kernel) {
  try {
    return cycles_of_step(last_step_of(kernel), kernel);
  } catch (const std::runtime_error&) {  // it is not a program of the model, or the kernel failed
    return none;
  }
}

double modelled_cycles_of(const outcome& row) {
  const auto found = std::find_if(entries().begin(), entries().end(),
                                  [&](const entry& e) { return e.name == row.name && e.as == row.as; });
  if (found == entries().end()) return none;
  try {
    const superopt::program step = last_step_of(found->kernel);
    // The kernel must shuffle real values as often as the recorded one. The device has counted its shuffles.
    const auto shuffles = std::count_if(step.begin(), step.end(), [](const superopt::instruction& i) {
      return superopt::facts_of(i.op).unit == superopt::family::shfl;
    });
    if (per_block(row, "workbook__shuffles.sum") < static_cast<double>(shuffles)) return none;
    return cycles_of_step(step, found->kernel);
  } catch (const std::runtime_error&) {
    return none;
  }
}

specimen make_row(std::string name, role as, const sum_kernel& kernel) {
  return row_of({std::move(name), as, kernel});
}

study table_of_sums() {
  study s;
  s.counted = "values";
  s.default_count_gpu = std::size_t{1} << 29;
  s.default_count_emulator = std::size_t{1} << 16;
  s.values_per_count = 0.02;  // one sum per block, on the device and on the host; the values themselves are computed
  s.default_block_size = 1024;
  s.baseline = "2 a step, chain of 32";
  // Testing many types takes little time here, and a function of any value can treat types differently.
  s.goal_types = {element_type::uint32, element_type::int64, element_type::float32, element_type::float64};
  for (const entry& e : entries()) s.kernels.push_back(row_of(e));
  s.counts = {{"model", "cycles", modelled_cycles_of},
              {"shuffles", "per block", [](const outcome& o) { return per_block(o, "workbook__shuffles.sum"); }},
              {"barriers", "per block", [](const outcome& o) { return per_block(o, "workbook__barriers.sum"); }},
              {"instr.", "per block", [](const outcome& o) { return per_block(o, "workbook__inst_executed.sum"); }}};
  return s;
}

}  // namespace chapter14
