#pragma once
/// \file
/// What a program may ask of the emulator beyond the CUDA runtime API: which device runs the kernels, what is watched
/// while they run, and what was seen. A program that never includes this file runs as it is.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/finding.hpp"

namespace emulator {

/// Which device executes kernels. The CUDA runtime calls go to it.
enum class device_kind { emulator, gpu };

/// Says whether an NVIDIA GPU and the real CUDA runtime can be used; `why_not`, if given, receives the reason in words.
[[nodiscard]] bool gpu_available(std::string* why_not = nullptr);

/// Returns why the driver of this machine's GPU cannot run this program, and what to do; empty if it can, or if there
/// is no driver.
[[nodiscard]] std::string outdated_driver();

/// Sends all further CUDA calls to `kind`. Memory and streams belong to the device that made them.
/// \throws std::runtime_error  where the device cannot be had.
void select_device(device_kind kind);
[[nodiscard]] device_kind selected_device();

/// How long a result is awaited, in cycles: what the path of a block is followed with. The defaults are an H200's, as
/// `make machine` measured them, but for `divide`, which is a guess.
struct path_latencies {
  double arithmetic = 4.2;
  double shuffle = 24;      ///< Also votes.
  double warp_reduce = 44;  ///< `redux.sync`.
  double divide = 60;       ///< Integer division and remainder.
  double shared = 24.75;
  double shared_pass = 2;  ///< More for each pass beyond the first.
  double first_cache = 32;
  double second_cache = 281;
  double global = 680;  ///< Only to choose between paths: waits for global memory are counted apart.
  double barrier = 12.6, barrier_per_warp = 2;
  double first_cache_bytes_per_warp = 1824;  ///< A multiprocessor's 114 KiB (the rest is shared memory), for 64 warps.
  double issue = 1;                          ///< Cycles in which a scheduler issues one.
  double divide_issue = 27;
};

/// What is watched. Everything off is the fastest way to run.
struct options {
  bool counters = true;  ///< Count instructions, sectors, conflicts … by kernel and source line.
  bool memcheck = true;  ///< (Bounds and alignment are always checked; this adds their words to the findings.)
  bool initcheck = true;
  bool racecheck = true;
  bool synccheck = true;
  bool api_errors = true;  ///< Calls of the runtime that fail, and launches refused, are findings of memcheck.
  bool leaks = false;  ///< Memory that is not freed when the program ends is reported then, as findings of memcheck.
  unsigned host_threads = 0;  ///< 0: one per processor.
  std::uint64_t max_instructions =
      0;  ///< Warp instructions one block may execute before the kernel is stopped; 0: the default.
  /// Blocks of an ordinary grid that run at once at most; 0: as many as the device has room for. With 1, a block that
  /// waits for one with a larger number is a standstill: nothing that CUDA promises says that it has started.
  std::uint64_t blocks_at_once = 0;
  /// What registers hold that a kernel reads before it has set them: this in every byte. A result that changes with it
  /// hangs on a variable that has no value.
  std::uint8_t unset_byte = 0x5a;
  /// The race check takes shortcuts for ordinary accesses, and long kernels become machine code. Without them it is
  /// slower, and the results are the same.
  bool shortcuts = true;
  /// After how many warp instructions a kernel becomes machine code, where the processor has AVX-512 or AVX2;
  /// `never_native`: the interpreter does all. The results are the same.
  std::uint64_t native_after = 50'000;
  static constexpr std::uint64_t never_native = ~std::uint64_t{0};
  /// How many bytes of a register machine code works on at a time at most: 64, which takes AVX-512, or 32.
  unsigned native_bytes = 64;
  /// Behind each stretch of plain operations in machine code the interpreter does them again, and what is in the
  /// registers then is compared: for tests. A difference ends the program.
  bool native_compares = false;
  /// With `counters`: some blocks are followed instruction by instruction, for the longest chain of what waits for each
  /// other.
  bool critical_path = true;
  path_latencies latencies;
  /// Each launch is run in so many other orders, too, with its result thrown away: what is found there is added to the
  /// report, and results that differ.
  unsigned orders = 0;
  std::uint64_t orders_seed = 1;
  std::string gpu = "h200";     ///< Whose facts the program reads from cudaGetDeviceProperties.
  bool trace_launches = false;  ///< Print one line per launch on standard error.
  std::string trace_path;       ///< Each access of the first blocks is added to this file: observers/trace.hpp.
  bool announce_errors = true;  ///< Say in words on standard error why a kernel or a call failed.
};

/// \throws std::invalid_argument  where `gpu` is not one that the emulator knows; the message lists those it does.
void set_options(const options& wanted);
[[nodiscard]] options current_options();

/// Counters by name, which lasts as long as the program. Names are Nsight Compute's where it has them; docs/emulator
/// lists all, with formulas.
using counter_map = std::map<std::string_view, std::uint64_t>;

/// Returns one of them, 0 where there is none of that name.
[[nodiscard]] inline std::uint64_t count_in(const counter_map& counters, std::string_view name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

/// One access of a warp to shared memory that took more passes than one: of those of a line, the costliest; of several
/// such, the first of the lowest block.
struct conflict_example {
  std::uint32_t degree = 0;  ///< Passes for the lanes that are served together: an n-way conflict. 0: there was none.
  std::uint32_t bank = 0;    ///< The (first) bank in which most of them met.
  std::uint32_t lanes[2] = {0, 0};  ///< The first two lanes that want different words of that bank.
  std::int64_t stride_bytes = 0;    ///< From each active lane to the next, where it is the same for all; else 0.
  std::uint32_t bytes_per_lane = 0;
  std::uint64_t block = 0;  ///< Linear.
};

/// One access of a warp to global memory that touched more sectors than its bytes fill: of those of a line, the worst,
/// chosen as above.
struct request_example {
  std::uint32_t sectors = 0;      ///< 0: each request of the line was as good as can be.
  std::uint32_t ideal = 0;        ///< Sectors that the active lanes' bytes would fill side by side.
  std::uint32_t lanes = 0;        ///< How many were active.
  std::int64_t stride_bytes = 0;  ///< As above.
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
  /// Of the line's instructions, those that ran with fewer active lanes on average than its widest one: what a
  /// condition in the line leaves. Executions without any active lane do not count.
  std::uint64_t partial_executed = 0;
  std::uint64_t partial_lanes = 0;  ///< Active lanes, summed over those executions.
};

/// How many blocks of a launch run on one multiprocessor at a time, and what keeps it from more. All in blocks.
struct occupancy_report {
  bool known = false;  ///< False where no machine code tells the registers; nothing below is set then.
  std::uint32_t blocks = 0;
  std::uint32_t by_device = 0;     ///< What the multiprocessor takes at most, …
  std::uint32_t by_warps = 0;      ///< … what its warps suffice for, …
  std::uint32_t by_registers = 0;  ///< … its registers, …
  std::uint32_t by_shared = 0;     ///< … its shared memory; 0xffffffff where a block needs none.
  std::uint32_t warps_per_block = 0;
  std::uint32_t warps_at_most = 0;  ///< Warps of a full multiprocessor.
  std::uint32_t multiprocessors = 0;
  std::uint64_t reserved_shared_bytes = 0;  ///< Per block, by the system.
};

/// The longest chain of instructions of a block that wait for each other, with nothing else in their way: sums over the
/// blocks that were followed, which lie evenly over the grid.
struct path_report {
  std::uint64_t blocks = 0;
  double cycles = 0;                             ///< Without those spent waiting for global memory.
  double waits = 0;                              ///< How often in a row it waits for global memory.
  double longest_cycles = 0, longest_waits = 0;  ///< Of that one of these blocks which takes longest.
  /// Of the grid's last block, which is not among these where there are others: it may put the results together.
  double last_cycles = 0, last_waits = 0;
  std::uint64_t lines = 0;          ///< Of 128 bytes, of global memory: summed over the warps' accesses.
  std::uint64_t sectors_near = 0;   ///< Of those read, how many the multiprocessor's cache still has from this block.
  std::uint64_t sectors_again = 0;  ///< Of those read, how many this block had read, but too long ago for that.
  std::uint64_t executed = 0;       ///< Warp instructions, with those.
  std::uint64_t issued = 0;         ///< Warp instructions, without those that only copy.
};

/// What one launch did.
struct launch_report {
  std::string kernel;  ///< Demangled.
  std::string mangled;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;                ///< All blocks run at the same time, and may wait for each other.
  std::uint32_t registers_per_thread = 0;  ///< From the machine code beside the PTX; 0 where there is none.
  std::string file;                        ///< Where the kernel stands, as the compiler saw it; empty where unknown.
  occupancy_report occupancy;
  bool completed = true;  ///< False where the kernel trapped, faulted, hung or ran into the limit.
  counter_map counters;
  path_report path;  ///< Where counters are on.
  /// Warp instructions of that one of all blocks which executed the most, however the rest shared the work. Likewise.
  std::uint64_t busiest_block = 0;
  std::vector<line_report> lines;  ///< Sorted by file and line.
  std::vector<finding> findings;
  unsigned orders = 0;         ///< Other orders in which the launch was run, too.
  std::string without_orders;  ///< Why it was not, though that was asked for.
  /// What is right or wrong by what the kernel does next, and worth a look where its result is wrong: values that were
  /// shuffled from lanes which took no part. They count as no findings.
  std::vector<finding> notes;
};

/// Returns the reports since the last call, in launch order, and forgets them. Waits for work in flight.
[[nodiscard]] std::vector<launch_report> take_reports();

/// Returns what the checks found in calls of the runtime since the last call, and forgets it: double and wrong frees,
/// copies to the host of bytes that nothing has written, calls that failed, launches that were refused and of which
/// nobody asked cudaGetLastError. File and line are the host's, where the program has line information.
[[nodiscard]] std::vector<finding> take_call_findings();

/// Why a launch was refused.
struct refusal {
  std::string text;
  bool empty_grid = false;  ///< A dimension of its grid is 0.
};

/// Returns why the last launch was refused, and forgets it; nothing if none was since the last call.
[[nodiscard]] std::optional<refusal> take_refusal();

/// Says whether kernels, copies or fills have written each of the `size_bytes` bytes at `pointer` (device) since they
/// were allocated. Known only of launches with `initcheck` on; otherwise, and on a GPU, the answer is true.
[[nodiscard]] bool was_written(const void* pointer, std::size_t size_bytes);

/// Allocations of device, managed and pinned memory that calls of the runtime have made on the emulator since the
/// program began.
[[nodiscard]] std::uint64_t allocations_made();

/// Calls of the runtime, since the program began, that do not return before the device is done: synchronisations,
/// copies without `Async`, and freeing of memory outside streams.
[[nodiscard]] std::uint64_t waiting_calls_made();

/// Bytes that calls of the runtime have copied from the emulated device's memory to its memory since the program began.
[[nodiscard]] std::uint64_t bytes_copied_on_device();

/// Warp instructions executed since the program began.
[[nodiscard]] std::uint64_t warp_instructions_executed();

}  // namespace emulator
