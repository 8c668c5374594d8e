#pragma once
/// \file
/// The rows of a chapter's table, whatever they compute: a `specimen` prepares an `experiment`, `examine` runs it and
/// says what came of it. A ladder's reductions become such rows in laboratory.hpp; other chapters bring their own.

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

/// One launch as the occupancy calculator sees it.
struct launch_plan {
  const void* kernel = nullptr;  ///< The `__global__` function; null where it is not known.
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
  /// Makes the outputs forget the last launch.
  virtual void spoil() = 0;
  /// Says what makes it pointless to look at the outputs; empty where nothing does.
  [[nodiscard]] virtual std::string complaint() { return {}; }
  /// Returns the largest difference between an output and what the host computed; infinite where one is NaN.
  /// Synchronises.
  [[nodiscard]] virtual double error() = 0;
  /// Returns the largest difference that a right kernel can have; 0 where it must be exact.
  [[nodiscard]] virtual double bound() const { return 0; }
  /// Returns the one output, once `error` has read it; empty where there are several.
  [[nodiscard]] virtual std::string result_text() const { return {}; }
  /// Returns how many passes over the data the last launch took.
  [[nodiscard]] virtual std::size_t passes() const { return 1; }
  /// Says whether nothing beside the buffers was written. Synchronises.
  [[nodiscard]] virtual bool intact() const = 0;
  /// Says what was written that should not have been; empty where nothing was. Synchronises.
  [[nodiscard]] virtual std::string damage() {
    return intact() ? std::string() : "the kernel wrote outside its arrays: guard words beside a buffer have changed";
  }
  /// Returns how many partial sums each pass of the last launch says that it left; empty where there are no passes.
  [[nodiscard]] virtual std::vector<std::size_t> returned() const { return {}; }
  /// Returns what the last launch sent between GPUs; nothing where that is not known.
  [[nodiscard]] virtual std::optional<port_use> ports() const { return {}; }
  [[nodiscard]] virtual launch_plan plan() const { return {}; }
  /// Bytes of global memory that the launch must move at least, for bandwidth; 0: that is not what counts here.
  [[nodiscard]] virtual double bytes() const { return 0; }
};

/// Why a kernel cannot run on a problem. A text alone is one, too.
struct obstacle {
  std::string text;
  bool is_block_size = false;  ///< A smaller block would do.

  obstacle(std::string why, bool block_size = false) : text(std::move(why)), is_block_size(block_size) {}
  /// Returns the text with what to do about it, for those who have chosen the block.
  [[nodiscard]] std::string with_advice() const {
    return is_block_size ? text + ": give a smaller --block-size" : text;
  }
};

/// One kernel of a chapter's table.
struct specimen {
  std::string name;
  role as = role::reference;
  bool attempted = true;             ///< False for an exercise that the student has not touched.
  bool named_by_its_kernel = false;  ///< Once it has run, the row has the name of the `__global__` function.
  std::string group{};               ///< The heading above rows that do the same work; they stand together.
  /// How many elements' work stands behind each that `--count` counts: a kernel that executes far more is stopped.
  std::size_t work_per_count = 1;
  /// Returns why the kernel cannot run on this problem, or nothing if it can. May be empty.
  std::function<std::optional<obstacle>(const problem&)> rejects{};
  /// Prepares the kernel. \throws device_error
  std::function<std::unique_ptr<experiment>(const problem&)> prepare{};
  /// Finds out why the result was wrong, by running the kernel again. May be empty.
  std::function<std::optional<explanation>(const problem&)> explain{};
  /// Says in the chapter's words what the checks found in calls, where it can. May be empty.
  std::function<void(const problem&, outcome&)> retell{};
  /// Gives up device memory that is kept from one experiment to the next. May be empty. To be called before another
  /// device is selected, or this one reset.
  std::function<void()> release{};
  [[nodiscard]] std::optional<obstacle> obstacle_to(const problem& p) const {
    return rejects ? rejects(p) : std::nullopt;
  }
  /// Returns the same as text, for those who have chosen the problem.
  [[nodiscard]] std::optional<std::string> why_not(const problem& p) const {
    const std::optional<obstacle> found = obstacle_to(p);
    return found ? std::optional(found->with_advice()) : std::nullopt;
  }
  /// Says whether the kernel can run on a problem, as far as that is known before it is compiled.
  [[nodiscard]] bool takes(const problem& p) const { return !obstacle_to(p); }
};

/// A column of a table of counts: two words above it, and its value for a row (NaN: none).
struct column {
  std::string first, second;
  std::function<double(const outcome&)> value;
};

/// A chapter's table, and what it runs on unless the command line says otherwise.
struct study {
  std::vector<specimen> kernels;  ///< In the order of the table.
  std::vector<column> counts;     ///< The table on the emulator.
  /// For beginners: the one count that the table on the emulator shows, unless all are asked for.
  std::optional<column> first_count;
  std::string counted;  ///< What `--count` counts, such as "private arrays"; empty: the elements.
  std::size_t default_count_gpu = std::size_t{1} << 26;
  std::size_t default_count_emulator = std::size_t{1} << 20;
  unsigned default_block_size = problem{}.block_size;
  /// Sizes for the strict test at which something happens that small ones do not show.
  std::vector<std::size_t> telling_counts;
  /// How many elements of the host's memory the emulator takes for each that `--count` counts: the input on the host
  /// and on the device, and what the checks note of it.
  double values_per_count = 2.1;
  bool fewer_rounds_on_emulator = false;  ///< Its threads do less there, unless `problem::gpu_rounds`.
  bool takes_offsets = false;  ///< Arrays may begin `problem::offset` elements behind a multiple of 16 bytes.
  std::string offset_means = "the array begins off a multiple of 16 bytes";  ///< What is so then.
  /// Several GPUs work together: the most there may be; the emulator has as many. 0: the chapter is about one.
  unsigned most_gpus = 0;
  /// Says how many GPUs `p` takes on a device: ", 4 GPUs". May be empty.
  std::function<std::string(const problem& p, const device_facts& on)> gpus_in_words;
  bool predicts = true;  ///< The table on the emulator has predicted times.
  /// Times at this number of elements are predicted, too, from counts at smaller ones; 0: none are.
  std::size_t scaled_count = 0;
  bool takes_shapes = false;  ///< Blocks may have two and three dimensions.
  /// The goal is measured with each of these, beside the table's `int`. Most lessons are about words of 4 bytes.
  std::vector<element_type> goal_types = {element_type::float32};
  std::string baseline;  ///< The kernel whose time is 1 in the table on a GPU; with groups, it is each one's first.
  bool shows_compiled = true;  ///< The table says what the compiler decided.
  /// Every kernel sums up the whole input. Then sizes at which sums go wrong are tried, and the memory's speed is the
  /// measure of the times.
  bool one_sum = false;
};

/// Runs one kernel: checked and counted on the emulator, checked and timed on a GPU.
[[nodiscard]] outcome examine(const specimen& kernel, const problem& p, const effort& how);

/// Asks compiler and occupancy calculator about a launch. \throws device_error
[[nodiscard]] compiled_facts facts_of(const launch_plan& plan);

/// Returns the largest |a[k] - b[k]|; infinite where one is NaN or the lengths differ.
template <typename T>
[[nodiscard]] double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
    if (a[k] == b[k]) continue;
    const double difference = std::fabs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
    // A difference that double cannot tell is one nevertheless, and NaN is none that may pass.
    largest = std::max(largest, difference > 0 ? difference : std::isnan(difference) ? HUGE_VAL : 1.0);
  }
  return largest;
}

}  // namespace workbook
