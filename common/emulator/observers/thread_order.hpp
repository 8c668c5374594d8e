#pragma once
/// \file
/// The relation "happens before" between the threads of a block: which of their accesses are ordered by barriers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// Orders the accesses of one block's threads.
///
/// Every synchronising event (a barrier, a fence) begins an epoch and gets the next number of a sequence. The stamp of
/// an access is the number of the last such event that its thread took part in. So a thread's knowledge of another
/// thread is a single number, the floor: accesses by the other thread with a lower stamp happened before anything that
/// this thread does now.
///
/// Nearly all programs need only two kinds of floors: that of the block, raised by barriers that all its live threads
/// take part in, and that of each warp, raised by a `__syncwarp()` of all its threads. If some lanes of a warp
/// synchronise without the others, the warp gets a matrix of floors. If a barrier includes only some of the block's
/// threads, or if a flag in shared memory orders them, the block gets a matrix, too. The next barrier of all threads
/// makes these matrices obsolete.
class thread_order {
 public:
  /// Begins a block. Everything before this call is ordered before the block. Returns true if the sequence started
  /// again, so that old stamps are invalid.
  bool begin_block(const block_identity& block);

  /// Returns the stamps that accesses by the 32 threads of `warp` get now.
  [[nodiscard]] const std::uint32_t* stamps(std::uint32_t warp) const { return &stamp_[warp * 32]; }
  /// Returns true if `stamps(warp)` are all the same.
  [[nodiscard]] bool same_stamps(std::uint32_t warp) const { return same_stamps_[warp] != 0; }
  /// Returns the floor of the block: accesses with a lower stamp are ordered before everything that any of its threads
  /// does now.
  [[nodiscard]] std::uint32_t block_floor() const { return block_floor_; }
  /// Returns the floor of a warp: accesses by its own threads with a lower stamp are ordered before everything that
  /// they do now. It is at least `block_floor()`.
  [[nodiscard]] std::uint32_t warp_floor(std::uint32_t warp) const { return warp_floor_[warp]; }

  /// Returns true if an access by thread `earlier` with `stamp` is ordered before anything that thread `later` does
  /// now.
  [[nodiscard]] bool ordered(std::uint32_t earlier, std::uint32_t stamp, std::uint32_t later) const;

  /// A `__syncwarp()` of the lanes `mask`. It doesn't wait for lanes that have left the kernel.
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  /// A `bar.arrive`: the lanes do not wait, but what they did so far is ordered before what the waiting threads do
  /// next.
  void announce(std::uint32_t warp, std::uint32_t mask, std::uint32_t barrier);
  /// A block barrier opens for all threads that arrived, including those of a `bar.arrive`. If it `waits_for_all`, a
  /// thread that leaves the kernel counts as arrived; a barrier for a given number of threads ignores such threads.
  void block_barrier(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all);
  /// A fence. What the lanes did before it can be released by their next writes, and they acquire what other threads
  /// have released at the locations that they have read.
  void fence(std::uint32_t warp, std::uint32_t mask);
  void exited(std::uint32_t warp, std::uint32_t mask) {
    live_[warp] &= ~mask;
    left_[warp] |= mask;
  }

  // For the barrier of a cluster, and flags between its blocks (cluster_check.hpp).
  /// Gives later accesses by the lanes a new stamp, which it returns.
  std::uint32_t arrive_at_cluster(std::uint32_t warp, std::uint32_t mask);
  /// Orders everything so far before everything that any thread of the block does from now on.
  void raise_floor();
  /// Raises the floors of all threads, or of one thread, to at least `floors`, which has an entry for each thread of
  /// the block.
  void learn_all(const std::vector<std::uint32_t>& floors);
  void learn(std::uint32_t thread, const std::vector<std::uint32_t>& floors);
  /// Returns the floors of a thread: its knowledge of each thread of the block.
  [[nodiscard]] std::vector<std::uint32_t> known_to(std::uint32_t thread) const;
  /// Returns a stamp that separates what the thread did so far (lower stamps) from what it does next.
  std::uint32_t release_stamp(std::uint32_t thread);
  /// Returns the number of the thread's last fence; 0: it has executed none.
  [[nodiscard]] std::uint32_t fence_stamp(std::uint32_t thread) const { return fence_stamp_[thread]; }

  /// A strong store or atomic by `thread` to the word `location`. It releases what the thread did before its last
  /// fence. If the access itself is a release, it releases everything so far.
  void pass_on(std::uint32_t thread, std::uint32_t location, bool release);
  /// Everything that has been released at location `from` counts as released at `to` as well.
  void carry_over(std::uint32_t from, std::uint32_t to);
  /// A strong load or atomic by `thread` on the word `location`. The thread acquires what was released there at its
  /// next fence, or at once if the access itself is an acquire.
  void receive(std::uint32_t thread, std::uint32_t location, bool acquire);

 private:
  using row = std::vector<std::uint32_t>;  ///< For each thread: a floor.
  using lane_matrix = std::array<std::array<std::uint32_t, 32>, 32>;
  struct announcement {
    std::uint32_t warp = 0;
    std::uint32_t mask = 0;
    row known;
  };

  void use_lane_matrix(std::uint32_t warp);
  /// Fills `floors` with the floors of a thread while the block has no matrix.
  void fill_without_matrix(std::uint32_t thread, std::span<std::uint32_t> floors) const;
  void use_block_matrix();
  [[nodiscard]] std::span<std::uint32_t> row_of(std::uint32_t thread) {
    return {&matrix_[std::size_t{thread} * threads_], threads_};
  }
  void stamp_lanes(std::uint32_t warp, std::uint32_t mask, std::uint32_t stamp);
  void sync_in_block_matrix(std::uint32_t warp, std::uint32_t mask);

  std::uint32_t sequence_ = 0;
  std::uint32_t block_floor_ = 0;
  std::uint32_t warps_ = 0;
  std::uint32_t threads_ = 0;  ///< Rounded up to whole warps.
  std::vector<std::uint32_t> live_;
  std::vector<std::uint32_t> left_;  ///< Lanes that have left the kernel.
  std::vector<std::uint32_t> warp_floor_;
  std::vector<std::uint32_t> stamp_;
  std::vector<std::uint8_t> same_stamps_;   ///< Indexed by warp.
  std::vector<std::uint32_t> fence_stamp_;  ///< For each thread: number of its last fence.
  std::vector<bool> has_lane_matrix_;
  std::vector<lane_matrix> lane_matrix_;  ///< For each warp: [later][earlier].
  bool has_matrix_ = false;
  std::vector<std::uint32_t> matrix_;  ///< [later][earlier], all threads of the block.
  std::unordered_map<std::uint32_t, std::vector<announcement>> announced_;  ///< Indexed by barrier.
  std::unordered_map<std::uint32_t, row> passed_on_;                        ///< Indexed by location.
  std::unordered_map<std::uint32_t, row> received_;  ///< Indexed by thread, until its next fence.
};

}  // namespace emulator::observers
