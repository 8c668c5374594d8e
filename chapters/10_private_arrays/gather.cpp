#include "10_private_arrays/gather.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "10_private_arrays/wrong_gather.hpp"
#include "workbook/arrays.hpp"
#include "workbook/goal.hpp"
#include "workbook/guarded.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter10 {
namespace {

using namespace workbook;

constexpr unsigned length = array_length;

/// On the emulator, up to this many threads go over their arrays three times, so that they read what they have written.
/// More threads, for which only counts are shown, go over them once. Twice would not be enough: an element a and its
/// replacement, weight - a, have the same sum for every a.
constexpr std::size_t counts_of_three_turns = 1024;
static_assert(reads_on_emulator == length && reads_on_gpu % (2 * length) == length);

/// Small whole numbers: every sum of them is exact in every type.
template <typename T>
T element(std::size_t i, std::uint64_t seed) {
  return static_cast<T>(static_cast<int>(mixed(i + mixed(seed)) % 1001) - 500);
}

unsigned start_of(order starts, std::size_t t, std::size_t thread_in_block, std::uint64_t seed) {
  switch (starts) {
    case order::fixed:
      return 0;
    case order::uniform:
      return 5;
    case order::random:
      return static_cast<unsigned>(mixed(t + mixed(seed + 77)) % length);
    default:
      return static_cast<unsigned>(thread_in_block % length);
  }
}

template <typename T>
class gather_experiment final : public gather_trial {
 public:
  gather_experiment(const problem& p, const gather_kernel& kernel, order starts, owner whose)
      : n_(p.count),
        whose_(whose),
        reads_(on_gpu() || p.gpu_rounds      ? reads_on_gpu
               : n_ <= counts_of_three_turns ? 3 * length
                                             : reads_on_emulator),
        block_(p.block_shape[0] != 0 ? dim3(p.block_shape[0], p.block_shape[1], p.block_shape[2]) : dim3(p.block_size)),
        elements_(n_ * length),
        starts_(n_),
        in_(elements_.size() * sizeof(T)),
        starts_on_device_(n_ * sizeof(unsigned)),
        out_(n_ * sizeof(T)) {
    const auto type = static_cast<std::size_t>(p.type);
    for (std::size_t i = 0; i < elements_.size(); ++i) elements_[i] = element<T>(i, p.seed);
    if (p.random_indices) starts = order::random;
    for (std::size_t t = 0; t < n_; ++t) starts_[t] = start_of(starts, t, t % p.block_size, p.seed);
    if (n_ != 0) {
      check(cudaMemcpy(in_.data(), elements_.data(), in_.size_bytes(), cudaMemcpyHostToDevice));
      check(
          cudaMemcpy(starts_on_device_.data(), starts_.data(), starts_on_device_.size_bytes(), cudaMemcpyHostToDevice));
    }
    plan_.kernel = kernel.kernels[type];
    plan_.block_size = p.block_size;
    if (kernel.shared_bytes[type] != nullptr) plan_.dynamic_shared_bytes = kernel.shared_bytes[type](block_);
    // Above 48 KiB, a kernel must request its shared memory.
    if (plan_.dynamic_shared_bytes > 48 * 1024) {
      check(cudaFuncSetAttribute(plan_.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(plan_.dynamic_shared_bytes)));
    }
    expected_ = expected_for(reads_);
  }

  void launch() override { launch_for(reads_); }
  void poison_outputs() override { out_.poison_outputs(); }
  [[nodiscard]] double error() override { return largest_difference(on_host<T>(out_), expected_); }
  [[nodiscard]] bool intact() const override { return in_.intact() && starts_on_device_.intact() && out_.intact(); }
  [[nodiscard]] launch_plan plan() const override { return plan_; }

  [[nodiscard]] std::size_t threads() const override { return n_; }
  [[nodiscard]] std::vector<double> outputs() override { return outputs_for(reads_); }
  [[nodiscard]] std::vector<double> wanted() const override { return as_numbers(expected_); }
  [[nodiscard]] bool is_right_in_one_turn() override { return outputs_for(length) == as_numbers(expected_for(length)); }
  [[nodiscard]] std::vector<double> outputs_of(const std::vector<double>& in,
                                               const std::vector<unsigned>& starts) override {
    if (n_ == 0) return {};
    const std::vector<T> elements = as_elements<T>(in);
    check(cudaMemcpy(in_.data(), elements.data(), in_.size_bytes(), cudaMemcpyHostToDevice));
    check(cudaMemcpy(starts_on_device_.data(), starts.data(), starts_on_device_.size_bytes(), cudaMemcpyHostToDevice));
    return outputs_for(length);
  }

