#pragma once
/// \file
/// The rows of a chapter's table. A `specimen` prepares an `experiment`, and `examine` runs it and returns its outcome.
/// laboratory.hpp makes rows from a ladder's reductions; other chapters define their own.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "workbook/device_facts.hpp"
#include "workbook/measure.hpp"

namespace workbook {

/// The parameters of one launch that the occupancy calculator needs.
struct launch_plan {
  const void* kernel = nullptr;  ///< The `__global__` function; null if it is not known.
  unsigned block_size = 0;       ///< Threads.
  std::size_t dynamic_shared_bytes = 0;
};

/// A kernel with its buffers on the selected device.
class experiment {
 public:
  experiment() = default;
  virtual ~experiment() = default;
  experiment(const experiment&) = delete;
  experiment& operator=(const experiment&) = delete;
  /// Computes everything once. Does not synchronise.
  virtual void launch() = 0;
  /// Overwrites the outputs, so that results of an earlier launch cannot be mistaken for those of the next one.
  virtual void poison_outputs() = 0;
  /// Returns why the outputs cannot be checked, or an empty string.
  [[nodiscard]] virtual std::string complaint() { return {}; }
  /// Returns the largest difference between an output and the host's value for it; infinite if an output is NaN.
  /// Synchronises.
  [[nodiscard]] virtual double error() = 0;
  /// Returns the largest difference that a correct kernel may have; 0 if results must be exact.
  [[nodiscard]] virtual double bound() const { return 0; }
  /// Returns the output as text, after `error` has read it. Empty if there are several outputs.
  [[nodiscard]] virtual std::string result_text() const { return {}; }
  /// Returns the number of passes over the data in the last launch.
  [[nodiscard]] virtual std::size_t passes() const { return 1; }
  /// Returns true if nothing outside the buffers was written. Synchronises.
  [[nodiscard]] virtual bool intact() const = 0;
  /// Returns what was written but should not have been, or an empty string. Synchronises.
  [[nodiscard]] virtual std::string damage() {
    return intact() ? std::string() : "the kernel wrote outside its arrays: guard words next to a buffer have changed";
  }
  /// Returns the number of partial sums that each pass of the last launch reported. Empty if there are no passes.
  [[nodiscard]] virtual std::vector<std::size_t> returned() const { return {}; }
  /// Returns the traffic between GPUs during the last launch, or nothing if it is unknown.
  [[nodiscard]] virtual std::optional<port_use> ports() const { return {}; }
  [[nodiscard]] virtual launch_plan plan() const { return {}; }
  /// Returns the fewest bytes of global memory that the launch can move, for the bandwidth; 0 if the bandwidth isn't
  /// useful here.
  [[nodiscard]] virtual double bytes() const { return 0; }
};

/// Why a kernel cannot run on a problem. Converts from a string.
struct obstacle {
  std::string text;
  bool is_block_size = false;  ///< True if a smaller block would work.

