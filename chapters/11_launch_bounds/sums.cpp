#include "11_launch_bounds/sums.hpp"

#include <algorithm>

#include "11_launch_bounds/wrong_sums.hpp"
#include "workbook/arrays.hpp"
#include "workbook/goal.hpp"
#include "workbook/guarded.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter11 {
namespace {

using namespace workbook;

template <typename T>
class sums_experiment final : public sums_trial {
 public:
  sums_experiment(const problem& p, const sums_kernel& kernel, bool per_vector, unsigned terms, rows layout)
      : points_(static_cast<unsigned>(p.count)),
        terms_(terms != 0                 ? terms
               : on_gpu() || p.gpu_rounds ? terms_on_gpu
                                          : terms_on_emulator),
        pitch_((layout == rows::packed ? p.count : (p.count + width - 1) / width * width) + p.offset),
        per_thread_(per_vector ? width : 1) {
    const std::vector<T> big = input_values<T>(terms_ * pitch_, p.seed), small = input_values<T>(terms_, p.seed + 1);
    big_ = on_device(big);
    small_ = on_device(small);
    out_ = guarded(p.count * sizeof(T));
    plan_.kernel = kernel.kernels[static_cast<std::size_t>(p.type)];
    plan_.block_size = p.block_size;
    expected_.assign(points_, T{});
    for (std::size_t k = 0; k < terms_; ++k) {
      // There is one addition per term, and comparisons, so the device must get the same bits.
      for (std::size_t i = 0; i < points_; ++i)
        expected_[i] = std::max(expected_[i], static_cast<T>(big[k * pitch_ + i] + small[k]));
    }
  }

  void launch() override {
    const void* big = big_.data();
    const void* small = small_.data();
    void* out = out_.data();
    void* arguments[] = {&big, &small, &out, &points_, &terms_, &pitch_};
    const unsigned per_block = plan_.block_size * per_thread_;
    const unsigned grid = std::max(1u, (points_ + per_block - 1) / per_block);
    check(cudaLaunchKernel(plan_.kernel, dim3(grid), dim3(plan_.block_size), arguments, 0, nullptr));
  }
  void poison_outputs() override { out_.poison_outputs(); }
  [[nodiscard]] double error() override { return largest_difference(on_host<T>(out_), expected_); }
  [[nodiscard]] bool intact() const override { return big_.intact() && small_.intact() && out_.intact(); }
  [[nodiscard]] launch_plan plan() const override { return plan_; }
  [[nodiscard]] double bytes() const override {
    return static_cast<double>(sizeof(T)) * (static_cast<double>(points_) * (terms_ + 1.0) + terms_);
  }

  [[nodiscard]] sums_shape shape() const override {
    return {points_, terms_, pitch_, per_thread_, plan_.block_size * per_thread_, std::is_signed_v<T>};
  }
  [[nodiscard]] std::vector<double> outputs() override {
    run_once(*this);
    return as_numbers(on_host<T>(out_));
  }
  [[nodiscard]] std::vector<double> outputs_of(const std::vector<double>& big,
                                               const std::vector<double>& small) override {
    const std::vector<T> rows = as_elements<T>(big), terms = as_elements<T>(small);
    check(cudaMemcpy(big_.data(), rows.data(), big_.size_bytes(), cudaMemcpyHostToDevice));
    check(cudaMemcpy(small_.data(), terms.data(), small_.size_bytes(), cudaMemcpyHostToDevice));
    return outputs();
  }
  [[nodiscard]] std::vector<double> wanted() const override { return as_numbers(expected_); }

 private:
  static constexpr std::size_t width = 16 / sizeof(T);

  unsigned points_;
  unsigned terms_;
  std::size_t pitch_;
  unsigned per_thread_;
  guarded big_, small_, out_;
  std::vector<T> expected_;
  launch_plan plan_;
};

std::optional<std::string> rejection(const problem& p) {
  if (p.count > 0x40000000u) return "points are counted in 32 bits here: give a --count up to 2^30";
  return {};
}

}  // namespace

specimen make_row(std::string name, role as, sums_kernel kernel, bool per_vector, unsigned terms, rows layout) {
  const auto make = prepared_as<sums_experiment, sums_trial>(kernel, per_vector, terms, layout);
  return {.name = std::move(name),
          .as = as,
          .attempted = kernel.attempted,
          .rejects = rejection,
          .prepare = make,
          .explain = [make](const problem& failed) { return explain_sums(failed, make); }};
}

study table_of_versions() {
  study s;
  s.counted = "points";
  s.takes_offsets = true;
  s.goal_types = {element_type::uint32};  // not a float: the type determines the number of registers
  s.fewer_rounds_on_emulator = true;
  s.offset_means = "the pitch isn't a multiple of 16 bytes, so most rows don't begin at one";
  s.default_count_gpu = std::size_t{1} << 19;
  s.default_count_emulator = std::size_t{1} << 12;
  s.values_per_count = 80;  // the points on the host and on the device
  s.default_block_size = 512;
  s.baseline = "base";
  const auto add = [&s](const std::string& name, const versions& v, bool per_vector) {
    s.kernels.push_back(make_row(name, s.kernels.empty() ? role::previous : role::compared, v.unbounded, per_vector));
    s.kernels.push_back(make_row(name + " (1024, 1)", role::compared, v.one_of_1024, per_vector));
    s.kernels.push_back(make_row(name + " (512, 2)", role::compared, v.two_of_512, per_vector));
  };
  add("base", base_versions(), false);
  add("wide small", wide_small_versions(), false);
  add("wide both", wide_both_versions(), true);
  s.kernels.push_back(make_row("largest_sums", role::reference, solution_kernel(), true));
  s.kernels.push_back(make_row("largest_sums", role::yours, exercise_kernel(), true));
  s.counts = {{"requests", "loaded",
               [](const outcome& o) { return total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"); }},
              {"sectors", "loaded",
               [](const outcome& o) { return total(o, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"); }},
              {"instr.", "in all", [](const outcome& o) { return total(o, "workbook__inst_executed.sum"); }}};
  return s;
}

}  // namespace chapter11
