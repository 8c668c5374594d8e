#include "15_beyond_the_sum/segments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "15_beyond_the_sum/wrong_segments.hpp"
#include "reductions/operators.cuh"
#include "workbook/arrays.hpp"
#include "workbook/goal.hpp"
#include "workbook/guarded.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter15 {
namespace {

using namespace workbook;

/// Few different numbers, so that a segment has its largest several times. All are even, but poisoned values aren't.
template <typename T>
T element(std::size_t i, std::uint64_t seed) {
  return static_cast<T>(2 * (static_cast<int>(mixed(i + mixed(seed)) % 101) - 50));
}

std::vector<std::size_t> uneven_lengths(std::size_t n, std::uint64_t seed) {
  const std::size_t segments = n / 16 + 8;
  std::vector<std::size_t> rank(segments);
  std::iota(rank.begin(), rank.end(), std::size_t{1});
  const auto by_chance = [&](std::size_t k) { return mixed(k + mixed(seed + 15)); };
  for (std::size_t k = segments - 1; k > 1; --k) std::swap(rank[k], rank[1 + by_chance(k) % k]);
  const auto is_empty = [&](std::size_t k) { return k != 0 && by_chance(k + segments) % 8 == 0; };
  double all = 0;
  for (std::size_t k = 0; k < segments; ++k)
    if (!is_empty(k)) all += 1.0 / static_cast<double>(rank[k]);
  std::vector<std::size_t> length(segments, 0);
  std::size_t left = n;
  for (std::size_t k = 0; k < segments; ++k) {
    if (is_empty(k)) continue;
    length[k] = std::min(left, static_cast<std::size_t>(static_cast<double>(n) / all / static_cast<double>(rank[k])));
    left -= length[k];
  }
  // Rounding down has left a remainder. Each segment gets one more element until the remainder is used up.
  for (std::size_t k = 0; left > 0; k = (k + 1) % segments) {
    if (is_empty(k)) continue;
    ++length[k];
    --left;
  }
  return length;
}

/// The input of both experiments: elements and offsets, on the host and on the device.
template <typename T>
class segments_input {
 public:
  segments_input(const problem& p, lengths how)
      : start(p.offset),
        elements(p.count),
        offsets(offsets_of(how, p.count, p.seed)),
        in_((p.offset + p.count) * sizeof(T)),
        offsets_(on_device(offsets)) {
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element<T>(i, p.seed);
    for (std::size_t s = 0; s < segments(); ++s) set_special(s, p.seed);
    fill();
  }
  [[nodiscard]] unsigned segments() const { return static_cast<unsigned>(offsets.size() - 1); }
  [[nodiscard]] const T* in() const { return static_cast<const T*>(in_.data()) + start; }
  [[nodiscard]] const unsigned* device_offsets() const { return static_cast<const unsigned*>(offsets_.data()); }
  [[nodiscard]] bool intact() const { return in_.intact() && offsets_.intact(); }
  [[nodiscard]] double bytes_of(std::size_t result) const {
    return static_cast<double>(elements.size() * sizeof(T) + offsets.size() * sizeof(unsigned) + segments() * result);
  }
  /// Replaces the elements.
  void set(std::vector<T> other) {
    elements = std::move(other);
    fill();
  }
  [[nodiscard]] std::vector<indexed<T>> expected() const {
    std::vector<indexed<T>> largest(segments());
    for (unsigned s = 0; s < segments(); ++s) {
      largest[s] = arg_max::identity<indexed<T>>();
      for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) largest[s] = arg_max{}(largest[s], {elements[i], i});
    }
    return largest;
  }

  std::size_t start;
  std::vector<T> elements;
  std::vector<unsigned> offsets;

 private:
  /// In some segments the largest element is the first one, and in others, such as the longest, it is the last. Some
  /// segments have only the lowest value of the type.
  void set_special(std::size_t s, std::uint64_t seed) {
    const auto begin = elements.begin() + offsets[s], end = elements.begin() + offsets[s + 1];
    if (begin == end) return;
    const std::uint64_t chance = s == 0 ? 1 : mixed(s + mixed(seed + 16)) % 16;
    constexpr T above_all = 102;
    if (chance < 4) *(chance % 2 == 0 ? begin : end - 1) = above_all;
    if (chance == 4) std::fill(begin, end, maximum::identity<T>());
  }
  void fill() {
    if (!elements.empty())
      check(cudaMemcpy(static_cast<T*>(in_.data()) + start, elements.data(), elements.size() * sizeof(T),
                       cudaMemcpyHostToDevice));
  }

