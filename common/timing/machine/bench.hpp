#pragma once
/// \file
/// The measuring tools of all parts of the program: times by events or by the multiprocessor's clock on a GPU, and one
/// run under all checks on the emulator.

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

/// Runs the code that is measured, and prints the results.
class bench {
 public:
  /// \param timed   on a GPU; otherwise each kernel runs once, and every figure is NaN
  /// \param spoken  where the tables are printed
  /// \throws device_error
  bench(bool timed, std::FILE* spoken);

  [[nodiscard]] bool timed() const { return watch_ != nullptr; }
  /// Returns `large` on a GPU, and `small` on the emulator.
  template <typename T>
  [[nodiscard]] T size(T large, T small) const {
    return timed() ? large : small;
  }

  /// Returns the median microseconds of `run`, after two runs that do not count, and prints a note if the host was too
  /// slow to queue a run before the GPU began. On the emulator, `run` is run once under all checks, and the result is
  /// NaN. Synchronises. \throws device_error
  [[nodiscard]] double microseconds(const std::function<void()>& run, start how, int repetitions = 5);
  /// As above, of the fastest run, which shows what is possible.
  [[nodiscard]] double least_microseconds(const std::function<void()>& run, start how, int repetitions = 7);

  /// Collects the findings of the emulator's checks on the launches since the last call. Does nothing on a GPU.
  void take_findings();
  /// Returns a counter of the emulator, summed over the launches that `take_findings` took last.
  [[nodiscard]] std::uint64_t counted(const std::string& counter) const;
  /// Checks that something that can be compared is right, and prints `what` if it isn't.
  void expect(bool right, const std::string& what);
  [[nodiscard]] bool all_right() const { return all_right_; }

  void heading(std::string_view part);
  /// Prints a text on any device.
  void tell(std::string_view text);
  /// Prints a line of a table of times; nothing on the emulator, which has none.
  template <typename... Arguments>
  void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (timed()) tell(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

 private:
  [[nodiscard]] std::vector<double> all_microseconds(const std::function<void()>& run, start how, int repetitions);
  std::unique_ptr<stop_watch> watch_;  ///< Null on the emulator, which has no time.
  std::FILE* spoken_;
  std::vector<emulator::launch_report> last_;
  bool all_right_ = true;
};

/// Launches a kernel that is known by its address. Does not synchronise. \throws device_error
template <typename... Arguments>
void launch(const void* kernel, unsigned grid_size, unsigned block_size, std::size_t shared_bytes,
            Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
  check(cudaLaunchKernel(kernel, dim3(grid_size), dim3(block_size), addresses, shared_bytes, nullptr));
}

/// Lets a kernel have `shared_bytes` of dynamic shared memory, if that is more than any kernel has by default.
/// \throws device_error
void allow_shared(const void* kernel, std::size_t shared_bytes);

/// Returns how many blocks of the kernel a multiprocessor holds. \throws device_error
[[nodiscard]] unsigned blocks_that_fit(const void* kernel, unsigned block_size, std::size_t shared_bytes = 0);

struct clocked_result {
  double cycles = 0;             ///< Between the readings of the clock.
  std::vector<unsigned> values;  ///< The values that the threads have stored.
};

/// Launches once. Synchronises. \throws device_error
[[nodiscard]] clocked_result run_clocked(const clocked_kernel& k, unsigned repetitions);

/// Returns the cycles of a step: the additional cycles of more repetitions, so that the cost of reading the clock
/// cancels. They are the minimum of several runs. On the emulator it runs the kernel once, compares what can be
/// compared, and returns NaN.
[[nodiscard]] double cycles_of_step(bench& b, const clocked_kernel& k);

}  // namespace workbook::machine
