// Chapter 13's table: what each group of rows computes, from which input, and the right result.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <optional>
#include <tuple>

#include "13_fused_pipelines/call_experiment.hpp"
#include "13_fused_pipelines/julia_pixel.hpp"
#include "13_fused_pipelines/pipelines.hpp"
#include "13_fused_pipelines/softmax_trial.hpp"
#include "13_fused_pipelines/squared_difference.cuh"
#include "workbook/arrays.hpp"
#include "workbook/fill.hpp"
#include "workbook/goal.hpp"
#include "workbook/guarded.hpp"
#include "workbook/sum_of_terms.hpp"

namespace chapter13 {
namespace {

using namespace workbook;

constexpr const char* softmax_heading = "the softmax of each row";

constexpr std::size_t max_elements = std::size_t{1} << 31;

/// Computations whose result is a single sum.
enum class sum_of { distances, filtered, iota };

std::size_t bytes_of(element_type type) {
  return with_type(type, [](auto* tag) { return sizeof(*tag); });
}

/// Returns a device array of `p.type` with the input for `seed`, beginning `start` elements after an aligned address.
guarded input_array(const problem& p, std::uint64_t seed, std::size_t start = 0) {
  return with_type(p.type, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    guarded array((start + p.count) * sizeof(T));
    if (p.count == 0) return array;
    T* const first = static_cast<T*>(array.data()) + start;
    if (on_gpu()) {
      fill_on_device(p.type, first, p.count, seed);
      return array;
    }
    // Not filled by a kernel, because the launch would be counted with those of the row.
    const std::vector<T> values = input_values<T>(p.count, seed);
    check(cudaMemcpy(first, values.data(), p.count * sizeof(T), cudaMemcpyHostToDevice));
    return array;
  });
}

/// The number of elements by which each of two arrays begins after a multiple of 16 bytes.
struct array_starts {
  std::size_t x = 0, y = 0;
};

/// Returns where x and y begin. `offset` applies to y, to x, or to both, depending on the problem.
array_starts starts_of(const problem& p) {
  const std::size_t turn = (p.seed + p.offset / 2 + static_cast<std::size_t>(p.type)) % 3;
  return {turn == 0 ? 0 : p.offset, turn == 1 ? 0 : p.offset};
}

/// Returns the sum that the device must find. The host's terms are exact, so only the device rounds.
template <typename T>
reference_sum expected_sum(sum_of what, const problem& p) {
  return sum_of_terms(p.count, [&](std::size_t i) {
    // Differences and squares of floats are exact in long double, or nearly.
    using wide = std::conditional_t<std::is_integral_v<T>, T, long double>;
    if (what == sum_of::iota) return static_cast<wide>(static_cast<T>(i));
    const T x = input_value<T>(i, p.seed);
    if (what == sum_of::distances)
      return squared_difference<wide>(static_cast<wide>(x), static_cast<wide>(input_value<T>(i, p.seed + 1)));
    return x > T{} ? squared_difference<wide>(static_cast<wide>(x), wide{}) : wide{};
  });
}

/// Computes one sum.
class sum_experiment final : public call_experiment {
 public:
  sum_experiment(const problem& p, const way& w, sum_of what, const reference_sum& expected)
      : call_experiment(p, w, bytes_of(p.type)), what_(what), expected_(expected) {
    if (what == sum_of::distances) starts_ = starts_of(p);
    if (what != sum_of::iota) x_ = input_array(p, p.seed, starts_.x);
    if (what == sum_of::distances) y_ = input_array(p, p.seed + 1, starts_.y);
    call_.x = first_of(x_, starts_.x);
    call_.y = first_of(y_, starts_.y);
    // Fills the pool as if the program had made this call before.
    void* const one = pool_.allocate(p.count * bytes_of(p.type));
    void* const two = pool_.allocate(p.count * bytes_of(p.type));
    pool_.deallocate(one);
    pool_.deallocate(two);
  }
  [[nodiscard]] double error() override {
    return with_type(given_.type, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      const T got = on_host<T>(out_).front();
      if constexpr (std::is_integral_v<T>)
        return got == static_cast<T>(expected_.bits) ? 0.0 : 1.0;
      else
        return static_cast<double>(std::fabs(static_cast<long double>(got) - expected_.value));
    });
  }
  [[nodiscard]] double bound() const override {
    return error_bound(given_.type, depth_for(given_.count), expected_.absolute);
  }
  [[nodiscard]] bool intact() const override { return call_experiment::intact() && x_.intact() && y_.intact(); }
  [[nodiscard]] double bytes() const override {
    const double arrays = what_ == sum_of::iota ? 0 : what_ == sum_of::distances ? 2 : 1;
    return arrays * static_cast<double>(given_.count * bytes_of(given_.type));
  }