  guarded in_, offsets_;
};

template <typename T>
class segments_experiment final : public segments_trial {
 public:
  segments_experiment(const problem& p, const segments_kernel& kernel, lengths how)
      : input_(p, how),
        per_block_(kernel.share == segments_of_block::as_threads ? p.block_size
                   : kernel.share == segments_of_block::as_warps ? p.block_size / 32
                                                                 : 1),
        out_(input_.segments() * sizeof(indexed<T>)),
        expected_(input_.expected()) {
    plan_.kernel = kernel.kernels[static_cast<std::size_t>(p.type)];
    plan_.block_size = p.block_size;
  }

  void launch() override {
    const T* in = input_.in();
    const unsigned* offsets = input_.device_offsets();
    void* out = out_.data();
    unsigned segments = input_.segments();
    if (segments == 0) return;
    void* arguments[] = {&in, &offsets, &out, &segments};
    const unsigned grid = (segments + per_block_ - 1) / per_block_;
    check(cudaLaunchKernel(plan_.kernel, dim3(grid), dim3(plan_.block_size), arguments, 0, nullptr));
  }
  void poison_outputs() override { out_.poison_outputs(); }
  /// Returns the number of segments whose result is wrong.
  [[nodiscard]] double error() override {
    const std::vector<indexed<T>> got = on_host<indexed<T>>(out_);
    double wrong = 0;
    for (std::size_t s = 0; s < got.size(); ++s) wrong += got[s] == expected_[s] ? 0 : 1;
    return wrong;
  }
  [[nodiscard]] bool intact() const override { return input_.intact() && out_.intact(); }
  [[nodiscard]] launch_plan plan() const override { return plan_; }
  [[nodiscard]] double bytes() const override { return input_.bytes_of(sizeof(indexed<T>)); }

  [[nodiscard]] const std::vector<unsigned>& offsets() const override { return input_.offsets; }
  [[nodiscard]] unsigned segments_of_block() const override { return per_block_; }
  [[nodiscard]] std::vector<double> own_input() const override {
    return {input_.elements.begin(), input_.elements.end()};
  }
  [[nodiscard]] std::vector<found_in_segment> results_of(const std::vector<double>& in) override {
    input_.set(as_elements<T>(in));
    run_once(*this);
    std::vector<T> values;
    std::vector<double> places;
    const T none = arg_max::identity<indexed<T>>().value;
    for (const indexed<T>& one : on_host<indexed<T>>(out_)) {
      values.push_back(one.value);
      places.push_back(one.index == arg_max::identity<indexed<T>>().index ? no_place : static_cast<double>(one.index));
    }
    const std::vector<double> numbers = as_numbers(values);
    std::vector<found_in_segment> results;
    for (std::size_t s = 0; s < values.size(); ++s)
      results.push_back({.value = values[s] == none ? no_value : numbers[s], .place = places[s]});
    return results;
  }

 private:
  segments_input<T> input_;
  unsigned per_block_;
  guarded out_;
  std::vector<indexed<T>> expected_;
  launch_plan plan_;
};

/// The book's own reduction, of values without their indices.
template <typename T>
class shares_experiment final : public experiment {
 public:
  shares_experiment(const problem& p, const equal_shares& shares, lengths how)
      : input_(p, how),
        call_(shares.calls[static_cast<std::size_t>(p.type)]),
        workspace_(shares.workspace_bytes[static_cast<std::size_t>(p.type)]()),
        out_(input_.segments() * sizeof(T)) {
    check(cudaMemset(workspace_.data(), 0, workspace_.size_bytes()));
    for (const indexed<T>& one : input_.expected()) expected_.push_back(one.value);
  }
  void launch() override {
    call_(input_.in(), input_.device_offsets(), out_.data(), input_.segments(), input_.elements.size(),
          workspace_.data());
  }
  void poison_outputs() override { out_.poison_outputs(); }
  [[nodiscard]] double error() override { return largest_difference(on_host<T>(out_), expected_); }
  [[nodiscard]] bool intact() const override { return input_.intact() && workspace_.intact() && out_.intact(); }
  [[nodiscard]] double bytes() const override { return input_.bytes_of(sizeof(T)); }

