#pragma once
/// \file
/// Which accesses of a block are ordered by barriers: the relation "happens before" between its threads.

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
/// Every event that orders (a barrier, a fence) gets the next number of a sequence, and an access is stamped with the
/// number of the last such event that its thread took part in. What thread u knows of thread t is then one number, the
/// floor: accesses of t with a lower stamp happened before what u does now.
///
/// Nearly all programs need two kinds of floor only: one of the block, raised by barriers that all its live threads
/// take part in, and one of each warp, raised by `__syncwarp()` of all its live lanes. A matrix of floors is made for a
/// warp when some of its lanes synchronise without the others, and for the block when a barrier is for some of its
/// threads or when a flag in shared memory orders them; the next barrier of all makes it superfluous again.
class thread_order {
 public:
  /// Everything before is ordered. Returns true where the sequence started anew: stamps kept from before mean nothing.
  bool begin_block(const block_identity& block);

  /// The stamps that accesses get now, of the 32 threads of `warp`.
  [[nodiscard]] const std::uint32_t* stamps(std::uint32_t warp) const { return &stamp_[warp * 32]; }
  /// Says whether `stamps(warp)` are all the same.
  [[nodiscard]] bool same_stamps(std::uint32_t warp) const { return same_stamps_[warp] != 0; }
  /// Accesses below this are ordered before everything that any thread of the block does now.
  [[nodiscard]] std::uint32_t block_floor() const { return block_floor_; }
  /// Accesses of the warp's own threads below this are ordered before everything that they do now; not below
  /// `block_floor()`.
  [[nodiscard]] std::uint32_t warp_floor(std::uint32_t warp) const { return warp_floor_[warp]; }

  /// Says whether the access of thread `earlier` with `stamp` is ordered before what thread `later` does now.
  [[nodiscard]] bool ordered(std::uint32_t earlier, std::uint32_t stamp, std::uint32_t later) const;

  /// `__syncwarp()` of the lanes `mask`, which waits for no others: not for those that have left the kernel.
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  /// `bar.arrive`: the lanes do not wait; what they did so far is ordered before what the waiting threads do next.
  void announce(std::uint32_t warp, std::uint32_t mask, std::uint32_t barrier);
  /// A block barrier opens for all that arrived, those that only announced themselves included. One that
  /// `waits_for_all` also waits for those that leave the kernel instead; one for a number of threads does not.
  void block_barrier(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all);
  /// A fence: what the lanes did before may be passed on by what they write next, and what others passed on reaches
  /// them.
  void fence(std::uint32_t warp, std::uint32_t mask);
  void exited(std::uint32_t warp, std::uint32_t mask) {
    live_[warp] &= ~mask;
    left_[warp] |= mask;
  }

  // For the barrier of a cluster, and flags between its blocks (cluster_check.hpp).
  /// The lanes' accesses get a stamp of their own from now on. \return that stamp
  std::uint32_t arrive_at_cluster(std::uint32_t warp, std::uint32_t mask);
  /// Everything before is ordered before everything that any thread of the block does now.
  void raise_floor();
  /// All threads know so much of each thread of the block, and one of them does.
  void learn_all(const std::vector<std::uint32_t>& floors);
  void learn(std::uint32_t thread, const std::vector<std::uint32_t>& floors);
  /// Floors, by thread: what a thread knows of its block.
  [[nodiscard]] std::vector<std::uint32_t> known_to(std::uint32_t thread) const;
  /// What the thread did so far is below this; what it does next is not.
  std::uint32_t release_stamp(std::uint32_t thread);
  /// Of its last fence; 0: there was none.
  [[nodiscard]] std::uint32_t fence_stamp(std::uint32_t thread) const { return fence_stamp_[thread]; }

  /// A strong store or atomic of `thread` to the word `location`: passes on what the thread did before its last fence,
  /// or, where the access itself is a release, all that it did so far.
  void pass_on(std::uint32_t thread, std::uint32_t location, bool release);
  /// What has been passed on at one location is from now on passed on at another, too.
  void carry_over(std::uint32_t from, std::uint32_t to);
  /// A strong load or atomic of `thread` on the word `location`: what was passed on there reaches the thread at its
  /// next fence, or at once where the access itself is an acquire.
  void receive(std::uint32_t thread, std::uint32_t location, bool acquire);

 private:
  using row = std::vector<std::uint32_t>;  ///< By thread: a floor.
  using lane_matrix = std::array<std::array<std::uint32_t, 32>, 32>;
  struct announcement {
    std::uint32_t warp = 0;
    std::uint32_t mask = 0;
    row known;
  };

  void use_lane_matrix(std::uint32_t warp);
  /// Fills `floors` with what a thread knows, as long as there is no matrix of the block.
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
  std::vector<std::uint8_t> same_stamps_;   ///< By warp.
  std::vector<std::uint32_t> fence_stamp_;  ///< By thread: number of its last fence.
  std::vector<bool> has_lane_matrix_;
  std::vector<lane_matrix> lane_matrix_;  ///< By warp: [later][earlier].
  bool has_matrix_ = false;
  std::vector<std::uint32_t> matrix_;  ///< [later][earlier], all threads of the block.
  std::unordered_map<std::uint32_t, std::vector<announcement>> announced_;  ///< By barrier.
  std::unordered_map<std::uint32_t, row> passed_on_;                        ///< By location.
  std::unordered_map<std::uint32_t, row> received_;                         ///< By thread, until its next fence.
};

}  // namespace emulator::observers