 private:
  [[nodiscard]] void* first_of(const guarded& array, std::size_t start) const {
    return array.data() == nullptr ? nullptr : static_cast<std::byte*>(array.data()) + start * bytes_of(given_.type);
  }

  sum_of what_;
  array_starts starts_;
  reference_sum expected_;
  guarded x_, y_;
};

/// Returns the length of bag b. As in "Scientific Programming in Julia", 1000 of 1110 bags have 1 to 10 elements, 100
/// have 11 to 100, and 10 have 101 to 1000. Here they are mixed, and 1 bag in 1111 is empty.
unsigned length_of_bag(std::size_t b, std::uint64_t seed) {
  const std::uint64_t h = mixed(b + mixed(seed + 5));
  const auto kind = static_cast<unsigned>(h % 1111);
  const auto choice = static_cast<unsigned>(h >> 32);
  if (kind == 0) return 0;
  if (kind <= 10) return 101 + choice % (longest_bag - 100);
  return kind <= 110 ? 11 + choice % 90 : 1 + choice % 10;
}

/// Computes one sum per bag.
template <typename T>
class bags_experiment final : public call_experiment {
 public:
  bags_experiment(const problem& p, const way& w, const std::vector<unsigned>& offsets)
      : call_experiment(p, w, (offsets.size() - 1) * sizeof(T)),
        offsets_(offsets),
        x_(input_array(p, p.seed)),
        offsets_on_device_(on_device(offsets)) {
    call_.x = x_.data();
    call_.offsets = static_cast<const unsigned*>(offsets_on_device_.data());
    call_.bags = offsets.size() - 1;
    pool_.deallocate(pool_.allocate(1));  // leaves one small buffer in the pool, as a library requests
  }
  /// Returns the largest error of all bags, as a fraction of its bound. For integers: 0, or 1 if any sum differs.
  [[nodiscard]] double error() override {
    const std::vector<T> got = on_host<T>(out_);
    double worst = 0;
    for (std::size_t b = 0; b < got.size(); ++b) {
      const reference_sum sum =
          sum_of_terms(offsets_[b], offsets_[b + 1], [&](std::size_t i) { return input_value<T>(i, given_.seed); });
      if constexpr (std::is_integral_v<T>) {
        worst = std::max(worst, got[b] == static_cast<T>(sum.bits) ? 0.0 : 1.0);
      } else {
        const double off = static_cast<double>(std::fabs(static_cast<long double>(got[b]) - sum.value));
        const double most = error_bound(given_.type, depth_for(given_.count), sum.absolute);
        worst = std::max(worst, off <= most ? (most > 0 ? off / most : 0.0) : HUGE_VAL);
      }
    }
    return worst;
  }
  [[nodiscard]] double bound() const override { return std::is_integral_v<T> ? 0 : 1; }
  [[nodiscard]] bool intact() const override {
    return call_experiment::intact() && x_.intact() && offsets_on_device_.intact();
  }
  [[nodiscard]] double bytes() const override {
    return static_cast<double>(x_.size_bytes() + offsets_on_device_.size_bytes() + out_.size_bytes());
  }

 private:
  std::vector<unsigned> offsets_;
  guarded x_, offsets_on_device_;
};

/// Computes the Julia set.
class julia_experiment final : public call_experiment {
 public:
  julia_experiment(const problem& p, const way& w)
      : call_experiment(p, w, std::size_t{width_of_square(p.count)} * width_of_square(p.count)) {}
  [[nodiscard]] double error() override {
    const std::vector<unsigned char> got = on_host<unsigned char>(out_);
    const julia_pixel pixel{width_of_square(given_.count)};
    // Compares at most a million pixels of a larger image. The step is odd, so that all columns are compared.
    const std::size_t step = got.size() / (1 << 20) * 2 + 1;
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); i += step)
      worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - pixel(static_cast<unsigned>(i))));
    return worst;
  }
  [[nodiscard]] double bytes() const override { return static_cast<double>(out_.size_bytes()); }
};

using preparation = std::function<std::unique_ptr<experiment>(const problem&, const way&)>;

specimen row_of(const std::string& heading, const way& w, const preparation& prepare) {
  return {.name = w.name,
          .as = w.as,
          .attempted = w.attempted,
          .group = heading,
          .rejects = [w](const problem& p) { return rejection(p, w); },
          .prepare = [w, prepare](const problem& p) { return prepare(p, w); }};
}

