#pragma once
/// \file
/// Code shared by the families: an experiment with a kernel's buffers and expected outputs, and the input numbers.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"
#include "timing/model/foreign/foreign.hpp"
#include "workbook/arrays.hpp"
#include "workbook/study.hpp"

namespace foreign {

/// Returns a whole number from -1000 to 1000. The sum of some thousands of them is exact in float.
[[nodiscard]] inline float small_number(std::size_t i, std::uint64_t seed) {
  return static_cast<float>(static_cast<int>(workbook::mixed(i + workbook::mixed(seed)) % 2001) - 1000);
}

/// Number of values of `few_values`. The host computes the result of a long loop only once per value.
inline constexpr unsigned value_count = 256;

/// Returns a number below `value_count`.
[[nodiscard]] inline unsigned few_values(std::size_t i, std::uint64_t seed) {
  return static_cast<unsigned>(workbook::mixed(i + workbook::mixed(seed + 1)) % value_count);
}

/// Returns value(0), …, value(n - 1).
template <typename Value>
[[nodiscard]] auto listed(std::size_t n, Value value) {
  std::vector<decltype(value(std::size_t{}))> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = value(i);
  return all;
}

/// Returns `n` small numbers.
[[nodiscard]] inline std::vector<float> small_numbers(std::size_t n, std::uint64_t seed) {
  return listed(n, [=](std::size_t i) { return small_number(i, seed); });
}

/// Returns the numbers below `n` in a random order (Fisher and Yates).
[[nodiscard]] inline std::vector<unsigned> permutation(std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> order = listed(n, [](std::size_t i) { return static_cast<unsigned>(i); });
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[workbook::mixed(i + workbook::mixed(seed)) % i]);
  return order;
}

/// Returns the largest multiple of 32 whose square is at most `count`: the side of a matrix.
[[nodiscard]] inline unsigned side_of(std::size_t count) {
  unsigned n = 32;
  while (std::size_t{n + 32} * (n + 32) <= count) n += 32;
  return n;
}

/// One kernel for one problem: its launch, and the expected output.
template <typename T>
struct job {
  const void* kernel = nullptr;
  dim3 grid{1}, block{1};
  std::size_t dynamic_shared_bytes = 0;
  std::vector<T> expected;            ///< The whole content of `out` after one launch.
  std::function<void(T* out)> start;  ///< Launches once.
  double bytes = 0;                   ///< Bytes of global memory that are needed, each counted once.
  bool adds = false;                  ///< A launch adds to `out`, which is 0 at first.
  std::vector<workbook::guarded> inputs{};

  /// Copies `host` to the device and returns its address there. The job owns the memory.
  template <typename In>
  [[nodiscard]] const In* input(const std::vector<In>& host) {
    inputs.push_back(workbook::on_device(host));
    return static_cast<const In*>(inputs.back().data());
  }
};

/// Runs a job. Every output must equal the host's, because sums are of whole numbers and therefore exact, and all other
/// results are rounded on both sides as IEEE 754 requires.
template <typename T>
class job_run final : public countable {
 public:
  explicit job_run(job<T> work) : job_(std::move(work)), out_(job_.expected.size() * sizeof(T)) {}
  void launch() override {
    job_.start(static_cast<T*>(out_.data()));
    ++launches_;
  }
  void poison_outputs() override {
    launches_ = 0;
    if (job_.adds)
      workbook::check(cudaMemset(out_.data(), 0, out_.size_bytes()));
    else
      out_.poison_outputs();
  }
  [[nodiscard]] double error() override {
    const std::vector<T> got = workbook::on_host<T>(out_);
    if (!job_.adds) return workbook::largest_difference(got, job_.expected);
    // Outputs are not poisoned between timed runs, so they contain the sum of all launches.
    std::vector<T> sums = job_.expected;
    for (T& one : sums) one *= static_cast<T>(launches_);
    return workbook::largest_difference(got, sums);
  }
  [[nodiscard]] bool intact() const override {
    bool all = out_.intact();
    for (const workbook::guarded& in : job_.inputs) all = all && in.intact();
    return all;
  }
  [[nodiscard]] workbook::launch_plan plan() const override {
    return {job_.kernel, job_.block.x * job_.block.y * job_.block.z, job_.dynamic_shared_bytes};
  }
  [[nodiscard]] double bytes() const override { return job_.bytes; }
  [[nodiscard]] dim3 grid() const override { return job_.grid; }
  [[nodiscard]] std::size_t outputs() const override { return job_.expected.size(); }

 private:
  job<T> job_;
  workbook::guarded out_;
  std::size_t launches_ = 0;
};

/// The smallest number of elements: that of the smallest matrix.
inline constexpr std::size_t least_count = 1024;

/// Returns a row whose experiment is the job that `make` returns for a problem.
/// \param make  (const workbook::problem&) -> job<T>
template <typename Make>
[[nodiscard]] workbook::specimen row(std::string group, std::string name, Make make) {
  workbook::specimen s;
  s.name = std::move(name);
  s.as = workbook::role::compared;
  s.group = std::move(group);
  s.rejects = [](const workbook::problem& p) -> std::optional<std::string> {
    if (p.type != workbook::element_type::float32) return "there is no such kernel for this type: give --type float";
    if (p.count < least_count) return "the number of elements is below 1024: give a larger --count";
    return {};
  };
  s.prepare = [make](const workbook::problem& p) -> std::unique_ptr<workbook::experiment> {
    auto work = make(p);
    return std::make_unique<job_run<typename decltype(work.expected)::value_type>>(std::move(work));
  };
  return s;
}

/// Returns the job of a kernel (in, out, n) with one thread for each of p.count elements, or for `per_thread` of them.
[[nodiscard]] inline job<float> map_job(void (*kernel)(const float*, float*, std::size_t), const workbook::problem& p,
                                        const std::vector<float>& in, std::vector<float> expected,
                                        std::size_t per_thread = 1) {
  job<float> j{.kernel = reinterpret_cast<const void*>(kernel),
               .grid = dim3(workbook::block_count(expected.size(), p.block_size * per_thread)),
               .block = dim3(p.block_size),
               .expected = std::move(expected),
               .start = nullptr,
               .bytes = 0};
  j.bytes = static_cast<double>((in.size() + j.expected.size()) * sizeof(float));
  j.start = [kernel, given = j.input(in), n = j.expected.size(), grid = j.grid, block = j.block](float* out) {
    kernel<<<grid, block>>>(given, out, n);
  };
  return j;
}

}  // namespace foreign
