#pragma once
/// \file
/// Distributed shared memory: accesses by a cluster's blocks to each other's shared memory, and what orders them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/shadow.hpp"

namespace emulator::observers {

class thread_order;
class shared_init_check;
class global_access_log;

/// Watches one cluster. Races between threads of one block are found by that block's `race_check`. This class compares
/// accesses by different blocks to the shared memory of any block of the cluster.
///
/// Each access has a stamp from the `thread_order` of the block whose thread made it. For every other block, a thread
/// has a vector with a floor for each thread of that block, as in `thread_order`: accesses with a lower stamp are
/// ordered before what the thread does now. The cluster's barrier raises the floors of all threads. A flag or an
/// `mbarrier` raises the floors of one thread, if a thread of the other block has released on it. A barrier inside a
/// block shares the floors among the block's threads.
///
/// For each cell it stores the last write, and two reads and two atomics by different blocks, so a race with a third
/// block may not be found. A cell is a word, or a byte if the kernel has narrower accesses.
class cluster_check {
 public:
  /// \param size   the number of blocks of the cluster
  /// \param block  any block of it
  cluster_check(const kernel_facts& facts, std::uint32_t size, const block_identity& block);

  /// The data that a block's observers provide while the block runs. A pointer is null if that check is off.
  struct member {
    block_identity identity;
    thread_order* order = nullptr;
    shared_init_check* reads = nullptr;
    global_access_log* global = nullptr;
    incident_table* found = nullptr;
  };
  void join(std::uint32_t rank, const member& one) { members_[rank] = one; }

  /// A load, store or atomic by threads of block `rank` in the shared memory of block `owner`, which may be the same
  /// block.
  void access(std::uint32_t rank, std::uint32_t warp, const memory_event& event, std::uint32_t owner);
  /// The same for a part of a bulk copy that a thread of block `rank` has begun. In the memory model, the copy's write
  /// happens now.
  void begin_copy(std::uint32_t rank, std::uint32_t warp, const memory_event& event, std::uint32_t owner);
  /// Hands the copies that the thread has begun over to the `mbarrier` at offset `object` of block `owner`: a thread
  /// that waits for this phase is ordered after them. \param odd  true if the phase has an odd number
  void hand_over(std::uint32_t rank, std::uint32_t thread, std::uint32_t owner, std::uint64_t object, bool odd);
  /// Lanes arrive at the cluster's barrier. \param releases  true if everything that they did so far is ordered before
  /// everything after the wait
  void arrive(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask, bool releases);
  /// All threads of the cluster have arrived at its barrier.
  void open(std::uint64_t cluster);
  /// A barrier inside a block: everything that one of its threads knows about other blocks is now known to all threads
  /// in `masks` (by warp).
  void block_barrier(std::uint32_t rank, std::span<const std::uint32_t> masks);
  void warp_barrier(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask);
  void fence(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask);
  /// The block has left the kernel. \param well  true unless a fault stopped it
  void leave(std::uint32_t rank, bool well);

 private:
  /// Knowledge about the threads of all blocks: a floor for each rank and thread. If nothing is known about a block,
  /// its vector is empty.
  using view = std::vector<std::vector<std::uint32_t>>;
  using shared_view = std::shared_ptr<const view>;

  static constexpr std::uint32_t nobody = 0xffffffffu;
  struct record {
    std::uint32_t who = nobody;  ///< rank * threads + thread.
    std::uint32_t stamp = 0;
    std::uint32_t pc = 0;
    access_level level = access_level::ordinary;
  };
  struct cell {
    record write;
    record reads[2], atomics[2];
  };
  struct request;

  [[nodiscard]] request request_of(std::uint32_t rank, std::uint32_t warp, const memory_event& event,
                                   std::uint32_t owner) const;
  void compare(const request& r);
  [[nodiscard]] shared_view& view_of(std::uint32_t rank, std::uint32_t thread) {
    return views_[std::size_t{rank} * threads_ + thread];
  }
  [[nodiscard]] bool covers(const view& floors, const record& of) const;
  [[nodiscard]] bool knows(std::uint32_t rank, std::uint32_t thread, const record& of);
  [[nodiscard]] bool has_begun(std::uint32_t rank, std::uint32_t thread, std::uint32_t owner);
  bool conflict(const request& r, const record& other, incident_kind kind, std::uint64_t address, unsigned lane);
  bool check_cell(const request& r, const cell& c, std::uint64_t address, unsigned lane);
  void keep(record (&kept)[2], const record& one) const;
  void synchronise(const request& r);
  void learn(std::uint32_t rank, std::uint32_t thread, const view& more);
  void pass_on(std::uint32_t rank, std::uint32_t thread, std::uint64_t location, bool release);
  [[nodiscard]] incident incident_of(const request& r, incident_kind kind, unsigned lane, std::uint64_t address) const;
  void meet(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask, view& joint) const;

  const kernel_facts& facts_;
  std::uint32_t size_;
  std::uint32_t threads_;     ///< Per block, rounded up to whole warps.
  std::uint32_t cell_bytes_;  ///< 4 or 1.
  std::vector<member> members_;
  std::vector<std::vector<cell>> cells_;  ///< Indexed by the owner's rank.
  view common_;                           ///< Known to all threads since the last barrier of the cluster.
  view arrived_;                          ///< The stamps of arrivals that release; 0 for other arrivals.
  std::vector<bool> touched_since_;       ///< For each rank: a thread has accessed shared memory after it arrived.
  std::vector<std::uint32_t> waiting_;    ///< For each rank and warp: lanes that have arrived at the current barrier.
  std::vector<shared_view> views_;        ///< Indexed by rank and thread; null: the thread knows only `common_`.
  bool any_view_ = false;
  std::uint32_t phases_ = 0;                           ///< The number of cluster barriers that have opened.
  std::unordered_map<std::uint64_t, view> passed_on_;  ///< Indexed by location.
  std::unordered_map<std::uint32_t, view> received_;   ///< Indexed by rank and thread, until the thread's next fence.
};

}  // namespace emulator::observers