void add_group(study& s, const std::string& heading, std::initializer_list<std::vector<way>> all,
               const preparation& prepare) {
  for (const std::vector<way>& ways : all) {
    for (const way& w : ways) s.kernels.push_back(row_of(heading, w, prepare));
  }
}

preparation of_sum(sum_of what) {
  // The rows of a group run one after the other on the same problem, so its sum is computed only once.
  struct known_sum {
    std::optional<std::tuple<element_type, std::size_t, std::uint64_t>> of;
    reference_sum sum;
  };
  return [what, last = std::make_shared<known_sum>()](const problem& p, const way& w) {
    if (const auto asked = std::tuple(p.type, p.count, p.seed); last->of != asked) {
      last->sum =
          with_type(p.type, [&](auto* tag) { return expected_sum<std::remove_pointer_t<decltype(tag)>>(what, p); });
      last->of = asked;
    }
    return std::make_unique<sum_experiment>(p, w, what, last->sum);
  };
}

std::vector<column> columns() {
  const auto an_element = [](const char* counter) {
    return [counter](const outcome& o) { return over_all(o, counter) / static_cast<double>(o.count); };
  };
  const auto a_block = [](const char* counter) {
    return [counter](const outcome& o) { return over_all(o, counter) / over_all(o, "workbook__blocks.sum"); };
  };
  return {{"launches", "", [](const outcome& o) { return static_cast<double>(o.launches.size()); }},
          {"allocs", "per call", [](const outcome& o) { return o.allocations.value_or(NAN); }},
          {"bytes", "per elem.", [](const outcome& o) { return std::round(100 * bytes_per_element(o)) / 100; }},
          {"instr.", "per elem.", an_element("workbook__inst_executed.sum")},
          {"barriers", "per block", a_block("workbook__barriers.sum")},
          {"lanes", "active", [](const outcome& o) {
             return over_all(o, "workbook__thread_inst_executed.sum") / over_all(o, "workbook__inst_executed.sum");
           }}};
}

}  // namespace

std::optional<std::string> rejection(const problem& p, const way& w) {
  if (p.offset != 0 && !w.any_start) return "both arrays must begin at a multiple of 16 bytes: give --offset 0";
  if (p.block_size % 32 != 0)
    return "every warp of a block must be whole: give a --block-size that is a multiple of 32";
  if (p.count > max_elements) return "this chapter counts in 32 bits: give a --count up to 2^31";
  return {};
}

std::vector<unsigned> bag_offsets(std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> offsets = {0};
  for (std::size_t b = 0; offsets.back() < n; ++b)
    offsets.push_back(static_cast<unsigned>(std::min<std::size_t>(n, offsets.back() + length_of_bag(b, seed))));
  return offsets;
}

double bytes_per_element(const outcome& o) {
  return 32 *
         (over_all(o, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
          over_all(o, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")) /
         static_cast<double>(o.count);
}

specimen make_row(std::string name, role as, const way& w) {
  specimen row = softmax_row(softmax_heading, w);
  row.name = std::move(name);
  row.as = as;
  return row;
}

study table_of_pipelines() {
  study s;
  s.counted = "elements";
  s.default_count_gpu = std::size_t{1} << 26;
  s.default_count_emulator = std::size_t{1} << 16;
  s.values_per_count = 60;  // the arrays of all rows, and the bags, stay allocated
  s.shows_compiled = false;
  s.takes_offsets = true;
  way reference = solution_way(), yours = exercise_way();
  reference.as = role::reference;
  yours.as = role::yours;
  for (const std::vector<way>& ways : {softmax_ways(), std::vector{reference, yours}}) {
    for (const way& w : ways) s.kernels.push_back(softmax_row(softmax_heading, w));
  }
  add_group(s, "the sum of (x - y)^2", {distance_ways(), distances_of_libraries()}, of_sum(sum_of::distances));
  add_group(s, "the sum of the squares of what is above 0", {filter_ways(), filters_of_libraries()},
            of_sum(sum_of::filtered));
  add_group(s, "the sum of 0, 1, ... n - 1", {iota_ways()}, of_sum(sum_of::iota));
  add_group(s, "the sum of each of many bags", {bag_ways(), bags_of_libraries()}, [](const problem& p, const way& w) {
    return prepared_as<bags_experiment>(w, bag_offsets(p.count, p.seed))(p);
  });
  add_group(s, "a map: the Julia set, a byte a pixel", {julia_ways()},
            [](const problem& p, const way& w) { return std::make_unique<julia_experiment>(p, w); });
  s.counts = columns();
  return s;
}

}  // namespace chapter13
