#pragma once
/// \file
/// The emulator's interface beyond the CUDA runtime API: functions that select the device that runs the kernels and the
/// checks that watch them, and that return the reports. A program that doesn't include this file runs with the
/// defaults.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/finding.hpp"

namespace emulator {

/// The device that executes kernels and CUDA runtime calls.
enum class device_kind { emulator, gpu };

/// Returns true if an NVIDIA GPU and the real CUDA runtime can be used. If not, `why_not` receives the reason, unless
/// it is null.
[[nodiscard]] bool gpu_available(std::string* why_not = nullptr);

/// Returns why the driver of this machine's GPU cannot run this program, and what to do. Returns an empty string if it
/// can, or if there is no driver.
[[nodiscard]] std::string outdated_driver();

/// Sends all further CUDA calls to `kind`. Memory and streams belong to the device on which they were created.
/// \throws std::runtime_error  if the device is not available
void select_device(device_kind kind);
[[nodiscard]] device_kind selected_device();

/// Latencies in cycles, used to compute the critical path of a block. The defaults were measured on an H200 by `make
/// machine`, except for `divide`, which is a guess.
struct path_latencies {
  double arithmetic = 4.2;
  double shuffle = 24;      ///< Also the latency of votes.
  double warp_reduce = 44;  ///< Latency of `redux.sync`.
  double divide = 60;       ///< Latency of integer division and remainder.
  double shared = 24.75;
  double shared_pass = 2;  ///< Added for each pass after the first.
  double first_cache = 32;
  double second_cache = 281;
  double global = 680;  ///< Only used to choose between paths, because waits for global memory are counted separately.
  double barrier = 12.6, barrier_per_warp = 2;
  /// An SM's L1 cache of 114 KiB (the rest is shared memory), divided by 64 warps.
  double first_cache_bytes_per_warp = 1824;
  double issue = 1;  ///< Cycles that a scheduler needs to issue one instruction.
  double divide_issue = 27;
};

/// The counters and checks that are on, and how kernels are run. A run is fastest if all counters and checks are off.
struct options {
  bool counters = true;  ///< Count instructions, sectors, conflicts … by kernel and source line.
  bool memcheck = true;  ///< Bounds and alignment are always checked; this reports violations as findings.
  bool initcheck = true;
  bool racecheck = true;
  bool synccheck = true;
  bool api_errors = true;     ///< Report failed runtime calls and refused launches as findings of memcheck.
  bool leaks = false;         ///< Report memory that is still allocated when the program ends, as findings of memcheck.
  unsigned host_threads = 0;  ///< 0: one per processor.
  std::uint64_t max_instructions =
      0;  ///< Warp instructions that a block may execute before the kernel is stopped; 0: the default.
  /// The maximum number of blocks of an ordinary grid that run at once; 0: as many as fit on the device. With 1, a
  /// block that waits for a block with a larger number is a deadlock, because CUDA does not guarantee that the other
  /// one has started.
  std::uint64_t blocks_at_once = 0;
  /// Each byte of a register that is read before it is written has this value. If a result changes with it, the result
  /// depends on an uninitialised variable.
  std::uint8_t unset_byte = 0x5a;
  /// The race check takes shortcuts for ordinary accesses, and long kernels are compiled to machine code. If this is
  /// off, the emulator is slower, but the results are the same.
  bool shortcuts = true;
  /// The number of warp instructions after which a kernel is compiled to machine code, if the processor has AVX-512 or
  /// AVX2. With `never_native`, everything is interpreted. The results are the same.
  std::uint64_t native_after = 50'000;
  static constexpr std::uint64_t never_native = ~std::uint64_t{0};
  /// The maximum number of bytes of a register that machine code processes at a time: 64, which needs AVX-512, or 32.
  unsigned native_bytes = 64;
  /// For tests: after each run of plain operations in machine code, the interpreter repeats them, and the registers are
  /// compared. The program ends if they differ.
  bool native_compares = false;
  /// With `counters`: follow some blocks instruction by instruction to find their critical path.
  bool critical_path = true;
  path_latencies latencies;
  /// The number of additional runs of each launch, with other orders of its blocks, warps and lanes. Their results are
  /// discarded, but their findings are added to the report, and so are differences between the results.
  unsigned orders = 0;
  std::uint64_t orders_seed = 1;
  std::string gpu = "h200";     ///< The GPU whose properties cudaGetDeviceProperties returns.
  bool trace_launches = false;  ///< Print one line per launch on standard error.
  /// The accesses of the first blocks are appended to this file; see observers/trace.hpp.
  std::string trace_path;
  bool announce_errors = true;  ///< Print on standard error why a kernel or a call failed.
};

/// \throws std::invalid_argument  if the emulator doesn't know `gpu`; the message lists the known GPUs
void set_options(const options& wanted);
[[nodiscard]] options current_options();

/// Counters by name; the names live as long as the program. A counter is named like Nsight Compute's metric if there is
/// one. docs/pages/emulator-coverage.md lists all of them, with formulas.
using counter_map = std::map<std::string_view, std::uint64_t>;

/// Returns the counter of that name, or 0 if there is none.
[[nodiscard]] inline std::uint64_t count_in(const counter_map& counters, std::string_view name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

/// One access by a warp to shared memory that took more than one pass. It is the costliest one of its source line; on a
/// tie, the first in the lowest-numbered block.
struct conflict_example {
  /// Passes for the lanes that are served together (an n-way conflict). 0: no access had a conflict.
  std::uint32_t degree = 0;
  std::uint32_t bank = 0;           ///< The (first) bank with the most distinct words.
  std::uint32_t lanes[2] = {0, 0};  ///< The first two lanes that access different words of that bank.
  std::int64_t stride_bytes = 0;    ///< Distance between neighbouring active lanes; 0 if it is not always the same.
  std::uint32_t bytes_per_lane = 0;
  std::uint64_t block = 0;  ///< Linear index.
};

/// One access by a warp to global memory that touched more sectors than its bytes fill. Like `conflict_example`, it is
/// the costliest one of its source line.
struct request_example {
  std::uint32_t sectors = 0;      ///< 0: no request of the line touched more sectors than the ideal.
  std::uint32_t ideal = 0;        ///< Sectors that the bytes of the active lanes would fill if they were contiguous.
  std::uint32_t lanes = 0;        ///< Number of active lanes.
  std::int64_t stride_bytes = 0;  ///< As in `conflict_example`.
  std::uint32_t bytes_per_lane = 0;
  std::uint64_t block = 0;
};

/// The counters of one source line.
struct line_report {
  std::string file;
  std::uint32_t line = 0;
  counter_map counters;
  conflict_example worst_conflict;
  request_example worst_request;
  /// Executions of those instructions of this line that had fewer active lanes on average than the line's widest
  /// instruction, for example because of a condition in the line. Executions without any active lane don't count.
  std::uint64_t partial_executed = 0;
  std::uint64_t partial_lanes = 0;  ///< Active lanes, summed over those executions.
};

/// The number of blocks of a launch that are resident on an SM at a time, and the resource that limits them. All limits
/// are in blocks.
struct occupancy_report {
  /// False if there is no machine code to read the number of registers from; the rest isn't set then.
  bool known = false;
  std::uint32_t blocks = 0;
  std::uint32_t by_device = 0;     ///< The SM's limit on blocks, …
  std::uint32_t by_warps = 0;      ///< … the limit because of its warps, …
  std::uint32_t by_registers = 0;  ///< … of its registers, …
  std::uint32_t by_shared = 0;     ///< … and of its shared memory; 0xffffffff if a block needs none.
  std::uint32_t warps_per_block = 0;
  std::uint32_t warps_at_most = 0;  ///< Warps of a full SM.
  std::uint32_t multiprocessors = 0;
  std::uint64_t reserved_shared_bytes = 0;  ///< Per block, reserved by the system.
};

/// The critical path of a block: its longest chain of dependent instructions if nothing else runs. The numbers are sums
/// over the blocks that were followed, which are spread evenly over the grid.
struct path_report {
  std::uint64_t blocks = 0;
  double cycles = 0;                             ///< Without the cycles that are spent waiting for global memory.
  double waits = 0;                              ///< Number of dependent waits for global memory.
  double longest_cycles = 0, longest_waits = 0;  ///< In the slowest of these blocks.
  /// The same for the grid's last block, which may combine the results of the others. Unless it is the only block, it
  /// isn't one of the blocks above.
  double last_cycles = 0, last_waits = 0;
  std::uint64_t lines = 0;  ///< The 128-byte lines of global memory that each access touched, summed over the accesses.
  std::uint64_t sectors_near = 0;   ///< Sectors that this block had read before and that are still in the SM's cache.
  std::uint64_t sectors_again = 0;  ///< Sectors that this block had read before, but too long ago to be in the cache.
  std::uint64_t executed = 0;       ///< Warp instructions, including those that only copy registers or load parameters.
  std::uint64_t issued = 0;         ///< The same without these instructions, which the hardware doesn't issue.
};

/// The report on one launch.
struct launch_report {
  std::string kernel;  ///< Demangled.
  std::string mangled;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;                ///< All blocks run at the same time and may wait for each other.
  std::uint32_t registers_per_thread = 0;  ///< From the machine code next to the PTX; 0 if there is none.
  std::string file;                        ///< The kernel's source file, as the compiler saw it; empty if unknown.
  occupancy_report occupancy;
  bool completed = true;  ///< False if the kernel trapped, faulted, hung, or reached the instruction limit.
  counter_map counters;
  path_report path;  ///< If `counters` and `critical_path` are on.
  /// Warp instructions of the block that executed the most of them, if counters are on.
  std::uint64_t busiest_block = 0;
  std::vector<line_report> lines;  ///< Sorted by file and line.
  std::vector<finding> findings;
  unsigned orders = 0;         ///< The number of other orders in which the launch was run as well.
  std::string without_orders;  ///< Why the launch wasn't run in other orders although `orders` asks for it.
  /// Suspicious, but not necessarily wrong: whether these are errors depends on what the kernel does next, for example
  /// with values that were shuffled from inactive lanes. They are worth a look if the result is wrong, but they don't
  /// count as findings.
  std::vector<finding> notes;
};

/// Returns the reports of the launches since the last call, in launch order, and removes them. Waits for work in
/// flight.
[[nodiscard]] std::vector<launch_report> take_reports();

/// Returns the findings of the checks in runtime calls since the last call, and removes them: double and invalid frees,
/// copies of uninitialised bytes to the host, failed calls, and refused launches after which the program did not call
/// cudaGetLastError. File and line are those of the host code, if the program has line information.
[[nodiscard]] std::vector<finding> take_call_findings();

/// The reason for a refused launch.
struct refusal {
  std::string text;
  bool empty_grid = false;  ///< A dimension of its grid is 0.
};

/// Returns why the last launch was refused, and forgets it. Returns nothing if no launch was refused since the last
/// call.
[[nodiscard]] std::optional<refusal> take_refusal();

/// Returns true if kernels, copies or fills have written each of the `size_bytes` bytes at `pointer` (device) since
/// they were allocated. This is only tracked for launches with `initcheck` on; otherwise, and on a GPU, it returns
/// true.
[[nodiscard]] bool was_written(const void* pointer, std::size_t size_bytes);

/// Returns the number of allocations of device, managed and pinned memory that runtime calls have made on the emulator
/// since the program began.
[[nodiscard]] std::uint64_t allocations_made();

/// Returns the number of runtime calls since the program began that do not return before the device is done:
/// synchronisations, copies without `Async`, and frees of memory outside streams.
[[nodiscard]] std::uint64_t waiting_calls_made();

/// Returns the number of bytes that runtime calls have copied within the emulated device's memory since the program
/// began.
[[nodiscard]] std::uint64_t bytes_copied_on_device();

/// Returns the number of warp instructions executed since the program began.
[[nodiscard]] std::uint64_t warp_instructions_executed();

}  // namespace emulator