  obstacle(std::string why, bool block_size = false) : text(std::move(why)), is_block_size(block_size) {}
  /// Returns the text with advice, for users who have chosen the block size.
  [[nodiscard]] std::string with_advice() const {
    return is_block_size ? text + ": give a smaller --block-size" : text;
  }
};

/// One kernel of a chapter's table.
struct specimen {
  std::string name;
  role as = role::reference;
  bool attempted = true;             ///< False for an exercise that the student has not touched.
  bool named_by_its_kernel = false;  ///< After the kernel has run, the row is named after its `__global__` function.
  std::string group{};               ///< Heading above the rows that do the same work, which must be adjacent.
  /// Elements of work per element of `--count`. It scales the limit at which a kernel that executes far too many
  /// instructions is stopped.
  std::size_t work_per_count = 1;
  /// Returns why the kernel cannot run on this problem, or nothing if it can. May be empty.
  std::function<std::optional<obstacle>(const problem&)> rejects{};
  /// Prepares the kernel. \throws device_error
  std::function<std::unique_ptr<experiment>(const problem&)> prepare{};
  /// Runs the kernel again to find out why its result was wrong. May be empty.
  std::function<std::optional<explanation>(const problem&)> explain{};
  /// Rewords the findings in runtime calls for this chapter, if possible. May be empty.
  std::function<void(const problem&, outcome&)> retell{};
  /// Frees device memory that is cached between experiments. May be empty. Must be called before another device is
  /// selected or this one is reset.
  std::function<void()> release{};
  [[nodiscard]] std::optional<obstacle> obstacle_to(const problem& p) const {
    return rejects ? rejects(p) : std::nullopt;
  }
  /// Returns the text of the obstacle with advice, for users who have chosen the problem.
  [[nodiscard]] std::optional<std::string> why_not(const problem& p) const {
    const std::optional<obstacle> found = obstacle_to(p);
    return found ? std::optional(found->with_advice()) : std::nullopt;
  }
  /// Returns true if the kernel can run on a problem, as far as this is known without compiling it.
  [[nodiscard]] bool takes(const problem& p) const { return !obstacle_to(p); }
};

/// A column of a table of counts: the two lines of its heading, and the value for a row (NaN if it has none).
struct column {
  std::string first, second;
  std::function<double(const outcome&)> value;
};

/// A chapter's table, and defaults for the problem that it runs on.
struct study {
  std::vector<specimen> kernels;  ///< In the order of the table.
  std::vector<column> counts;     ///< Columns of the table on the emulator.
  /// For beginners: the only count in the emulator's table, unless all are requested.
  std::optional<column> first_count;
  std::string counted;  ///< What `--count` counts, such as "private arrays"; empty for elements.
  std::size_t default_count_gpu = std::size_t{1} << 26;
  std::size_t default_count_emulator = std::size_t{1} << 20;
  unsigned default_block_size = problem{}.block_size;
  /// Sizes for the strict test at which kernels behave differently than at small sizes.
  std::vector<std::size_t> telling_counts;
  /// Host memory that the emulator needs for each element of `--count`, in elements: the input on the host and on the
  /// device, and the checks' records about it.
  double values_per_count = 2.1;
  bool fewer_rounds_on_emulator = false;  ///< The emulator's threads do less work, unless `problem::gpu_rounds`.
  bool takes_offsets = false;             ///< Arrays may begin `problem::offset` elements after a multiple of 16 bytes.
  std::string offset_means = "the array begins off a multiple of 16 bytes";  ///< The meaning of such an offset.
  /// Largest number of GPUs that work together. The emulator has this many. 0 if the chapter uses only one.
  unsigned max_gpus = 0;
  /// Returns a text with the number of GPUs that `p` uses on a device, such as ", 4 GPUs". May be empty.
  std::function<std::string(const problem& p, const device_facts& on)> gpus_in_words;
  bool predicts = true;  ///< True if the table on the emulator has predicted times.
  /// Number of elements for which times are also predicted, from counts at smaller sizes; 0 for none.
  std::size_t scaled_count = 0;
  bool takes_shapes = false;  ///< Blocks may have two or three dimensions.
  /// Types with which the goal is measured, in addition to the table's `int`. Most lessons are about 4-byte words.
  std::vector<element_type> goal_types = {element_type::float32};
  std::string baseline;        ///< The kernel whose time is 1 in the table on a GPU; with groups, the first of each.
  bool shows_compiled = true;  ///< True if the table shows the compiler's decisions, such as registers per thread.
  /// True if every kernel sums the whole input. Then sizes at which sums often go wrong are tested, and times are
  /// compared with the memory's speed.
  bool one_sum = false;
};

/// Runs one kernel. On the emulator it is checked and counted, and on a GPU it is checked and timed.
[[nodiscard]] outcome examine(const specimen& kernel, const problem& p, const effort& how);

/// Queries the compiler's facts and the occupancy of a launch. \throws device_error
[[nodiscard]] compiled_facts facts_of(const launch_plan& plan);

/// Returns the largest |a[k] - b[k]|; infinite if one is NaN or if the lengths differ.
template <typename T>
[[nodiscard]] double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
    if (a[k] == b[k]) continue;
    const double difference = std::fabs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
    // A difference that is too small for a double counts as 1, and NaN as infinite, so that neither can pass.
    largest = std::max(largest, difference > 0 ? difference : std::isnan(difference) ? HUGE_VAL : 1.0);
  }
  return largest;
}

}  // namespace workbook
