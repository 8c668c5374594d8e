#pragma once
/// \file
/// Runs a rung of the ladder on one input: verified, counted, and on a GPU timed.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "workbook/element.hpp"
#include "workbook/reduction.hpp"
#include "workbook/reference.hpp"

namespace workbook {

/// What to run on.
struct problem {
  element_type type = element_type::int32;
  std::size_t count = 0;
  unsigned block_size = 128;
  std::uint64_t seed = 1;
  std::array<unsigned, 3> block_shape{};  ///< x, y, z, where the block has more than one dimension; else zeros.
  std::size_t offset = 0;                 ///< Elements between the beginning of an allocation and that of the input.
};

struct timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
  int repetitions = 0;
};

/// What the compiler made of a kernel, and how many of its blocks a multiprocessor holds.
struct compiled_facts {
  int registers = 0;            ///< A thread.
  std::size_t local_bytes = 0;  ///< A thread: private arrays in memory, and spills.
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  int max_threads_per_block = 0;  ///< By registers and launch bounds.
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;  ///< Resident threads / the most that a multiprocessor holds.
  std::string limiter;   ///< "threads", "blocks", "registers" or "shared memory": what ends the next block.
};

/// What came of one rung.
struct outcome {
  std::string name;
  role as = role::reference;
  bool attempted = true;
  std::optional<std::string> rejected;  ///< Why it cannot run at this block size.
  std::string failure;                  ///< What the device said, where it failed.
  bool verified = false;
  double error = 0;  ///< |result - reference|; NaN where the result is.
  double bound = 0;
  std::string result_text;
  std::size_t passes = 0;
  std::vector<emulator::launch_report> launches;  ///< Emulator only.
  std::vector<emulator::finding> in_calls;        ///< Emulator only: of runtime calls, such as a double free.
  std::optional<timing> cold;                     ///< GPU only: L2 flushed before each run.
  std::optional<timing> warm;
  std::optional<compiled_facts> compiled;  ///< Studies only.
  double bytes = 0;                        ///< Studies only: moved at least, for bandwidth; 0: not what counts.
  bool of_study = false;
  std::size_t count = 0;              ///< Studies only: that of the problem.
  std::string group;                  ///< Studies only: the heading that the row stands under; may be empty.
  std::optional<double> allocations;  ///< Studies on the emulator only: of device memory, by one call.
  [[nodiscard]] std::vector<emulator::finding> findings() const;
  /// Says whether all that was tried is right and clean.
  [[nodiscard]] bool passed() const {
    return rejected || !attempted || (verified && failure.empty() && findings().empty());
  }
};

/// How to run.
struct effort {
  bool observe = true;  ///< Emulator: count and check. Otherwise as fast as it can.
  int repetitions = 0;  ///< GPU: timed runs, cold and warm; 0: no times.
};

/// While it lives, the emulator observes or runs plainly, and stops a kernel that executes far more than `count`
/// elements need; after it, its options are as before, and reports of earlier launches are gone. Nothing on a GPU.
class watched_run {
 public:
  watched_run(bool observe, std::size_t count);
  ~watched_run();
  watched_run(const watched_run&) = delete;
  watched_run& operator=(const watched_run&) = delete;

 private:
  emulator::options before_;
};

/// Resets the device after `kernel` faulted. A GPU need not come back for the same process; then
/// `why_device_is_gone` says so.
void recover_device(const std::string& kernel);
[[nodiscard]] std::optional<std::string> why_device_is_gone();

struct laboratory_scratch;

/// Runs rungs on inputs of one problem; the input stays on the device between them.
class laboratory {
 public:
  explicit laboratory(const problem& p);
  ~laboratory();
  laboratory(const laboratory&) = delete;
  laboratory& operator=(const laboratory&) = delete;

  [[nodiscard]] outcome run(const reduction& rung, const effort& how);
  /// Runs the rung once with the emulator's options as they stand, for benchmarks; says whether the sum is right.
  [[nodiscard]] bool launch(const reduction& rung);
  [[nodiscard]] const problem& given() const { return problem_; }

 private:
  /// The input on the selected device, made where there is none yet.
  template <typename T>
  const T* input();
  /// Runs the rung once and compares its result; says whether it is right.
  template <typename T>
  bool run_and_compare(const reduction& rung, const laboratory_scratch& s, outcome& o);
  /// As above, and says whether nothing else was written.
  template <typename T>
  bool judge(const reduction& rung, const laboratory_scratch& s, bool poisoned, outcome& o);
  template <typename T>
  void run_typed(const reduction& rung, const effort& how, outcome& o);

  problem problem_;
  reference_sum reference_;
  struct device_input;
  std::unique_ptr<device_input> input_;
};

}  // namespace workbook
