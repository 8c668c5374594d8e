#pragma once
/// \file
/// The interpreter's window: what a block does, event by event.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "emulator/observers/activity.hpp"
#include "emulator/observers/critical_path.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

class cluster_check;
class launch_observation;
class lane_addresses;

/// Watches the blocks that one host thread runs, one block at a time (a cooperative launch interleaves blocks: then
/// there is one `block_observer` a block, and `begin_block` is called once on each). Not safe to share between host
/// threads; what it has seen goes to the `launch_observation` when it ends.
class block_observer {
 public:
  explicit block_observer(launch_observation& launch);
  ~block_observer();
  block_observer(const block_observer&) = delete;
  block_observer& operator=(const block_observer&) = delete;

  void begin_block(const block_identity& block);
  /// \param executed  warp instructions of the block
  /// \param well      it was not stopped by a fault
  void end_block(std::uint64_t executed, bool well = true);

  /// What follows is done by this warp, until another is named.
  void turn_of(std::uint32_t warp) {
    if (attends_) [[unlikely]]
      attend_to(warp);
  }
  /// A warp is about to execute the instruction at `pc` for the lanes in `mask` (guard predicate applied; may be 0 when
  /// all are predicated off).
  void instruction(std::uint32_t pc, std::uint32_t mask) {
    if (attends_) [[unlikely]]
      attend(pc, 1, mask);
    instruction_activity& here = hot_[pc];
    ++here.executed;
    here.lanes += static_cast<std::uint64_t>(std::popcount(mask));
    if (mask == 0) [[unlikely]]
      ++here.idle;
  }
  /// Executes what comes from `pc` on for the lanes in `mask`, one after the other, until `leave` says where it goes no
  /// further. An instruction that was told of by `instruction` must not lie between.
  void enter(std::uint32_t pc, std::uint32_t mask) {
    edges_[pc].executed += 1;
    edges_[pc].lanes += static_cast<std::uint64_t>(std::popcount(mask));
  }
  void leave(std::uint32_t pc, std::uint32_t mask) {
    edges_[pc].executed -= 1;
    edges_[pc].lanes -= static_cast<std::uint64_t>(std::popcount(mask));
  }
  /// Between the two: the next `count` instructions from `pc` on are about to be executed.
  void run(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
    if (attends_) [[unlikely]]
      attend(pc, count, mask);
  }
  /// Says whether it wants to be told by `run` of each instruction.
  [[nodiscard]] bool attends() const { return attends_; }
  /// Where `enter` and `leave` count, by program counter: 16 bytes each, how often and for how many lanes.
  [[nodiscard]] void* edges() { return edges_; }
  /// Where `branch` counts, by program counter: `instruction_activity::special`.
  [[nodiscard]] std::uint64_t* divergences() { return &hot_->special; }
  /// Says whether `memory_event::values` of stores to shared memory are looked at.
  [[nodiscard]] bool wants_values() const { return wants_values_; }
  /// Says whether it keeps track of which bytes have been written.
  [[nodiscard]] bool notes_writes() const { return notes_writes_; }
  /// Says whether `carried_out` is to be called after each access.
  [[nodiscard]] bool records() const { return records_; }
  /// The access that `memory` was told of last is done: `bytes` by lane, of 32 bytes each, are what lies there now, and
  /// `found` is an atomic's results, by lane; else null.
  void carried_out(const std::byte (*bytes)[32], const std::byte* found);
  /// A load, store or atomic. Called before the access is carried out.
  void memory(std::uint32_t warp, const memory_event& event);
  /// A `cp.async` begins, which writes to shared memory until its thread has waited for it; `event` is that store.
  void copy_begins(std::uint32_t warp, const memory_event& event);
  /// Somebody has waited for the `mbarrier` that stood for it: it writes no longer.
  void copy_lands(std::uint32_t warp, const memory_event& event);
  /// It ends, and has read global memory until now; `event` is that load, which has been told of before.
  void copy_ends_reading(std::uint32_t warp, const memory_event& event);
  /// A `cp.async.bulk` begins. Until it is there, into shared memory, it writes at any time; out of it, it reads.
  void bulk_begins(const bulk_event& event);
  /// Somebody has waited for it.
  void bulk_lands(const bulk_event& event);
  /// A conditional branch: `taken` is a subset of `mask`; it diverges where it is neither 0 nor `mask`.
  void branch(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken);
  /// Lanes `mask` of a warp arrive at block barrier `barrier`; `live` are the warp's lanes that have not exited.
  void barrier_arrive(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t live,
                      std::uint32_t barrier);
  /// The same, of a warp's live lanes `mask` at a __syncthreads().
  void barrier_arrive_whole(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
    if (records_ || barrier_pc_[0] != pc) return barrier_arrive(warp, pc, mask, mask, 0);
    arrived_at_0_ = true;
    last_arrival_ = warp * warp_size + static_cast<std::uint32_t>(std::countr_zero(mask));
  }
  /// A block barrier opens for the lanes `masks[warp]` of each warp: what they did before is ordered before what they
  /// do next.
  void barrier_complete(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all);
  /// `bar.warp.sync` completes for the lanes `mask` of a warp.
  void warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  /// A fence (`membar`, `fence`): `scope` 0 block, 1 device, 2 system.
  void fence(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, int scope);
  /// Lanes `mask` of a shuffle named lanes that took no part in it: they got rubbish, which they may not use.
  void shuffle_from_nowhere(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  /// Lanes `mask` have waited at a `.sync` operation for lanes `gone`, which its member mask names and which left the
  /// kernel.
  void waited_in_vain(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t gone);
  /// `shfl.sync` is carried out for the lanes `mask`.
  void shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event);
  /// The block, which has just begun, is of that rank in a cluster, which is watched there.
  void join_cluster(std::shared_ptr<cluster_check> cluster, std::uint32_t rank);
  /// A load, store or atomic on the shared memory of the cluster's block `owner`.
  void memory_of_other(std::uint32_t warp, const memory_event& event, std::uint32_t owner);
  /// Lanes arrive at the cluster's barrier. \param releases  as the instruction says
  void cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool releases);
  /// The cluster's barrier opens, for all of its blocks. To be called on one of them.
  void cluster_opens(std::uint64_t cluster);
  /// Lanes leave the kernel.
  void exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);

  /// Hands what has been seen since the last call to the `launch_observation`; the destructor does the same.
  void flush();

 private:
  struct state;
  /// How much more often the instruction at one place is executed than the one before, modulo 2^64.
  struct edge {
    std::uint64_t executed = 0;
    std::uint64_t lanes = 0;
  };

  void attend_to(std::uint32_t warp);
  void attend(std::uint32_t pc, std::uint32_t count, std::uint32_t mask);
  void count_global(access_activity& here, const memory_event& event, const lane_addresses& a);
  void count_conflicts(access_activity& here, const memory_event& event, unsigned conflicts);
  void memory_in_shared(std::uint32_t warp, const memory_event& event);

  instruction_activity* hot_ = nullptr;  ///< By program counter.
  edge* edges_ = nullptr;                ///< Likewise, and one more.
  critical_path* path_ = nullptr;        ///< While a block is followed.
  bool attends_ = false;                 ///< To each instruction: a block is followed or traced.
  bool records_ = false;                 ///< The block is traced.
  bool wants_values_ = false;
  bool notes_writes_ = false;
  std::uint32_t barrier_pc_[16] = {};  ///< By barrier: where the last warp arrived.
  bool arrived_at_0_ = false;          ///< A warp waits at barrier 0, …
  std::uint32_t last_arrival_ = 0;     ///< … and this is a thread of the last that came.
  std::unique_ptr<state> state_;
};

}  // namespace emulator::observers