 private:
  segments_input<T> input_;
  equal_shares::call call_;
  guarded workspace_, out_;
  std::vector<T> expected_;
};

std::optional<std::string> rejection(const problem& p) {
  if (p.block_size % 32 != 0)
    return fmt::format("all lanes of a warp take part: the block must have a multiple of 32 threads, not {}",
                       p.block_size);
  if (p.count > 0x80000000u) return "elements are counted in 32 bits here: give a --count up to 2^31";
  return {};
}

double load_requests(const outcome& o) {
  return total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
}

specimen equal_shares_row(lengths how) {
  return {.name = "equal shares",
          .as = role::compared,
          .rejects = rejection,
          .prepare = prepared_as<shares_experiment>(largest_by_equal_shares(), how)};
}

}  // namespace

std::vector<unsigned> offsets_of(lengths how, std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> offsets = {0};
  if (how.each == 0) {
    for (const std::size_t length : uneven_lengths(n, seed))
      offsets.push_back(offsets.back() + static_cast<unsigned>(length));
    return offsets;
  }
  for (std::size_t begun = 0; begun < n; begun += how.each)
    offsets.push_back(static_cast<unsigned>(std::min<std::size_t>(begun + how.each, n)));
  return offsets;
}

double requests_per_8_elements(const outcome& o) {
  return 8 * load_requests(o) / static_cast<double>(o.count);
}

double journeys(const outcome& o) {
  if (o.launches.empty()) return NAN;
  const emulator::path_report& path = o.main_launch().path;
  return std::max(path.longest_waits, path.last_waits);
}

specimen make_row(std::string name, role as, segments_kernel kernel, lengths how) {
  const auto make = prepared_as<segments_experiment, segments_trial>(kernel, how);
  return {.name = std::move(name),
          .as = as,
          .attempted = kernel.attempted,
          .rejects = rejection,
          .prepare = make,
          .explain = [make](const problem& failed) { return explain_segments(failed, make); }};
}

study table_of_segments() {
  study s;
  s.takes_offsets = true;
  s.default_count_gpu = std::size_t{1} << 24;
  s.default_count_emulator = std::size_t{1} << 15;
  s.telling_counts = {40'003, 131'075};  // with several segments that are long enough for a block
  s.values_per_count = 4;                // elements, offsets and results, on the host and on the device
  const auto add = [&s](std::string group, specimen row) {
    row.group = std::move(group);
    s.kernels.push_back(std::move(row));
  };
  for (const unsigned each : {8u, 256u, 8192u}) {
    const std::string group = fmt::format("{} elements each", each);
    add(group, make_row("a thread each", role::compared, by_threads(), {each}));
    add(group, make_row("a warp each", role::compared, by_warps(), {each}));
    add(group, make_row("a block each", role::compared, by_blocks(), {each}));
    add(group, equal_shares_row({each}));
  }
  add("uneven", make_row("a thread each", role::previous, by_threads(), uneven));
  add("uneven", make_row("a warp each", role::compared, by_warps(), uneven));
  add("uneven", make_row("a block each", role::compared, by_blocks(), uneven));
  add("uneven", make_row("largest_of_segments", role::reference, solution_kernel(), uneven));
  add("uneven", make_row("largest_of_segments", role::yours, exercise_kernel(), uneven));
  add("uneven", equal_shares_row(uneven));
  s.counts = {{"requests", "loaded", load_requests},
              {"sectors", "loaded",
               [](const outcome& o) { return total(o, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"); }},
              {"instr.", "in all", [](const outcome& o) { return total(o, "workbook__inst_executed.sum"); }},
              {"journeys", "in a row", journeys}};
  return s;
}

}  // namespace chapter15
