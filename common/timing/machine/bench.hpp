#pragma once
/// \file
/// The measuring tools that all parts of the program use. On a GPU, they measure times by events or by the clock of a
/// streaming multiprocessor (SM). On the emulator, they run each kernel once under all checks.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "reductions/buffer.hpp"
#include "timing/machine/kernels/clocked.hpp"
#include "workbook/timer.hpp"

namespace workbook::machine {

/// Runs the code to measure, and prints the results.
class bench {
 public:
  /// \param timed   true on a GPU; if false, each kernel runs once, and every time is NaN
  /// \param spoken  the file to which the tables are printed
  /// \throws device_error
  bench(bool timed, std::FILE* spoken);

  [[nodiscard]] bool timed() const { return watch_ != nullptr; }
  /// Returns `large` on a GPU and `small` on the emulator.
  template <typename T>
  [[nodiscard]] T size(T large, T small) const {
    return timed() ? large : small;
  }

  /// Returns the median time of `run` in microseconds, after two runs that do not count. Prints a note if the host was
  /// too slow to queue a run before the GPU began. On the emulator, calls `run` once under all checks, and returns NaN.
  /// Synchronises. \throws device_error
  [[nodiscard]] double microseconds(const std::function<void()>& run, start how, int repetitions = 5);
  /// As `microseconds`, but returns the time of the fastest run, which shows what is possible.
  [[nodiscard]] double least_microseconds(const std::function<void()>& run, start how, int repetitions = 7);

  /// Collects the findings of the emulator's checks for the launches since the last call. Does nothing on a GPU.
  void take_findings();
  /// Returns a counter of the emulator, summed over the launches that the last call of `take_findings` collected.
  [[nodiscard]] std::uint64_t counted(const std::string& counter) const;
  /// Records an error and prints `what`, unless `right` is true.
  void expect(bool right, const std::string& what);
  [[nodiscard]] bool all_right() const { return all_right_; }

  void heading(std::string_view part);
  /// Prints a text, on a GPU and on the emulator.
  void tell(std::string_view text);
  /// Prints a line of a table of times. Prints nothing on the emulator, which measures no times.
  template <typename... Arguments>
  void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (timed()) tell(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

 private:
  [[nodiscard]] std::vector<double> all_microseconds(const std::function<void()>& run, start how, int repetitions);
  std::unique_ptr<stop_watch> watch_;  ///< Null on the emulator, which measures no times.
  std::FILE* spoken_;
  std::vector<emulator::launch_report> last_;
  bool all_right_ = true;
};

/// Launches the kernel with this address. Does not synchronise. \throws device_error
template <typename... Arguments>
void launch(const void* kernel, unsigned grid_size, unsigned block_size, std::size_t shared_bytes,
            Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
  check(cudaLaunchKernel(kernel, dim3(grid_size), dim3(block_size), addresses, shared_bytes, nullptr));
}

/// Allows the kernel to use `shared_bytes` of dynamic shared memory, if that is more than the default limit.
/// \throws device_error
void allow_shared(const void* kernel, std::size_t shared_bytes);

/// Returns the number of blocks of the kernel that fit on one SM at once. \throws device_error
[[nodiscard]] unsigned blocks_that_fit(const void* kernel, unsigned block_size, std::size_t shared_bytes = 0);

struct clocked_result {
  double cycles = 0;             ///< Cycles between the two readings of the clock.
  std::vector<unsigned> values;  ///< The values that the threads have stored.
};

/// Launches the kernel once. Synchronises. \throws device_error
[[nodiscard]] clocked_result run_clocked(const clocked_kernel& k, unsigned repetitions);

/// Returns the cycles of one step. They are computed from the additional cycles that more repetitions take, so that the
/// cost of reading the clock cancels; the minimum of several runs is used. On the emulator, runs the kernel once,
/// checks the values that are known on the host, and returns NaN.
[[nodiscard]] double cycles_of_step(bench& b, const clocked_kernel& k);

}  // namespace workbook::machine