 private:
  void launch_for(unsigned reads) {
    const void* in = in_.data();
    const void* starts = starts_on_device_.data();
    void* out = out_.data();
    void* arguments[] = {&in, &starts, &out, &n_, &reads};
    const auto grid = static_cast<unsigned>(std::max<std::size_t>(1, (n_ + plan_.block_size - 1) / plan_.block_size));
    check(cudaLaunchKernel(plan_.kernel, dim3(grid), block_, arguments, plan_.dynamic_shared_bytes, nullptr));
  }
  [[nodiscard]] std::vector<double> outputs_for(unsigned reads) {
    poison_outputs();
    launch_for(reads);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    return as_numbers(on_host<T>(out_));
  }
  [[nodiscard]] std::vector<T> expected_for(unsigned reads) const {
    std::vector<T> expected(n_);
    for (std::size_t t = 0; t < n_; ++t) {
      T array[length];
      for (unsigned k = 0; k < length; ++k) {
        const std::size_t by_warp = t / 32 * 32 + k;
        array[k] = whose_ == owner::thread ? elements_[k * n_ + t] : by_warp < n_ ? elements_[by_warp] : T{};
      }
      T sum{};
      for (unsigned s = 0; s < reads; ++s) {
        T& one = array[(starts_[t] + s) % length];
        const T weight = static_cast<T>(s % length + 1);
        sum += weight * one;
        if (whose_ == owner::thread) one = weight - one;
      }
      expected[t] = sum;
    }
    return expected;
  }

  std::size_t n_;
  owner whose_;
  unsigned reads_;
  dim3 block_;
  std::vector<T> elements_;
  std::vector<unsigned> starts_;
  std::vector<T> expected_;
  guarded in_, starts_on_device_, out_;
  launch_plan plan_;
};

/// Returns why a block of this shape cannot run: it needs too much shared memory, or has an incomplete warp.
std::optional<obstacle> rejection(const problem& p, const gather_kernel& kernel, owner whose) {
  if (whose == owner::warp && p.block_size % 32 != 0)
    return fmt::format("all lanes of a warp take part: the block must have a multiple of 32 threads, not {}",
                       p.block_size);
  const auto bytes_of = kernel.shared_bytes[static_cast<std::size_t>(p.type)];
  if (bytes_of == nullptr) return {};
  const std::size_t bytes = bytes_of(dim3(p.block_size));
  int device = 0, most = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess)
    return {};
  if (bytes <= static_cast<std::size_t>(most)) return {};
  return obstacle(
      fmt::format("the private arrays of {} threads take {} bytes of shared memory, and a block can have {}",
                  p.block_size, bytes, most),
      true);
}

double local_accesses(const outcome& o) {
  return total(o, "smsp__sass_inst_executed_op_local_ld.sum") + total(o, "smsp__sass_inst_executed_op_local_st.sum");
}

}  // namespace

specimen make_row(std::string name, role as, gather_kernel kernel, order starts, owner whose) {
  const auto make = prepared_as<gather_experiment, gather_trial>(kernel, starts, whose);
  specimen row{.name = std::move(name),
               .as = as,
               .attempted = kernel.attempted,
               .work_per_count = work_per_thread,
               .rejects = [kernel, whose](const problem& p) { return rejection(p, kernel, whose); },
               .prepare = make};
  if (whose == owner::thread) row.explain = [make](const problem& failed) { return explain_gather(failed, make); };
  return row;
}

study table_of_arrays() {
  study s;
  s.counted = "private arrays";
  s.takes_shapes = true;
  s.fewer_rounds_on_emulator = true;
  s.default_count_gpu = std::size_t{1} << 19;
  s.default_count_emulator = std::size_t{1} << 12;
  s.values_per_count = 72;  // the arrays on the host and on the device
  s.baseline = "dynamic, uniform";
  s.kernels = {make_row("static index", role::compared, gathers_static(), order::fixed),
               make_row("unrolled loop", role::compared, gathers_unrolled(), order::fixed),
               make_row("dynamic, uniform", role::compared, gathers_uniform(), order::uniform),
               make_row("dynamic, random", role::compared, gathers_local(), order::random),
               make_row("dynamic, worst", role::previous, gathers_local(), order::worst),
               make_row("select chain", role::compared, gathers_by_selects(), order::worst),
               make_row("shuffle, one a warp", role::compared, gathers_from_warp(), order::random, owner::warp),
               make_row("shared, worst", role::reference, solution_kernel(), order::worst),
               make_row("shared, worst", role::yours, exercise_kernel(), order::worst)};
  s.counts = {
      {"local", "per warp", [](const outcome& o) { return local_accesses(o) / total(o, "workbook__warps.sum"); }},
      {"sectors", "per read",
       [](const outcome& o) {
         return total(o, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum") /
                total(o, "smsp__sass_inst_executed_op_local_ld.sum");
       }},
      {"conflicts", "per warp",
       [](const outcome& o) { return per_warp(o, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"); }},
      {"instr.", "per warp", [](const outcome& o) { return per_warp(o, "workbook__inst_executed.sum"); }}};
  return s;
}

}  // namespace chapter10
