#pragma once
/// \file
/// A launch in progress: its blocks in flight, and what the host threads that run them share.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/explain/deadlock_text.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

/// Time after which a launch reports its progress, and the number of blocks that it starts between two checks of the
/// clock.
inline constexpr double seconds_before_progress = 10;
inline constexpr std::uint64_t blocks_between_looks = 1 << 16;

/// Ticks by which the clock is advanced if no block can make progress and one of them reads the clock: at first about a
/// millisecond, then `leap_growth` times as much each time, up to 13 days. Longer waits are treated as deadlock.
inline constexpr std::uint64_t first_leap = std::uint64_t{1} << 20, last_leap = std::uint64_t{1} << 50,
                               leap_growth = 32;

/// Warp instructions after which a block is assumed to wait for others even if it isn't seen to be stalled.
inline constexpr std::uint64_t alone_at_most = std::uint64_t{1} << 26;

/// The same limit if the host or another kernel may end the block's wait. Such a block may never be in the same state
/// twice, for example if it counts how often it polls or has a barrier in its loop. The second number is the number of
/// warp instructions after which a launch is checked for polling memory that others may change.
inline constexpr std::uint64_t alone_where_others_come = std::uint64_t{1} << 24,
                               patience_with_looks = std::uint64_t{1} << 21;

/// Warp instructions that a block of a cooperative launch runs before the next one gets its turn.
inline constexpr std::uint64_t cooperative_slice = 20'000;

inline observers::block_identity identify(const launch_constants& c, std::uint64_t linear) {
  observers::block_identity id;
  id.linear = linear;
  id.index[0] = static_cast<std::uint32_t>(linear % c.grid[0]);
  id.index[1] = static_cast<std::uint32_t>(linear / c.grid[0] % c.grid[1]);
  id.index[2] = static_cast<std::uint32_t>(linear / c.grid[0] / c.grid[1]);
  id.thread_count = c.thread_count;
  id.warp_count = c.warp_count;
  std::copy_n(c.block, 3, id.dimensions);
  id.shared_bytes = c.shared_bytes;
  return id;
}

/// A block in flight, with its interpreter and its observer.
template <bool Watched>
struct resident {
  std::unique_ptr<observers::block_observer> observer;
  std::unique_ptr<interpreter<Watched>> runner;
  block b;
  std::shared_ptr<cluster_group> cluster;  ///< Null if the launch has no clusters.
  bool done = false;

  explicit resident(observers::launch_observation* observation) {
    if constexpr (Watched) observer = std::make_unique<observers::block_observer>(*observation);
    runner = std::make_unique<interpreter<Watched>>(observer.get());
  }
  void start(const launch_constants& c, std::uint64_t linear) {
    done = false;  // it may have run another block
    start_block(b, c, identify(c, linear));
    if constexpr (Watched) observer->begin_block(b.identity);
  }
  void end() {
    done = true;
    if constexpr (Watched) observer->end_block(b.executed, b.fault.kind == observers::fault_kind::none);
    if (cluster) cluster->blocks[b.cluster_rank] = nullptr;
  }
};

/// A word that was polled, and its value at that time.
struct seen_word {
  std::uintptr_t address = 0;
  std::uint64_t value = 0;
  std::uint32_t bytes = 0;
};

/// The state that the host threads of one launch share.
template <bool Watched>
struct launch_state {
  const launch_constants* constants = nullptr;
  observers::launch_observation* observation = nullptr;
  std::uint64_t block_count = 0;
  std::uint64_t fit_at_once = 0;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> waiting_count{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  std::vector<std::unique_ptr<resident<Watched>>> waiting;  ///< Blocks that can't make progress on their own.
  std::uint64_t executed = 0;
  std::uint64_t passed = 0;      ///< Clock ticks by which waiting blocks were advanced.
  observers::fault first_fault;  ///< Fault of the block with the lowest number that faulted, so that it is the same for
                                 ///< any number of host threads.
  std::optional<explain::grid_deadlock> grid_deadlock;
  std::exception_ptr error;
  change_note* changes = nullptr;  ///< Shared with all launches that may pause.
  std::uint64_t next_leap = first_leap, changed_before = 0;
  pausing where = pausing::never;  ///< The events for which it may pause.
  std::vector<seen_word> seen;     ///< The words that it polls while it is paused.
  bool still_runs = false;         ///< It has paused although it could have continued.

  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  bool told = false;

  /// Reports once how much of a very large grid has started, and how long the rest will take.
  void tell_progress(std::uint64_t blocks_begun) {
    const std::scoped_lock lock(mutex);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (told || seconds < seconds_before_progress || !constants->watched.announce_errors) return;
    told = true;
    const double rest =
        seconds * static_cast<double>(block_count - blocks_begun) / static_cast<double>(blocks_begun) / 60;
    std::fprintf(stderr,
                 "emulator: kernel %s has begun %" PRIu64 " of its %" PRIu64
                 " blocks in %.0f seconds: the rest takes about %.0f minutes more\n",
                 constants->code->facts.demangled.c_str(), blocks_begun, block_count, seconds, rest);
  }

  void keep(const observers::fault& f) {
    const std::scoped_lock lock(mutex);
    if (first_fault.kind == observers::fault_kind::none || f.block.linear < first_fault.block.linear) first_fault = f;
    stopped = true;
  }
};

}  // namespace emulator::simt
