#pragma once
/// \file
/// Distributed shared memory: what the blocks of a cluster do in each other's shared memory, and what orders it.

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

/// Watches one cluster. What the threads of one block do to each other is the business of that block's `race_check`;
/// this one compares accesses of different blocks, in the memory of whichever block.
///
/// Each access is stamped by the `thread_order` of the block whose thread made it. What a thread knows of another
/// block's threads is a row of floors, as there: raised for all by the cluster's barrier, and for one thread by a flag
/// or an `mbarrier` on which somebody of the other block has released. Such knowledge spreads inside a block by its
/// barriers.
///
/// Of each cell it keeps the last write, and two reads and two atomics of different blocks: a race with a third block
/// may go unseen. A cell is a word, or a byte where the kernel has accesses that are narrower.
class cluster_check {
 public:
  /// \param size   blocks of the cluster
  /// \param block  some block of it
  cluster_check(const kernel_facts& facts, std::uint32_t size, const block_identity& block);

  /// What a block's observer lends, as long as the block runs; null where such a check is off.
  struct member {
    block_identity identity;
    thread_order* order = nullptr;
    shared_init_check* reads = nullptr;
    global_access_log* global = nullptr;
    incident_table* found = nullptr;
  };
  void join(std::uint32_t rank, const member& one) { members_[rank] = one; }

  /// A load, store or atomic of a thread of block `rank` in shared memory of block `owner`, perhaps its own.
  void access(std::uint32_t rank, std::uint32_t warp, const memory_event& event, std::uint32_t owner);
  /// The same for a part of a bulk copy that a thread of block `rank` has begun. For the memory model it writes now.
  void begin_copy(std::uint32_t rank, std::uint32_t warp, const memory_event& event, std::uint32_t owner);
  /// Who waits for a phase of the `mbarrier` at the offset `object` of block `owner` gets to know of the copies that
  /// the thread has begun. \param odd  the phase is an odd one
  void hand_over(std::uint32_t rank, std::uint32_t thread, std::uint32_t owner, std::uint64_t object, bool odd);
  /// Lanes arrive at the cluster's barrier. \param releases  what they did so far is ordered before what waits for it
  void arrive(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask, bool releases);
  /// All have arrived.
  void open(std::uint64_t cluster);
  /// Barriers inside of a block: what one of its threads knows of other blocks, all of `masks` (by warp) know.
  void block_barrier(std::uint32_t rank, std::span<const std::uint32_t> masks);
  void warp_barrier(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask);
  void fence(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask);
  /// The block has left the kernel. \param well  it was not stopped by a fault
  void leave(std::uint32_t rank, bool well);

 private:
  /// What is known of the blocks' threads, by rank and thread: floors. Of a block of which nothing is known, none.
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
  std::uint32_t threads_;     ///< Of a block, rounded up to whole warps.
  std::uint32_t cell_bytes_;  ///< 4, or 1.
  std::vector<member> members_;
  std::vector<std::vector<cell>> cells_;  ///< By owner's rank.
  view common_;                           ///< What all know since the last barrier of the cluster.
  view arrived_;                          ///< Stamps of arrivals that release; 0 of others.
  std::vector<bool> touched_since_;       ///< By rank: a thread that has arrived has touched shared memory.
  std::vector<std::uint32_t> waiting_;    ///< By rank and warp: lanes that have arrived at the barrier under way.
  std::vector<shared_view> views_;        ///< By rank and thread; null: only what all know.
  bool any_view_ = false;
  std::uint32_t phases_ = 0;                           ///< Barriers of the cluster that have opened.
  std::unordered_map<std::uint64_t, view> passed_on_;  ///< By location.
  std::unordered_map<std::uint32_t, view> received_;   ///< By rank and thread, until the next fence.
};

}  // namespace emulator::observers
