#pragma once
/// \file
/// Runs a rung of the ladder on one input: verified, counted, and on a GPU timed.

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
  std::size_t offset = 0;  ///< Elements between the beginning of an allocation and that of the input.
};

struct timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
  int repetitions = 0;
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
  std::optional<timing> cold;                     ///< GPU only: L2 flushed before each run.
  std::optional<timing> warm;
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
  template <typename T>
  void run_typed(const reduction& rung, const effort& how, outcome& o);

  problem problem_;
  reference_sum reference_;
  struct device_input;
  std::unique_ptr<device_input> input_;
};

}  // namespace workbook
