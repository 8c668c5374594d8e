#pragma once
/// \file
/// What a kernel is run on, how, and what came of it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "workbook/element.hpp"
#include "workbook/printed.hpp"
#include "workbook/reduction.hpp"
#include "workbook/reference.hpp"

namespace workbook {

/// What to run on.
struct problem {
  element_type type = element_type::int32;
  std::size_t count = 0;
  unsigned block_size = 256;
  std::uint64_t seed = 1;
  std::array<unsigned, 3> block_shape{};  ///< x, y, z, where the block has more than one dimension; else zeros.
  std::size_t offset = 0;                 ///< Elements between the beginning of an allocation and that of the input.
  bool gpu_rounds = false;                ///< On the emulator each thread has as much to do as on a GPU.
  unsigned gpus = 0;                      ///< How many take part; 0: as many as the chapter takes by itself.
  bool random_indices = false;            ///< What the chapter's kernels look up stands anywhere, as the seed has it.
  bool operator==(const problem&) const = default;
};

struct timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
  int repetitions = 0;
  bool queued = false;  ///< Every run was queued behind work before it began.
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

/// What several GPUs that work together send each other. A GPU's port takes all that comes in, or all that goes out.
struct port_use {
  unsigned gpus = 0;         ///< How many work together.
  double busiest_bytes = 0;  ///< Of the busiest port of each step, summed over the steps.
  unsigned steps = 0;        ///< In which anything was sent.
  unsigned idle_steps = 0;   ///< Of these, in which at least one GPU got nothing.
};

/// Why a result is wrong, as far as that can be found out. Whole sentences.
struct explanation {
  std::string cause{};        ///< What the kernel does wrong, and to which elements.
  std::string example{};      ///< The smallest case that shows it; may be empty.
  std::string picture{};      ///< A line for each of those things that are better seen; may be empty.
  bool of_strangers = false;  ///< Something is added that is no element, and it is not known what.
  /// Not 0: blocks of that many threads come out right, and the cause begins with that.
  unsigned right_block_size = 0;
};

/// What came of one kernel.
struct outcome {
  std::string name{};
  role as = role::reference;
  bool attempted = true;
  std::optional<std::string> rejected{};       ///< Why it cannot run at this block size.
  std::string failure{};                       ///< What the device said, where it failed.
  std::optional<emulator::refusal> refusal{};  ///< Emulator only: why it refused a launch.
  bool verified = false;
  double error = 0;  ///< |result - reference|; NaN where the result is.
  double bound = 0;
  std::string result_text{};
  /// Emulator only: another result comes out where registers that nothing set hold another value.
  bool hangs_on_unset = false;
  bool left_over = false;                  ///< Emulator only: what is wrong is not so on a fresh device.
  std::optional<explanation> why_wrong{};  ///< Of a wrong result of an emulated kernel, where it could be found out.
  std::size_t passes = 0;
  std::vector<std::size_t> returned{};              ///< How many partial sums each pass says that it left.
  std::vector<emulator::launch_report> launches{};  ///< Emulator only.
  std::vector<emulator::finding> in_calls{};        ///< Emulator only: of runtime calls, such as a double free.
  std::optional<timing> cold{}, warm{}, idle{};     ///< GPU only: one per `start`.
  std::optional<compiled_facts> compiled{};         ///< Where it is known which kernel is launched.
  double bytes = 0;                                 ///< Moved at least, for bandwidth; 0: not what counts.
  std::size_t count = 0;                            ///< That of the problem.
  std::string group{};                              ///< The heading that the row stands under; may be empty.
  bool host_waits = false;              ///< Emulator only: the host waited for the device while the kernel's code ran.
  std::optional<double> allocations{};  ///< Emulator only: of device memory, by one call.
  double copied_bytes = 0;              ///< Emulator only: inside device memory, by calls of the host.
  std::optional<port_use> ports{};      ///< Emulator only: where several GPUs work together.
  printed said{};                       ///< What it printed to standard output, under the row's name.
  [[nodiscard]] std::vector<emulator::finding> findings() const;
  /// Returns the launch that tables and goals speak of: the one that executed the most instructions, so that an empty
  /// launch in front hides nothing; of equals the first. There must be one.
  [[nodiscard]] const emulator::launch_report& main_launch() const;
  /// Says whether all that was tried is right and clean.
  [[nodiscard]] bool passed() const {
    return rejected || !attempted || (verified && failure.empty() && findings().empty());
  }
};

/// How to run.
struct effort {
  std::uint8_t unset_byte = emulator::options{}.unset_byte;  ///< As `emulator::options` has it.
  bool observe = true;                 ///< Emulator: count and check. Otherwise as fast as it can.
  bool check = true;                   ///< Emulator, where it observes: look for faults, too. Otherwise it only counts.
  bool follow = true;                  ///< Emulator, where it observes: follow some blocks for their longest chain.
  int repetitions = 0;                 ///< GPU: timed runs, cold and warm; 0: no times.
  std::size_t lines_kept = few_lines;  ///< Of what the kernel prints.
  bool explains = true;  ///< Emulator: where something is wrong, find out why by running the kernel again.
};

/// While it lives, the emulator observes (and checks) or runs plainly, and stops a kernel that executes far more than
/// `count` elements need, or whose blocks wait for such as start behind them; after it, its options are as before, and
/// reports of earlier launches are gone. Nothing on a GPU.
class watched_run {
 public:
  watched_run(bool observe, std::size_t count, const effort& how = {});
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

}  // namespace workbook
