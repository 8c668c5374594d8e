#pragma once
/// \file
/// The input of a kernel's run, its settings, and its outcome.

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

/// The input and the launch parameters of a kernel.
struct problem {
  element_type type = element_type::int32;
  std::size_t count = 0;
  unsigned block_size = 256;
  std::uint64_t seed = 1;
  std::array<unsigned, 3> block_shape{};  ///< x, y, z if the block has more than one dimension; otherwise zeros.
  std::size_t offset = 0;                 ///< Elements between the beginning of an allocation and the input.
  bool gpu_rounds = false;                ///< On the emulator, gives each thread as much work as on a GPU.
  unsigned gpus = 0;                      ///< GPUs that take part; 0 for the chapter's default.
  bool random_indices = false;            ///< Table lookups use random indices, which depend on the seed.
  bool operator==(const problem&) const = default;
};

struct timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
  int repetitions = 0;
  bool queued = false;  ///< True if every run was queued after other work before it began.
};

/// The compiler's facts about a kernel, and how many of its blocks fit on a streaming multiprocessor (SM).
struct compiled_facts {
  int registers = 0;            ///< Per thread.
  std::size_t local_bytes = 0;  ///< Per thread: private arrays in memory, and spills.
  std::size_t static_shared_bytes = 0;
  std::size_t dynamic_shared_bytes = 0;
  int max_threads_per_block = 0;  ///< As limited by registers and launch bounds.
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;  ///< Resident threads / maximum that an SM can hold.
  std::string limiter;   ///< What prevents one more block: "threads", "blocks", "registers" or "shared memory".
};

/// Traffic between several GPUs that work together. A GPU's port counts all incoming or all outgoing bytes.
struct port_use {
  unsigned gpus = 0;         ///< GPUs that work together.
  double busiest_bytes = 0;  ///< Bytes through the busiest port of each step, summed over the steps.
  unsigned steps = 0;        ///< Steps in which anything was sent.
  unsigned idle_steps = 0;   ///< The number of these in which at least one GPU received nothing.
};

/// Why a result is wrong, as far as that is known, in whole sentences.
struct explanation {
  std::string cause{};        ///< The kernel's mistake, and the elements that it affects.
  std::string example{};      ///< The smallest case that shows it; may be empty.
  std::string picture{};      ///< Lines of a picture, if that is easier to understand than text; may be empty.
  bool of_strangers = false;  ///< A value that is not an input element is added; its origin is unknown.
  /// If it isn't 0, the result is right for blocks of this many threads, and `cause` begins by stating this.
  unsigned right_block_size = 0;
};

/// The outcome of running one kernel.
struct outcome {
  std::string name{};
  role as = role::reference;
  bool attempted = true;
  std::optional<std::string> rejected{};       ///< Why it cannot run at this block size.
  std::string failure{};                       ///< The device's error message, if it failed.
  std::optional<emulator::refusal> refusal{};  ///< Emulator only: why a launch was refused.
  bool verified = false;
  double error = 0;  ///< |result - reference|; NaN if the result is.
  double bound = 0;
  std::string result_text{};
  /// Emulator only: the result depends on the initial values of registers that are read before they are written.
  bool hangs_on_unset = false;
  bool left_over = false;                  ///< Emulator only: the run is right on a device that has been reset.
  std::optional<explanation> why_wrong{};  ///< For a wrong result on the emulator, if a cause was found.
  std::size_t passes = 0;
  std::vector<std::size_t> returned{};              ///< Partial sums that each pass reported.
  std::vector<emulator::launch_report> launches{};  ///< Emulator only.
  std::vector<emulator::finding> in_calls{};        ///< Emulator only: of runtime calls, such as a double free.
  std::optional<timing> cold{}, warm{}, idle{};     ///< GPU only: times for each `start`.
  std::optional<compiled_facts> compiled{};         ///< Empty if it is unknown which kernel is launched.
  double bytes = 0;                                 ///< The fewest bytes to move, for the bandwidth; 0 if not useful.
  std::size_t count = 0;                            ///< The problem's count.
  std::string group{};                              ///< Heading above the row; may be empty.
  bool host_waits = false;              ///< Emulator only: the host waited for the device while its code ran.
  std::optional<double> allocations{};  ///< Emulator only: allocations of device memory by one call.
  double copied_bytes = 0;              ///< Emulator only: bytes copied within device memory by host calls.
  std::optional<port_use> ports{};      ///< Emulator only, if several GPUs work together.
  printed said{};                       ///< The kernel's output, under the name of the row.
  [[nodiscard]] std::vector<emulator::finding> findings() const;
  /// Returns the launch that tables and goals refer to: the first of those that executed the most instructions. Because
  /// of this choice, an empty launch before it cannot hide the real one. There must be at least one launch.
  [[nodiscard]] const emulator::launch_report& main_launch() const;
  /// Returns true if nothing wrong was found. True for rejected kernels and untouched exercises, too.
  [[nodiscard]] bool passed() const {
    return rejected || !attempted || (verified && failure.empty() && findings().empty());
  }
};

/// Options for a run.
struct effort {
  std::uint8_t unset_byte = emulator::options{}.unset_byte;  ///< As in `emulator::options`.
  bool observe = true;                 ///< Emulator: count and check; otherwise run at full speed.
  bool check = true;                   ///< Emulator, if it observes: look for faults; if false, only count.
  bool follow = true;                  ///< Emulator, if it observes: follow the critical path of some blocks.
  int repetitions = 0;                 ///< GPU: number of timed runs of each kind of `start`; 0 for no times.
  std::size_t lines_kept = few_lines;  ///< Lines of the kernel's output to keep.
  bool explains = true;                ///< Emulator: if something is wrong, run the kernel again to find out why.
};

/// During its lifetime, the emulator observes and checks a kernel, or runs it without either. The emulator stops a
/// kernel that executes far more instructions than `count` elements need, or whose blocks wait for blocks that start
/// later. The destructor restores the options. Reports of earlier launches are discarded. Has no effect on a GPU.
class watched_run {
 public:
  watched_run(bool observe, std::size_t count, const effort& how = {});
  ~watched_run();
  watched_run(const watched_run&) = delete;
  watched_run& operator=(const watched_run&) = delete;

 private:
  emulator::options before_;
};

/// Resets the device after `kernel` has faulted. A GPU may stay unusable for this process; if so, `why_device_is_gone`
/// returns the reason.
void recover_device(const std::string& kernel);
[[nodiscard]] std::optional<std::string> why_device_is_gone();

}  // namespace workbook
